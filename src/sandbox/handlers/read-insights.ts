import type { insights } from '../../api/endpoints/insights.ts';
import { readRefresh } from '../calculation/freshness.ts';
import type { Handler } from '../call.ts';
import { uuidOf } from '../identifiers.ts';
import { OPERATOR } from '../operator.ts';
import { notFound, Refusal } from '../refusal.ts';
import { recordViews, selectInsights, selectViewed } from '../store/insights.ts';
import { activityPage } from './activity-page.ts';
import { findInsight } from './find-insight.ts';
import { basicInsight } from './insight-answers.ts';
import { insightLater, insightWithResult } from './insight-results.ts';

const LAST_VIEWED = 5;

/** I4 */
export const getInsight: Handler<typeof insights.get> = async (call) => {
  const { input, dialect, store } = call;
  const insight = await findInsight(store, input.id, { dialect });
  const mode = readRefresh(input.refresh, 'force_cache');
  const answer = await insightLater(call, insight, { mode, dashboard: input.from_dashboard });
  return { later: async () => ({ status: 200, body: await answer() }) };
};

/** I3: the path takes numbers only. Nothing is shared here, so the token opens nothing. */
export const showSharing: Handler<typeof insights.sharing> = async ({ input, dialect, store }) => {
  if (!/^\d+$/.test(input.insight_id)) throw notFound('Insight not found.');
  const { id, document } = await findInsight(store, input.insight_id, { dialect });
  const sharing = {
    created_at: document.created_at,
    enabled: false,
    access_token: uuidOf('sharing', id).replaceAll('-', ''),
  };
  const beyond = { settings: null, password_required: false, share_passwords: [] };
  return { status: 200, body: dialect === 'live' ? { ...sharing, ...beyond } : sharing };
};

/** I6 */
export const refuseDeletion: Handler<typeof insights.delete> = async () => ({ status: 405 });

/** I7: shaped like an insight in the specification, and like access controls in the live service. */
export const showAccessControls: Handler<typeof insights.accessControls> = async (call) => {
  const { input, dialect, store } = call;
  const insight = await findInsight(store, input.id, { dialect });
  if (dialect === 'specification') return { status: 200, body: await insightWithResult(call, insight) };
  const body = {
    access_controls: [],
    available_access_levels: ['none', 'viewer', 'editor', 'manager'],
    default_access_level: 'editor',
    minimum_access_level: 'none',
    maximum_access_level: 'manager',
    user_access_level: 'editor',
    user_can_edit_access_levels: false,
    inherited_access: null,
  };
  return { status: 200, body };
};

/** I9: the live service knows global access controls of projects only. */
export const showGlobalAccessControls: Handler<typeof insights.globalAccessControls> = async (call) => {
  const { input, dialect, store } = call;
  const insight = await findInsight(store, input.id, { dialect });
  if (dialect === 'specification') return { status: 200, body: await insightWithResult(call, insight) };
  throw new Refusal(400, 'Global access controls exist for projects only.', {
    type: 'validation_error',
    code: 'invalid_input',
  });
};

/** I8 */
export const showInsightActivity: Handler<typeof insights.activity> = async (call) => {
  const { id } = await findInsight(call.store, call.input.id, { dialect: call.dialect });
  return { status: 200, body: await activityPage(call, { scope: 'Insight', itemId: id }) };
};

/** I11 */
export const showInsightsActivity: Handler<typeof insights.allActivity> = async (call) => {
  return { status: 200, body: await activityPage(call, { scope: 'Insight' }) };
};

/** I10: one insight in the path, or in the live service a list of which the unknown are dropped. */
export const markViewed: Handler<typeof insights.viewed> = async ({ input, dialect, store, now }) => {
  const viewer = { userId: OPERATOR.id, now };
  if (dialect === 'specification') {
    const { id } = await findInsight(store, input.id, { dialect });
    await recordViews(store, [id], viewer);
    return { status: 200, body: { success: true } };
  }
  // read-input.ts joins the list, since the row has a single id.
  const wanted = new Set(input.id.split(','));
  const known = (await selectInsights(store)).filter(({ id }) => wanted.has(String(id)));
  await recordViews(
    store,
    known.map(({ id }) => id),
    viewer,
  );
  return { status: 201, body: { success: true } };
};

/** I17 */
export const listLastViewed: Handler<typeof insights.lastViewed> = async ({ store }) => {
  const all = await selectInsights(store);
  const viewed = (await selectViewed(store, OPERATOR.id)).flatMap((id) => {
    const insight = all.find((candidate) => candidate.id === id);
    return insight === undefined || insight.document.deleted ? [] : [basicInsight(insight)];
  });
  return { status: 200, body: viewed.slice(0, LAST_VIEWED) };
};

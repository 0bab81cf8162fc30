import { isObject } from '../../json/kinds.ts';
import type { insights } from '../../service/insights.ts';
import type { Insight } from '../../service/schemas.ts';
import { readRefresh } from '../calculation/ask.ts';
import { OPERATOR, uuidOf, writeMoment } from '../operator.ts';
import { pageOf, readPart } from '../parameters.ts';
import { invalid, invalidRequest, notFound } from '../refusal.ts';
import type { Call, Handler, Handlers } from '../routes.ts';
import {
  type InsightDocument,
  insertInsights,
  newDocument,
  placeOnDashboards,
  recordViews,
  type StoredInsight,
  selectDashboards,
  selectInsights,
  selectViewed,
  updateInsight,
} from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import { type Change, changesOf, recordActivity } from '../store/state.ts';
import {
  calculateFunnel,
  calculateFunnelCorrelation,
  cancelCalculation,
  readOverrides,
  refuseUnknown,
} from './calculate.ts';
import { basicInsight, findInsight, insightLater, insightWithResult } from './insight-answers.ts';
import { activityPage } from './person-answers.ts';

type Fields = Omit<Call<typeof insights.update>['input'], 'id'>;

const NEVER_NULL = ['deleted', 'dashboards', 'tags', 'favorited', 'saved'] as const;

/** I2: nothing is required, and what is not given is empty. */
const createInsight: Handler<typeof insights.create> = async (call) => {
  const { input, store, now } = call;
  await checkFields(store, input);
  const document = newDocument(written(input), { user: OPERATOR, now });
  const id = await insertInsights(store, [document]);
  await placeOnDashboards(store, id, (input.dashboards ?? []).map(BigInt));
  const insight = await reread(store, id);
  await log(call, insight, 'created', []);
  return { status: 201, body: await insightWithResult(call, insight) };
};

/** I5: only what is given changes. Deleting takes an insight off its dashboards; restoring finds it again. */
const changeInsight: Handler<typeof insights.update> = async (call) => {
  const { input, dialect, store, now } = call;
  await checkFields(store, input);
  const insight = await findInsight(store, input.id, { dialect, withDeleted: input.deleted === false });
  const fields = written(input);
  const document: InsightDocument = {
    ...insight.document,
    // The live service saves whatever is changed.
    ...(dialect === 'live' ? { saved: true } : {}),
    ...fields,
    updated_at: writeMoment(now),
    last_modified_at: writeMoment(now),
    last_modified_by: OPERATOR,
  };
  await updateInsight(store, insight.id, document);
  if (input.dashboards !== undefined)
    await placeOnDashboards(store, insight.id, input.dashboards.map(BigInt));
  if (document.deleted) await placeOnDashboards(store, insight.id, []);
  const changed = await reread(store, insight.id);
  await log(call, changed, activityOf(insight, changed), changesOf(insight.document, fields));
  return { status: 200, body: await insightWithResult(call, changed) };
};

async function checkFields(store: Store, fields: Fields): Promise<void> {
  const wrong = NEVER_NULL.find((name) => fields[name] === null);
  if (wrong !== undefined) throw invalid(wrong, 'This field may not be null.', 'null');
  const { query, dashboards } = fields;
  if (query !== undefined && query !== null && !(isObject(query) && typeof query.kind === 'string')) {
    throw invalid('query', 'A query needs a kind.');
  }
  if (isObject(query)) await refuseUnknown(query);
  if (dashboards === undefined) return;
  const known = await selectDashboards(store);
  const unknown = dashboards.find((id) => !known.has(BigInt(id)));
  if (unknown !== undefined)
    throw invalid('dashboards', `Dashboard ${unknown} does not exist.`, 'does_not_exist');
}

function written(input: Fields & { readonly id?: string }): Partial<InsightDocument> {
  const { id: _, dashboards: __, ...fields } = input;
  // The other parameters of the row are fields of the document, which may be null.
  return fields as Partial<InsightDocument>;
}

async function reread(store: Store, id: bigint): Promise<StoredInsight> {
  const insight = (await selectInsights(store)).find((candidate) => candidate.id === id);
  if (insight === undefined) throw new Error(`insight ${id} was written but was not found`);
  return insight;
}

function activityOf(before: StoredInsight, after: StoredInsight): string {
  if (before.document.deleted === after.document.deleted) return 'updated';
  return after.document.deleted ? 'deleted' : 'restored';
}

async function log(
  { store, now }: Pick<Call<typeof insights.create>, 'store' | 'now'>,
  insight: StoredInsight,
  activity: string,
  changes: readonly Change[],
): Promise<void> {
  const { name, derived_name } = insight.document;
  await recordActivity(store, [
    {
      scope: 'Insight',
      itemId: insight.id,
      activity,
      name: name ?? derived_name,
      shortId: insight.shortId,
      changes,
      user: OPERATOR,
      now,
    },
  ]);
}

const SORTABLE = [
  'id',
  'name',
  'created_at',
  'updated_at',
  'last_modified_at',
  'last_viewed_at',
  'favorited',
];

/** I1 */
const listInsights: Handler<typeof insights.list> = async (call) => {
  const { input, dialect, store, address } = call;
  const mode = readRefresh(input.refresh, 'force_cache');
  const all = await selectInsights(store);
  const found = all.filter((insight) => isListed(insight, dialect) || input.saved === false);
  const matching = sortInsights(
    found.filter((insight) => !insight.document.deleted && matches(insight, input)),
    input.order ?? '-last_modified_at',
  );
  const page = pageOf(address, readPart(input), matching);
  const answer = (results: readonly Insight[]) => ({ status: 200, body: { ...page, results } });
  if (input.basic === true) return answer(page.results.map(basicInsight));
  const results: (() => Promise<Insight>)[] = [];
  for (const insight of page.results) results.push(await insightLater(call, insight, { mode }));
  return { later: async () => answer(await Promise.all(results.map((result) => result()))) };
};

/** The live service lists what was saved or stands on a dashboard. */
function isListed({ document, tiles }: StoredInsight, dialect: 'live' | 'specification'): boolean {
  return dialect === 'specification' || document.saved || tiles.length > 0;
}

function matches({ shortId, document }: StoredInsight, input: Call<typeof insights.list>['input']): boolean {
  const { short_id, created_by, search, saved, favorited } = input;
  if (short_id !== undefined && short_id !== shortId) return false;
  if (created_by !== undefined && created_by !== document.created_by.id) return false;
  if (saved !== undefined && saved !== document.saved) return false;
  if (favorited === true && !document.favorited) return false;
  const texts = [document.name, document.derived_name, document.description, ...document.tags];
  const wanted = (search ?? '').toLowerCase();
  return wanted === '' || texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

function sortInsights(found: readonly StoredInsight[], order: string): readonly StoredInsight[] {
  const field = order.replace(/^-/, '');
  if (!SORTABLE.includes(field))
    throw invalid('order', `"${order}" is not a valid choice.`, 'invalid_choice');
  const sign = order.startsWith('-') ? -1 : 1;
  const keys = new Map(found.map((insight) => [insight, sortKey(insight, field)]));
  return found.toSorted((one, other) => {
    const [left, right] = [keys.get(one) ?? '', keys.get(other) ?? ''];
    if (left !== right) return left < right ? -sign : sign;
    return one.id < other.id ? 1 : -1;
  });
}

function sortKey(insight: StoredInsight, field: string): string {
  // Padded, so that numbers sort as numbers among texts.
  if (field === 'id') return String(insight.id).padStart(20, '0');
  const value = basicInsight(insight)[field];
  return typeof value === 'string' ? value.toLowerCase() : String(value ?? '');
}

const LAST_VIEWED = 5;

/** I4 */
const getInsight: Handler<typeof insights.get> = async (call) => {
  const { input, dialect, store } = call;
  const insight = await findInsight(store, input.id, { dialect });
  const mode = readRefresh(input.refresh, 'force_cache');
  const overrides = readOverrides(input);
  const answer = await insightLater(call, insight, { mode, dashboard: input.from_dashboard, overrides });
  return { later: async () => ({ status: 200, body: await answer() }) };
};

/** I3: the path takes numbers only. Nothing is shared here, so the token opens nothing. */
const showSharing: Handler<typeof insights.sharing> = async ({ input, dialect, store }) => {
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

/** I7: shaped like an insight in the specification, and like access controls in the live service. */
const showAccessControls: Handler<typeof insights.accessControls> = async (call) => {
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
const showGlobalAccessControls: Handler<typeof insights.globalAccessControls> = async (call) => {
  const { input, dialect, store } = call;
  const insight = await findInsight(store, input.id, { dialect });
  if (dialect === 'specification') return { status: 200, body: await insightWithResult(call, insight) };
  throw invalidRequest('Global access controls exist for projects only.');
};

/** I8 */
const showInsightActivity: Handler<typeof insights.activity> = async (call) => {
  const { id } = await findInsight(call.store, call.input.id, { dialect: call.dialect });
  return { status: 200, body: await activityPage(call, { scope: 'Insight', itemId: id }) };
};

/** I10: one insight in the path, or in the live service a list of which the unknown are dropped. */
const markViewed: Handler<typeof insights.viewed> = async ({ input, dialect, store, now }) => {
  const viewer = { userId: OPERATOR.id, now };
  if (dialect === 'specification') {
    const { id } = await findInsight(store, input.id, { dialect });
    await recordViews(store, [id], viewer);
    return { status: 200, body: { success: true } };
  }
  // parameters.ts joins the list, since the row has a single id.
  const wanted = new Set(input.id.split(','));
  const known = (await selectInsights(store)).filter(({ id }) => wanted.has(String(id)));
  await recordViews(
    store,
    known.map(({ id }) => id),
    viewer,
  );
  return { status: 201 };
};

/** I17 */
const listLastViewed: Handler<typeof insights.lastViewed> = async ({ store }) => {
  const all = await selectInsights(store);
  const viewed = (await selectViewed(store, OPERATOR.id)).flatMap((id) => {
    const insight = all.find((candidate) => candidate.id === id);
    return insight === undefined || insight.document.deleted ? [] : [basicInsight(insight)];
  });
  return { status: 200, body: viewed.slice(0, LAST_VIEWED) };
};

/** I1 to I17. */
export const insightHandlers = {
  list: listInsights,
  create: createInsight,
  sharing: showSharing,
  get: getInsight,
  update: changeInsight,
  delete: async () => ({ status: 405 }),
  accessControls: showAccessControls,
  activity: showInsightActivity,
  globalAccessControls: showGlobalAccessControls,
  viewed: markViewed,
  allActivity: async (call) => ({ status: 200, body: await activityPage(call, { scope: 'Insight' }) }),
  cancel: cancelCalculation,
  funnelGet: calculateFunnel,
  funnel: calculateFunnel,
  funnelCorrelationGet: calculateFunnelCorrelation,
  funnelCorrelation: calculateFunnelCorrelation,
  lastViewed: listLastViewed,
} satisfies Handlers<typeof insights>;

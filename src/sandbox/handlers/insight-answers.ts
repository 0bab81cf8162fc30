import type { JsonObject } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/text.ts';
import type { Dialect } from '../../service/endpoint.ts';
import type { Insight } from '../../service/schemas.ts';
import {
  type Asking,
  ask,
  narrowQuery,
  type Overrides,
  queryOf,
  type RefreshMode,
  type Response,
  writeAges,
} from '../calculation/ask.ts';
import { failedStatus } from '../calculation/calculations.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type StoredInsight, selectDashboards, selectInsights } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import { readState } from '../store/state.ts';

/** Everyone in the project can edit, and the operator may do everything: levels as the service numbers them. */
const RESTRICTION_LEVEL = 21;

const PRIVILEGE_LEVEL = 37;

const NO_RESULT = {
  last_refresh: null,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  result: null,
  hasMore: null,
  columns: null,
  is_cached: false,
  query_status: null,
  hogql: null,
  types: null,
} as const;

/** An insight without its result, as lists and short lists show it. */
export function basicInsight({ id, shortId, document, tiles, lastViewedAt }: StoredInsight): Insight {
  const { name, derived_name, filters, query, order, deleted, is_sample: _, ...others } = document;
  return {
    id: toJsonInteger(id),
    short_id: shortId,
    name,
    derived_name,
    filters,
    query,
    order,
    deleted,
    dashboards: tiles.map(({ dashboardId }) => toJsonInteger(dashboardId)),
    dashboard_tiles: tiles.map((tile) => ({
      id: toJsonInteger(tile.id),
      dashboard_id: toJsonInteger(tile.dashboardId),
      deleted: false,
    })),
    ...others,
    last_viewed_at: lastViewedAt,
    last_refresh: null,
    user_access_level: 'editor',
  };
}

/**
 * The insight with a number; the live service takes short ids as well, and tries digits as a number first. A deleted
 * one is found in the specification, whose record remains, and in the live service only `withDeleted`.
 * Throws a `Refusal` 404.
 */
export async function findInsight(
  store: Store,
  id: string,
  { dialect, withDeleted = false }: { readonly dialect: Dialect; readonly withDeleted?: boolean },
): Promise<StoredInsight> {
  const insights = await selectInsights(store);
  const byNumber = insights.find((insight) => String(insight.id) === id);
  const byShortId = dialect === 'live' ? insights.find(({ shortId }) => shortId === id) : undefined;
  const insight = byNumber ?? byShortId;
  const isHidden = insight?.document.deleted === true && dialect === 'live' && !withDeleted;
  if (insight === undefined || isHidden) throw notFound('Insight not found.');
  return insight;
}

type Showing = {
  readonly mode?: RefreshMode;
  readonly dashboard?: number | undefined;
  /** Its filters stand in the place of the dashboard's. */
  readonly overrides?: Overrides;
};

/**
 * An insight with its result, on its own or on a dashboard. The function it returns waits if the mode waits, and
 * is called outside of the turn. Throws a `Refusal` 404 for an unknown dashboard.
 */
export async function insightLater(
  asking: Asking,
  insight: StoredInsight,
  { mode = 'force_cache', dashboard, overrides = {} }: Showing = {},
): Promise<() => Promise<Insight>> {
  const { store, dialect } = asking;
  const { project } = await readState(store);
  const dashboardId = dashboard === undefined ? undefined : BigInt(dashboard);
  const filters = dashboardId === undefined ? {} : (await selectDashboards(store)).get(dashboardId);
  if (filters === undefined) throw notFound('Dashboard not found.');
  const write = (result?: JsonObject): Insight => ({
    ...basicInsight(insight),
    ...NO_RESULT,
    ...result,
    is_sample: insight.document.is_sample,
    effective_restriction_level: RESTRICTION_LEVEL,
    effective_privilege_level: PRIVILEGE_LEVEL,
    timezone: project.timezone ?? 'UTC',
    ...(dialect === 'live' ? { resolved_date_range: null, alerts: [] } : {}),
  });
  const query = queryOf(insight);
  if (query === undefined) return async () => write();
  const about = narrowQuery(query, { filters, ...overrides });
  const labels = { insightId: insight.id, dashboardId };
  try {
    const answer = await ask(asking, { about, mode, labels });
    return async () => write(resultFields(await answer()));
  } catch (fault) {
    // As in the service, an insight that cannot be calculated is still an answer.
    if (!(fault instanceof Refusal)) throw fault;
    return async () => write({ query_status: failedStatus(fault, labels) });
  }
}

/** An insight with the result that it has; nothing is calculated. */
export async function insightWithResult(asking: Asking, insight: StoredInsight): Promise<Insight> {
  return (await insightLater(asking, insight))();
}

function resultFields({ result, isCached, status }: Response): JsonObject {
  if (result === undefined) return { query_status: status };
  const { results = null, columns = null, types = null, hasMore = null, hogql = null } = result.document;
  return {
    result: results,
    columns,
    types,
    hasMore,
    hogql,
    ...writeAges(result),
    is_cached: isCached,
    query_status: status,
  };
}

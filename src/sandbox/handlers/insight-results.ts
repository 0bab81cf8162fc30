import type { Insight } from '../../api/schemas.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { type Asking, ask, type Response } from '../calculation/ask.ts';
import { type RefreshMode, writeAges } from '../calculation/freshness.ts';
import { inquiryOf } from '../calculation/insight-inquiry.ts';
import { failedStatus } from '../calculation/query-status.ts';
import { notFound, Refusal } from '../refusal.ts';
import { selectDashboardFilters } from '../store/dashboards.ts';
import type { StoredInsight } from '../store/insights.ts';
import { readState } from '../store/state.ts';
import { fullInsight } from './insight-answers.ts';

type Showing = { readonly mode?: RefreshMode; readonly dashboard?: number | undefined };

/**
 * An insight with its result, on its own or on a dashboard. What it returns waits where the mode waits, and is called
 * outside of the turn. Throws a `Refusal` 404 for an unknown dashboard.
 */
export async function insightLater(
  asking: Asking,
  insight: StoredInsight,
  { mode = 'force_cache', dashboard }: Showing = {},
): Promise<() => Promise<Insight>> {
  const { store, dialect } = asking;
  const { project } = await readState(store);
  const dashboardId = dashboard === undefined ? undefined : BigInt(dashboard);
  const filters = dashboardId === undefined ? {} : await selectDashboardFilters(store, dashboardId);
  if (filters === undefined) throw notFound('Dashboard not found.');
  const timezone = project.timezone ?? 'UTC';
  const write = (result: JsonObject | undefined) => fullInsight(insight, { result, timezone, dialect });
  const inquiry = inquiryOf(insight, filters);
  if (inquiry === undefined) return async () => write(undefined);
  const labels = { insightId: insight.id, dashboardId };
  try {
    const answer = await ask(asking, { ...inquiry, mode, labels });
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

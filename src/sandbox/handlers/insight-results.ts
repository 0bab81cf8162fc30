import type { Dialect } from '../../api/endpoint.ts';
import type { Insight } from '../../api/schemas.ts';
import { notCalculated, notFound } from '../refusal.ts';
import { selectDashboardIds } from '../store/dashboards.ts';
import { type StoredInsight, selectResult } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import { readState } from '../store/state.ts';
import { fullInsight } from './insight-answers.ts';

const CALCULATING = [
  'blocking',
  'async',
  'lazy_async',
  'force_blocking',
  'force_async',
  'async_except_on_cache_miss',
  // The live service takes these for force_blocking.
  'true',
  '',
];

/** Only stored results are served. Throws a `Refusal` 501 for a mode that would calculate. */
export function checkRefresh(refresh: string | undefined): void {
  if (refresh === undefined || !CALCULATING.includes(refresh)) return;
  throw notCalculated(`Calculate an insight with refresh=${refresh}`);
}

/** An insight with its stored result, or the one it has on a dashboard. Throws a `Refusal` 404 for an unknown one. */
export async function insightWithResult(
  { store, dialect }: { readonly store: Store; readonly dialect: Dialect },
  insight: StoredInsight,
  dashboard?: number,
): Promise<Insight> {
  const dashboardId = dashboard === undefined ? undefined : BigInt(dashboard);
  if (dashboardId !== undefined && !(await selectDashboardIds(store)).has(dashboardId)) {
    throw notFound('Dashboard not found.');
  }
  const result = await selectResult(store, insight.id, dashboardId);
  const { project } = await readState(store);
  return fullInsight(insight, { result, timezone: project.timezone ?? 'UTC', dialect });
}

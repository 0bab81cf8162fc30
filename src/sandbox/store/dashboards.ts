import { isObject, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import { takeNumbers } from './counters.ts';
import { integerOf, jsonOf, type Store } from './open-store.ts';

/** The numbers of all dashboards. */
export async function selectDashboardIds(store: Store): Promise<ReadonlySet<bigint>> {
  const rows = await store.rows('select id from store.dashboards');
  return new Set(rows.map((row) => integerOf(row, 'id')));
}

/** What a dashboard narrows its insights by; undefined where there is no such dashboard. */
export async function selectDashboardFilters(store: Store, id: bigint): Promise<JsonObject | undefined> {
  const [row] = await store.rows('select document::varchar as document from store.dashboards where id = $1', [
    id,
  ]);
  if (row === undefined) return undefined;
  const document = jsonOf(row, 'document');
  const filters = isObject(document) ? document.filters : undefined;
  return isObject(filters) ? filters : {};
}

/** Adds a dashboard. */
export async function insertDashboard(store: Store, id: bigint, document: JsonObject): Promise<void> {
  await store.run('insert into store.dashboards values ($1, $2)', [id, writeJson(document)]);
}

/** Puts an insight on these dashboards and on no other; a tile that stays keeps its number. */
export async function placeOnDashboards(
  store: Store,
  insightId: bigint,
  dashboardIds: readonly bigint[],
): Promise<void> {
  const rows = await store.rows('select dashboard_id from store.dashboard_tiles where insight_id = $1', [
    insightId,
  ]);
  const present = new Set(rows.map((row) => integerOf(row, 'dashboard_id')));
  for (const id of present) {
    if (dashboardIds.includes(id)) continue;
    await store.run('delete from store.dashboard_tiles where insight_id = $1 and dashboard_id = $2', [
      insightId,
      id,
    ]);
  }
  for (const id of new Set(dashboardIds)) {
    if (present.has(id)) continue;
    const tile = await takeNumbers(store, 'dashboard tile');
    await store.run('insert into store.dashboard_tiles values ($1, $2, $3)', [tile, id, insightId]);
  }
}

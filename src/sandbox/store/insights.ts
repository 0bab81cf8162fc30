import { asObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { type Moment, shortIdOf, type User, writeMoment } from '../operator.ts';
import { integerOf, jsonOf, listedNumbers, type Readable, type Store, textOf } from './open-store.ts';
import type { SqlRow } from './session.ts';
import { takeNumbers } from './state.ts';

/** What is written down of an insight, in the spelling of the service. */
export type InsightDocument = {
  readonly name: string | null;
  readonly derived_name: string | null;
  readonly filters: Json;
  readonly query: Json;
  readonly order: number | null;
  readonly deleted: boolean;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly favorited: boolean;
  readonly saved: boolean;
  readonly created_at: string;
  readonly created_by: JsonObject;
  readonly updated_at: string;
  readonly last_modified_at: string;
  readonly last_modified_by: JsonObject;
  readonly is_sample: boolean;
};

/** What a new insight holds besides what is given. */
export function newDocument(
  given: Partial<InsightDocument>,
  { user, now }: { readonly user: User; readonly now: Moment },
): InsightDocument {
  const moment = writeMoment(now);
  return {
    name: null,
    derived_name: null,
    filters: {},
    query: null,
    order: null,
    deleted: false,
    description: null,
    tags: [],
    favorited: false,
    saved: false,
    created_at: moment,
    created_by: user,
    updated_at: moment,
    last_modified_at: moment,
    last_modified_by: user,
    is_sample: false,
    ...given,
  };
}

export type StoredInsight = Readonly<ReturnType<typeof toInsight>>;

/** All insights, the deleted ones too, in no order. */
export async function selectInsights(store: Store): Promise<readonly StoredInsight[]> {
  const rows = await store.rows('select id, short_id, document::varchar as document from store.insights');
  const tiles = await store.rows(
    'select id, dashboard_id, insight_id from store.dashboard_tiles order by id',
  );
  const views = await store.rows(
    'select insight_id, max(epoch_us(viewed_at)) as viewed_at from store.insight_views group by insight_id',
  );
  return rows.map((row) => toInsight(row, tiles, views));
}

function toInsight(row: SqlRow, tiles: readonly SqlRow[], views: readonly SqlRow[]) {
  const id = integerOf(row, 'id');
  const own = (other: SqlRow) => integerOf(other, 'insight_id') === id;
  const view = views.find(own);
  return {
    id,
    shortId: textOf(row, 'short_id'),
    // Only this file writes documents, in this type.
    document: jsonOf(row, 'document') as InsightDocument,
    tiles: tiles
      .filter(own)
      .map((tile) => ({ id: integerOf(tile, 'id'), dashboardId: integerOf(tile, 'dashboard_id') })),
    /** The last view by any user. */
    lastViewedAt: view === undefined ? null : writeMoment(integerOf(view, 'viewed_at')),
  };
}

/** Adds insights under new numbers; answers the first of them. */
export async function insertInsights(store: Store, documents: readonly InsightDocument[]): Promise<bigint> {
  const first = await takeNumbers(store, 'insight', documents.length);
  const rows = documents.map((document, index) => {
    const id = first + BigInt(index);
    return [id, shortIdOf(id), writeJson(document)];
  });
  await store.append('insights', rows);
  return first;
}

/** Writes an insight again. */
export async function updateInsight(store: Store, id: bigint, document: InsightDocument): Promise<void> {
  await store.run('update store.insights set document = $2 where id = $1', [id, writeJson(document)]);
}

/** Records that a user viewed insights. */
export async function recordViews(
  store: Store,
  insightIds: readonly bigint[],
  { userId, now }: { readonly userId: number; readonly now: Moment },
): Promise<void> {
  const viewed = `insight_id in ${listedNumbers(insightIds)} and user_id = $1`;
  await store.run(`delete from store.insight_views where ${viewed}`, [userId]);
  await store.append(
    'insight_views',
    insightIds.map((id) => [id, userId, now]),
  );
}

/** The insights that a user viewed, the last one first. */
export async function selectViewed(store: Store, userId: number): Promise<readonly bigint[]> {
  const rows = await store.rows(
    'select insight_id from store.insight_views where user_id = $1 order by viewed_at desc, rowid desc',
    [BigInt(userId)],
  );
  return rows.map((row) => integerOf(row, 'insight_id'));
}

/** What each dashboard narrows its insights by, by the dashboard's number. */
export async function selectDashboards(store: Store): Promise<ReadonlyMap<bigint, JsonObject>> {
  const rows = await store.rows('select id, document::varchar as document from store.dashboards');
  return new Map(
    rows.map((row) => [integerOf(row, 'id'), asObject(asObject(jsonOf(row, 'document'))?.filters) ?? {}]),
  );
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
  await store.run(
    `delete from store.dashboard_tiles
     where insight_id = $1 and dashboard_id not in ${listedNumbers(dashboardIds)}`,
    [insightId],
  );
  const rows = await store.rows(
    'select dashboard_id as id from store.dashboard_tiles where insight_id = $1',
    [insightId],
  );
  const present = new Set(rows.map((row) => integerOf(row, 'id')));
  for (const id of new Set(dashboardIds)) {
    if (present.has(id)) continue;
    const tile = await takeNumbers(store, 'dashboard tile');
    await store.run('insert into store.dashboard_tiles values ($1, $2, $3)', [tile, id, insightId]);
  }
}

/** A result that was calculated before. Outdated: persons or events have changed since. */
export type StoredResult = {
  readonly calculatedAt: Moment;
  readonly isOutdated: boolean;
  readonly document: JsonObject;
};

/** The result of a question, undefined if it was never calculated. */
export async function selectResult(store: Readable, key: string): Promise<StoredResult | undefined> {
  const [row] = await store.rows(
    `select epoch_us(calculated_at) as calculated_at, is_outdated, document::varchar as document
     from store.results where key = $1`,
    [key],
  );
  if (row === undefined) return undefined;
  return {
    calculatedAt: integerOf(row, 'calculated_at'),
    isOutdated: row.is_outdated === true,
    // Results are written as objects only.
    document: jsonOf(row, 'document') as JsonObject,
  };
}

/** Keeps a result in place of the one before it. */
export async function saveResult(
  store: Store,
  key: string,
  { calculatedAt, isOutdated, document }: StoredResult,
): Promise<void> {
  await store.run('delete from store.results where key = $1', [key]);
  await store.run('insert into store.results values ($1, make_timestamp($2::bigint), $3, $4)', [
    key,
    calculatedAt,
    isOutdated,
    writeJson(document),
  ]);
}

/** Marks all results as older than the data. */
export async function outdateResults(store: Store): Promise<void> {
  await store.run('update store.results set is_outdated = true where not is_outdated');
}

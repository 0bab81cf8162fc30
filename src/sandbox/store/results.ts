import type { JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { Moment } from '../clock.ts';
import { integerOf, jsonOf, type Readable, type Store } from './open-store.ts';

/** A result that was calculated before. Outdated: persons or events have changed since. */
export type StoredResult = {
  readonly calculatedAt: Moment;
  readonly isOutdated: boolean;
  readonly document: JsonObject;
};

/** The result of a question, undefined where it was never calculated. */
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

import { isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { Moment } from '../clock.ts';
import { writeMoment } from '../clock.ts';
import { uuidOf } from '../identifiers.ts';
import { takeNumbers } from './counters.ts';
import { integerOf, jsonOf, type Store } from './open-store.ts';

export type Change = {
  readonly action: 'created' | 'changed' | 'deleted' | 'split';
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
};

export type Activity = {
  readonly scope: 'Person' | 'Insight';
  readonly itemId: bigint;
  readonly activity: string;
  readonly name: string | null;
  readonly shortId?: string;
  readonly changes?: readonly Change[];
  readonly user: { readonly first_name: string; readonly email: string };
  readonly now: Moment;
};

/** Writes entries into the activity log. */
export async function recordActivity(store: Store, activities: readonly Activity[]): Promise<void> {
  if (activities.length === 0) return;
  const first = await takeNumbers(store, 'activity', activities.length);
  const numbers = activities.map((_, index) => first + BigInt(index));
  const entries = activities.map((activity, index) => entryOf(activity, first + BigInt(index)));
  await store.append('activity', [
    { type: 'integer', values: numbers },
    { type: 'text', values: activities.map(({ scope }) => scope) },
    { type: 'text', values: activities.map(({ itemId }) => String(itemId)) },
    { type: 'moment', values: activities.map(({ now }) => now) },
    { type: 'text', values: entries.map(writeJson) },
  ]);
}

function entryOf(activity: Activity, id: bigint): JsonObject {
  return {
    id: uuidOf('activity', id),
    user: { first_name: activity.user.first_name, email: activity.user.email },
    activity: activity.activity,
    scope: activity.scope,
    item_id: String(activity.itemId),
    created_at: writeMoment(activity.now),
    detail: {
      name: activity.name,
      short_id: activity.shortId ?? null,
      type: null,
      changes: (activity.changes ?? []).map((change) => ({ type: activity.scope, ...change })),
      merge: null,
      trigger: null,
    },
  };
}

/** One page of the activity log, newest first, and how many entries there are in all. */
export async function selectActivity(
  store: Store,
  which: {
    readonly scope: Activity['scope'];
    readonly itemId?: bigint;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{ readonly total: number; readonly entries: readonly JsonObject[] }> {
  const item = which.itemId === undefined ? null : String(which.itemId);
  const condition = 'scope = $1 and ($2::varchar is null or item_id = $2::varchar)';
  const [counted] = await store.rows(`select count(*) as total from store.activity where ${condition}`, [
    which.scope,
    item,
  ]);
  const rows = await store.rows(
    `select entry::varchar as entry from store.activity where ${condition}
     order by created_at desc, id desc limit ${which.limit} offset ${which.offset}`,
    [which.scope, item],
  );
  return {
    total: Number(integerOf(counted, 'total')),
    entries: rows.map((row) => jsonOf(row, 'entry')).filter(isObject),
  };
}

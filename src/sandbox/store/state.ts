import { isObject, type Json, type JsonObject, ownValue } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { type Moment, uuidOf, writeMoment } from '../operator.ts';
import {
  countRows,
  integerOf,
  jsonOf,
  type Readable,
  SCHEMA_VERSION,
  type Store,
  textOf,
} from './open-store.ts';

/** What the sandbox knows about itself: its clock, its project, and from what it can be made again. */
type State = {
  readonly now: Moment;
  readonly firstNow: Moment;
  /** `sample`, `empty`, or the loaded content as JSON text. */
  readonly seed: string;
  readonly project: JsonObject;
};

/** Reads the state. */
export async function readState(store: Readable): Promise<State> {
  const select = 'select seed, first_now, now, project::varchar as project from store.sandbox';
  const [row] = await store.keptRows(select);
  const project = jsonOf(row, 'project');
  return {
    now: integerOf(row, 'now'),
    firstNow: integerOf(row, 'first_now'),
    seed: textOf(row, 'seed'),
    project: isObject(project) ? project : {},
  };
}

/** Writes the state of a new sandbox, which has given out no numbers yet. */
export async function writeState(store: Store, state: State): Promise<void> {
  await store.run('insert into store.sandbox values ($1, $2, $3, $4, $5)', [
    SCHEMA_VERSION,
    state.seed,
    state.firstNow,
    state.now,
    writeJson(state.project),
  ]);
  await store.append(
    'counters',
    COUNTERS.map((name) => [name, 0]),
  );
}

/** Moves the clock. */
export async function setClock(store: Store, now: Moment): Promise<void> {
  await store.run('update store.sandbox set now = $1', [now]);
}

const COUNTERS = ['person', 'event', 'activity', 'event deletion', 'insight', 'dashboard tile'] as const;

type CounterName = (typeof COUNTERS)[number];

/** Takes `count` numbers that were never given out before, and answers the first. */
export async function takeNumbers(store: Store, name: CounterName, count = 1): Promise<bigint> {
  const last = await raise(store, name, 'value + $2', count);
  return last - BigInt(count) + 1n;
}

/** Makes sure that numbers up to `value` are not given out. */
export async function reserveNumbers(store: Store, name: CounterName, value: bigint): Promise<void> {
  await raise(store, name, 'greatest(value, $2)', value);
}

/** Raises a counter, which is the last number that was given out. */
async function raise(store: Store, name: CounterName, to: string, by: bigint | number): Promise<bigint> {
  const raised = `update store.counters set value = ${to} where name = $1 returning value`;
  const [row] = await store.rows(raised, [name, by]);
  return integerOf(row, 'value');
}

export type Change = {
  readonly action: 'created' | 'changed' | 'deleted' | 'split';
  /** Null for a change that is about no single field. */
  readonly field: string | null;
  readonly before?: Json;
  readonly after?: Json;
};

/** What these fields change. */
export function changesOf(before: JsonObject, fields: JsonObject): readonly Change[] {
  return Object.entries(fields).flatMap(([field, after]): readonly Change[] => {
    const old = ownValue(before, field);
    if (old === undefined) return [{ action: 'created', field, before: null, after }];
    return writeJson(old) === writeJson(after) ? [] : [{ action: 'changed', field, before: old, after }];
  });
}

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
  const rows = activities.map((activity, index) => {
    const id = first + BigInt(index);
    const { scope, itemId, now } = activity;
    return [id, scope, String(itemId), now, writeJson(entryOf(activity, id))];
  });
  await store.append('activity', rows);
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
  const rows = await store.rows(
    `select entry::varchar as entry from store.activity where ${condition}
     order by created_at desc, id desc limit ${which.limit} offset ${which.offset}`,
    [which.scope, item],
  );
  return {
    total: await countRows(store, `store.activity where ${condition}`, [which.scope, item]),
    entries: rows.map((row) => jsonOf(row, 'entry')).filter(isObject),
  };
}

export type StoredCohort = {
  readonly id: bigint;
  readonly name: string;
  /** Property filters of persons, or null for a cohort that lists its persons. */
  readonly definition: Json;
};

/** All cohorts, by number. */
export async function selectCohorts(store: Readable): Promise<readonly StoredCohort[]> {
  const rows = await store.rows(
    'select id, name, filters::varchar as filters from store.cohorts order by id',
  );
  return rows.map((row) => ({
    id: integerOf(row, 'id'),
    name: textOf(row, 'name'),
    definition: jsonOf(row, 'filters'),
  }));
}

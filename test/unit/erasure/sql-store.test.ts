import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import type { LookUp } from '../../../src/erasure/people/resolve.ts';
import { openSqlStore } from '../../../src/erasure/people/sql.ts';
import { CliError } from '../../../src/errors.ts';
import { numbered, uuidOf } from './rehearsal.ts';

/** A second store that answers each question but the first with these rows. */
async function answering(...rows: readonly unknown[]) {
  const query = async ({ query }: { readonly query: { readonly query: string } }) => ({
    results: query.query === 'SELECT 1' ? [[1]] : rows,
  });
  // Cast: only the client is asked for here.
  const access = await openSqlStore({ client: async () => ({ query }) } as unknown as Context);
  if (!('store' in access)) throw access.refusal;
  return access.store;
}

type Values = Readonly<Record<string, readonly string[] | string>>;

/** A second store over an event each of some distinct ids, that keeps how many values it was asked about. */
async function open(senders: readonly string[]) {
  const sizes: number[] = [];
  const query = async (input: { readonly query: { readonly query: string; readonly values: Values } }) => {
    const { query: sql, values } = input.query;
    const { distinct_ids: ids = [], uuids = [] } = values;
    sizes.push(ids.length + uuids.length);
    const found = senders.filter((id) => ids.includes(id) || uuids.length > 0);
    if (sql.startsWith('SELECT countIf')) return { results: [[found.length, 0]] };
    if (sql.includes('groupArray')) return { results: [[uuidOf(1), found]] };
    return { results: found.map((id) => [id, uuidOf(1), `2026-01-0${id.length}`]) };
  };
  // Cast: only the client is asked for here.
  const access = await openSqlStore({ client: async () => ({ query }) } as unknown as Context);
  if (!('store' in access)) throw access.refusal;
  return { store: access.store, sizes };
}

test('no statement names more than 1,000 values, and an event that two of them find counts once', async () => {
  const distinctIds = numbered(2500);
  const { store, sizes } = await open(['user-7', 'user-1500', 'user-2400']);
  const subject = { distinctIds, uuids: [uuidOf(1)] };
  expect(await store.countEvents(subject, '2026-01-01T00:00:00Z')).toEqual({ upTo: 3, later: 0 });
  await store.findPersons(subject);
  await store.findOwners(subject);
  const senders = await store.findSenders(subject, '2026-01-01T00:00:00Z');
  expect(senders[0]?.distinctId).toMatch(/user-\d{4}/);
  expect(Math.max(...sizes)).toBe(1000);
});

const subject = { distinctIds: ['a'], uuids: [uuidOf(1)] };
const noon = '2026-01-01T12:00:00Z';

test.each([
  ['no row', []],
  ['a count that is missing', [[3]]],
  ['a count that is none', [[-1, 0]]],
  ['a count as a word', [['many', 0]]],
  ['a count of another kind', [[null, 0]]],
])('events are not counted by %s', async (_, rows) => {
  const store = await answering(...rows);
  await expect(store.countEvents(subject, noon)).rejects.toThrow('the query answered without a count');
});

test('an id that is no text, or ids that are no list, say nothing of an owner', async () => {
  await expect((await answering([1, 2])).findOwners(subject)).rejects.toThrow('something other than an id');
  await expect((await answering(['a', 'b'])).findOwners(subject)).rejects.toThrow('without a list of ids');
});

test('who is not shown has no owner, no date and no person who sends', async () => {
  const store = await answering(['a', null, noon]);
  expect(await store.findSenders(subject, noon)).toEqual([
    { distinctId: 'a', uuid: undefined, lastEvent: noon },
  ]);
  const other = await answering([uuidOf(2), null]);
  expect(await other.findPersons({ distinctIds: [], uuids: [uuidOf(2)] })).toEqual([
    { id: uuidOf(2), uuid: uuidOf(2), createdAt: undefined },
  ]);
  expect(await (await answering()).findOwners(subject)).toEqual(new Map());
});

test.each([
  ['authentication', 403, true],
  ['not-found', 404, true],
  ['refused', 400, true],
  ['unavailable', 405, true],
  ['unavailable', 503, false],
] as const)('a first question that ends as %s with %i is a no: %s', async (kind, status, isRefusal) => {
  const refusal = new CliError(kind, 'no', { status });
  const client = async () => ({ query: () => Promise.reject(refusal) });
  // Cast: only the client is asked for here.
  const access = openSqlStore({ client } as unknown as Context);
  if (isRefusal) expect(await access).toEqual({ refusal });
  else await expect(access).rejects.toBe(refusal);
});

describe('the distinct ids that a look-up of many leaves out', () => {
  const ten = numbered(10);
  const cutOff = { id: 'user-11', uuid: uuidOf(1), distinctIds: ten, mayHaveMore: true };

  /** What comes of a person whom SQL, and a look-up of the person alone, show with these ids. */
  async function complete({ sql, single, most = 500 }: Shown) {
    const query = async ({ query: { query: text } }: { readonly query: { readonly query: string } }) => {
      if (sql === undefined) throw new CliError('authentication', 'no scope');
      if (sql === 'down' || (sql === 'slow' && text !== 'SELECT 1'))
        throw new CliError('unavailable', `SQL is ${sql}`, { status: 503 });
      return { results: text === 'SELECT 1' ? [[1]] : [[uuidOf(1), sql]] };
    };
    const asked: string[] = [];
    const lookUpOne: LookUp = async ({ ids }) => {
      asked.push(...ids);
      return ids.map((id) => ({ id, uuid: id, distinctIds: single }));
    };
    const told: string[] = [];
    const tell = (text: string) => void told.push(text);
    // Cast: nothing else is asked for here.
    const context = { client: async () => ({ query }), note: tell, warn: tell } as unknown as Context;
    const lookUp = withAllIds(async () => [cutOff], { single: lookUpOne, most }, context);
    const [person] = await lookUp({ kind: 'distinct-ids', ids: ['user-11'] });
    return { person, asked, told };
  }

  test('come through SQL', async () => {
    const { person, asked } = await complete({ sql: numbered(12), single: [] });
    expect(person).toMatchObject({ distinctIds: numbered(12), mayHaveMore: false });
    expect(asked).toEqual([]);
  });

  test.each([
    ['SQL does not know the id yet', ten, undefined],
    ['the key may not query', undefined, 'no scope'],
    ['SQL is down', 'down', 'SQL is down'],
    ['SQL fails at the question', 'slow', 'SQL is slow'],
  ] as const)('come from a look-up of the person alone if %s', async (_, sql, reason) => {
    const { person, asked, told } = await complete({ sql, single: numbered(12) });
    expect(person).toMatchObject({ distinctIds: numbered(12), mayHaveMore: false });
    expect(asked).toEqual([uuidOf(1)]);
    const instead = 'persons with many distinct ids are looked up one by one, up to 500.';
    expect(told).toEqual(reason === undefined ? [] : [`SQL is not asked (${reason}): ${instead}`]);
  });

  test.each([undefined, ten])('stay unknown if there are too many such people', async (sql) => {
    const { person, told } = await complete({ sql, single: numbered(12), most: 0 });
    expect(person).toEqual(cutOff);
    expect(told.at(-1)).toContain('more than 0 persons may have further distinct ids');
  });

  test('refuse a person who does not have the id that was asked for', async () => {
    await expect(complete({ sql: ten, single: ten })).rejects.toThrow('does not have the distinct id');
  });
});

type Shown = {
  readonly sql: readonly string[] | 'down' | 'slow' | undefined;
  readonly single: readonly string[];
  readonly most?: number;
};

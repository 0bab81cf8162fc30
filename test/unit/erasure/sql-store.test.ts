import { expect, test } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import type { AskedId } from '../../../src/erasure/people/look.ts';
import { openSqlStore } from '../../../src/erasure/people/sql.ts';
import { CliError } from '../../../src/errors.ts';
import { numbered, uuidOf } from './rehearsal.ts';

type Values = Readonly<Record<string, readonly string[] | string>>;
type Question = { readonly sql: string; readonly values: Values };

/** A second store that answers each question but the first with rows. */
async function open(answer: (question: Question) => readonly unknown[]) {
  const query = async (input: { readonly query: { readonly query: string; readonly values: Values } }) => {
    const { query: sql, values } = input.query;
    return { results: sql === 'SELECT 1' ? [[1]] : answer({ sql, values }) };
  };
  // Cast: only the client is asked for here.
  const access = await openSqlStore({ client: async () => ({ query }) } as unknown as Context);
  if (!('store' in access)) throw access.refusal;
  return access.store;
}

const subject = { distinctIds: ['a'], uuids: [uuidOf(1)] };
const noon = '2026-01-01T12:00:00Z';
const asIds = (ids: readonly string[]) => ids.map((id): AskedId => ({ kind: 'distinct-ids', id }));

test('no statement names more than 1,000 values, and an event that two of them find counts once', async () => {
  const sizes: number[] = [];
  const senders = ['user-7', 'user-1500', 'user-2400'];
  const store = await open(({ sql, values: { distinct_ids: ids = [], uuids = [] } }) => {
    sizes.push(ids.length + uuids.length);
    const found = senders.filter((id) => ids.includes(id) || uuids.length > 0);
    if (sql.startsWith('SELECT countIf')) return [[found.length, 0, 0]];
    if (sql.includes('count()')) return [[uuidOf(9), 5]];
    if (sql.includes('created_at')) return [...uuids].map((uuid) => [uuid, '2026-01-01 00:00:00']);
    if (sql.includes('groupArray')) return [[uuidOf(1), found]];
    return found.map((id) => [id, uuidOf(1), `2026-01-0${id.length}`]);
  });
  const distinctIds = numbered(2500);
  expect(await store.countEvents({ distinctIds, uuids: [uuidOf(1)] }, noon)).toMatchObject({
    upTo: 3,
    later: 0,
  });
  expect((await store.findSenders({ distinctIds, uuids: [] }, noon))[0]?.distinctId).toMatch(/user-\d{4}/);
  const answers = await store.look(asIds(distinctIds), { expect: 'gone' });
  expect(answers.flatMap(({ asked }) => asked.map(({ id }) => id))).toEqual(distinctIds);
  expect(answers.flatMap(({ found }) => found.map(({ asked }) => asked.id))).toEqual(senders);
  expect(answers.every(({ controls }) => controls.every((one) => one))).toBe(true);
  expect(Math.max(...sizes)).toBe(1000);
});

test.each([
  ['no row', [], 'two counts'],
  [
    'a second row',
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
    'two counts',
  ],
  ['a count that is missing', [[3]], 'two counts'],
  ['a time that is missing', [[3, 0]], 'two counts'],
  ['a time that is none', [[3, 0, 'now']], 'a count'],
  ['a count that is none', [[-1, 0, 0]], 'a count'],
  ['a count as a word', [['many', 0, 0]], 'a count'],
  ['a count that is no plain integer', [['1e1', 0, 0]], 'a count'],
  ['a count of another kind', [[null, 0, 0]], 'a count'],
])('events are not counted by %s', async (_, rows, missing) => {
  const store = await open(() => rows);
  await expect(store.countEvents(subject, noon)).rejects.toThrow(`the query answered without ${missing}`);
});

test.each([
  [
    'an id that is no text',
    'person_distinct_ids WHERE distinct_id',
    [['a', 2]],
    'something other than an id',
  ],
  ['a person that is no text', 'FROM persons WHERE', [[1, '2026-01-01']], 'something other than an id'],
  ['ids that are no list', 'groupArray', [[uuidOf(1), 'b']], 'without a list of ids'],
])('%s says nothing of an owner', async (_, part, rows, message) => {
  const good = ({ sql }: Question) => {
    if (sql.includes('count()')) return [[uuidOf(9), 5]];
    return sql.includes('created_at') ? [[uuidOf(1), '2026-01-01 00:00:00']] : [['a', uuidOf(1)]];
  };
  const store = await open((question) => (question.sql.includes(part) ? rows : good(question)));
  await expect(store.look(asIds(['a']), { expect: 'gone' })).rejects.toThrow(message);
});

test('who has no row among the persons is none, whatever distinct ids still name them', async () => {
  const store = await open(({ sql }) => {
    if (sql.includes('count()')) return [[uuidOf(9), 5]];
    if (sql.includes('created_at')) return [[uuidOf(9), '2026-01-01 00:00:00']];
    return sql.includes('groupArray') ? [] : [['a', uuidOf(1)]];
  });
  expect(await store.look(asIds(['a']), { expect: 'gone' })).toMatchObject([{ found: [], controls: [true] }]);
});

test.each([
  ['nobody, and knows of somebody', [[uuidOf(9), 5]], false],
  ['nobody, and has nobody', [[null, 0]], true],
])('an answer that shows %s: its control', async (_, known, control) => {
  const store = await open(({ sql }) => (sql.includes('count()') ? known : []));
  expect(await store.look(asIds(['a']), { expect: 'gone' })).toMatchObject([
    { found: [], controls: [control] },
  ]);
});

test('a sender without a person is shown without one', async () => {
  const store = await open(() => [['a', null, noon]]);
  expect(await store.findSenders(subject, noon)).toEqual([
    { distinctId: 'a', uuid: undefined, lastEvent: noon },
  ]);
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

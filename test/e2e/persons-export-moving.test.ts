import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChance } from '../support/failing-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { people, person, startService, temporaryDirectory } from '../support/service.ts';
import { sqlOver } from '../support/sql-service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

type Person = ReturnType<typeof person>;

/** A list, newest first, that may change before each answer; `fails` is asked which answers are not given. */
function movingList(total: number, { holds }: { readonly holds?: (id: number) => boolean } = {}) {
  const state = {
    list: people(total).toReversed() as Person[],
    before: (_: number) => {},
    fails: (_: number) => false,
    asked: 0,
  };
  const answer = ({ url }: Received): StubAnswer => {
    state.asked += 1;
    if (state.fails(state.asked)) return { status: 503 };
    state.before(state.asked);
    const query = new URL(url, 'http://stub').searchParams;
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit'))];
    const end = offset + limit;
    const next = end < state.list.length ? `/api/projects/1/persons/?limit=${limit}&offset=${end}` : null;
    return { json: { next, results: state.list.slice(offset, end).filter(({ id }) => holds?.(id) ?? true) } };
  };
  const remove = (count: number) => state.list.splice(0, count);
  let newest = total;
  const add = (count: number) => {
    state.list.unshift(...(people(count, newest + 1).toReversed() as Person[]));
    newest += count;
  };
  return Object.assign(state, { answer, remove, add });
}

/** The numbers of persons, which the last twelve digits of their uuids are. */
const ids = (text: string) => (text.match(/\d{12}/g) ?? []).map(Number);
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
const line = (folder: string, format = 'csv') =>
  `persons export --via list -o ${format} --columns id --no-headers --retries 0 --save ${join(folder, 'out')} --resume ${join(folder, 'state')}`;
const read = (folder: string) => readFileSync(join(folder, 'out'), 'utf8');

describe('an export of a list that moves while it is read', () => {
  it.each([
    ['nobody', 0],
    ['one', 1],
    ['fewer than pages have in common', 19],
  ])('has everybody who is there when before its place go: %s', async (_, count) => {
    const list = movingList(5000);
    list.before = (asked) => void (asked === 3 && list.remove(count));
    const service = await startService([list.answer]);
    const { code, stdout } = await service.hogctl(
      'persons export --via list -o csv --columns id --no-headers',
    );
    expect(code).toBe(0);
    expect(ids(stdout)).toEqual(down(5000, 1));
  });

  it.each([1, 20, 900])('has everybody once when %d come', async (count) => {
    const list = movingList(5000);
    list.before = (asked) => void (asked === 3 && list.add(count));
    const service = await startService([list.answer]);
    const { code, stdout } = await service.hogctl(
      'persons export --via list -o csv --columns id --no-headers',
    );
    expect([code, ids(stdout)]).toEqual([0, down(5000, 1)]);
  });

  it.each([20, 900, 3000])('ends with 8 when %d go, so that its place is not found', async (count) => {
    const list = movingList(5000);
    list.before = (asked) => void (asked === 3 && list.remove(count));
    const service = await startService([list.answer]);
    const { code, stdout, stderr } = await service.hogctl(
      'persons export --via list -o csv --columns id --no-headers',
    );
    expect([code, ids(stdout)]).toEqual([8, down(5000, 3021)]);
    expect(stderr).toContain(
      'error: the list changed while it was read: the last 1000 rows moved, so rows may be missing, on page 3 after 1980 rows\n',
    );
  });
});

describe('an export from the list that is resumed', () => {
  it.each([
    ['when nothing has changed', () => {}],
    ['when some have gone', (list: ReturnType<typeof movingList>) => list.remove(7)],
    ['when some have come', (list: ReturnType<typeof movingList>) => list.add(7)],
    ['when many have come', (list: ReturnType<typeof movingList>) => list.add(900)],
  ])('has everybody once %s', async (_, change) => {
    const list = movingList(5000);
    const service = await startService([list.answer]);
    const folder = temporaryDirectory();
    list.fails = (asked) => asked === 3;
    expect((await service.hogctl(line(folder))).code).toBe(6);
    change(list);
    const { code, stderr } = await service.hogctl(line(folder));
    expect([code, ids(read(folder))]).toEqual([0, down(5000, 1)]);
    expect(stderr).toContain('Continuing after 1980 persons.');
  });

  it('has everybody once where pages are shorter than they might be', async () => {
    const list = movingList(5000, { holds: (id) => id % 50 !== 0 });
    const service = await startService([list.answer]);
    const folder = temporaryDirectory();
    list.fails = (asked) => asked % 2 === 0;
    let runs = 1;
    while ((await service.hogctl(line(folder))).code !== 0 && runs < 50) runs += 1;
    expect(ids(read(folder))).toEqual(down(5000, 1).filter((id) => id % 50 !== 0));
    expect(runs).toBeGreaterThan(3);
  });

  it.each([1, 2, 3, 4])('misses nobody who stays, and has nobody twice: %d', async (seed) => {
    const chance = createChance(seed);
    const list = movingList(12_000);
    const some = (most: number) => Math.floor(chance() ** 3 * most);
    list.before = () => {
      // Whoever goes is anybody, at the place too.
      for (let count = some(18); count > 0; count -= 1) list.list.splice(some(list.list.length), 1);
      if (chance() < 0.5) list.add(some(400));
    };
    list.fails = () => chance() < 0.2;
    const service = await startService([list.answer]);
    const folder = temporaryDirectory();
    let runs = 1;
    while ((await service.hogctl(line(folder, seed % 2 ? 'csv' : 'tsv'))).code !== 0 && runs < 100) runs += 1;
    const found = ids(read(folder));
    expect(new Set(found).size).toBe(found.length);
    const left = list.list.map(({ id }) => id).filter((id) => id <= 12_000);
    expect(left.filter((id) => !found.includes(id))).toEqual([]);
  });

  it('says so where the place is gone, and leaves no file that might pass for a whole one', async () => {
    const list = movingList(5000);
    const service = await startService([list.answer]);
    const folder = temporaryDirectory();
    list.fails = (asked) => asked === 3;
    expect((await service.hogctl(line(folder))).code).toBe(6);
    list.remove(2500);
    const { code, stderr } = await service.hogctl(line(folder));
    expect([code, existsSync(join(folder, 'out'))]).toEqual([8, false]);
    expect(stderr).toContain('the list changed while it was read: the last 1000 rows moved');
    expect(stderr).toContain(`hint: remove ${join(folder, 'state')} to start over`);
  });
});

describe('a selection of persons to delete', () => {
  const select = async (count: number) => {
    const list = movingList(2500);
    list.before = (asked) => void (asked === 2 && list.remove(count));
    const service = await startService([
      (received) => (received.method === 'GET' ? list.answer(received) : { status: 404 }),
    ]);
    const { code } = await service.hogctl(
      `persons bulk-delete --property email~user_ --max 9999 --plan-only --project 1 --yes --confirm 1`,
    );
    const [folder = ''] = runsOf(service);
    return { code, folder };
  };

  it('has everybody who is there when some go while it is read', async () => {
    const { code, folder } = await select(19);
    expect(code).toBe(0);
    // A line names the id that was asked for and, beside it, the person whom the plan found.
    const lines = readFileSync(join(folder, 'ids'), 'utf8').trimEnd().split('\n');
    expect(ids(lines.map((one) => JSON.parse(one)[1]).join())).toEqual(down(2500, 1));
  });

  it.each([30, 700])('plans nothing with 8 when %d go, since others may be missing', async (count) => {
    const { code, folder } = await select(count);
    expect([code, existsSync(join(folder, 'plan.json'))]).toEqual([8, false]);
  });
});

describe('an export from the list', () => {
  it('reads a person again of whom the list names as many distinct ids as it ever does', async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => `id-${1000 + index}`);
    const service = await startService([
      {
        on: 'GET /api/projects/1/persons/',
        json: { next: null, results: [person(2), { ...person(1), distinct_ids: ids.slice(0, 1000) }] },
      },
      {
        on: `GET /api/projects/1/persons/${person(1).uuid}/`,
        json: { ...person(1), distinct_ids: ids },
      },
    ]);
    const { stdout } = await service.hogctl('persons export --via list -o ndjson');
    const counts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).distinct_ids.length);
    expect(counts).toEqual([1, 1001]);
  });
});

it('reads through SQL, and from the list who is dated so far ahead that SQL does not show them', async () => {
  const ahead = people(6, 3).map((one) => ({ ...one, created_at: '2031-01-01T00:00:00Z' }));
  const results = [...ahead.toReversed(), ...people(2).toReversed()];
  const line = 'persons export --via query -o csv --columns id --no-headers';
  const list = { on: /^GET /, times: 9 };
  const service = await startService([{ ...list, json: { next: null, results } }, sqlOver(2)]);
  const { stdout } = await service.hogctl(line);
  expect(stdout.trimEnd().split('\n').sort()).toEqual(people(8).map(({ uuid }) => uuid));
  const closed = { ...list, status: 403, json: { code: 'permission_denied', detail: 'no person:read' } };
  const { code, stderr } = await (await startService([closed, sqlOver(2)])).hogctl(line);
  expect([code, stderr]).toEqual([8, expect.stringContaining('dated more than a day ahead may be missing')]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { resolvePeople } from '../../../src/erasure/people/resolve.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import { allDeleted, carryOut, numbered, planInput, rehearse, toPeople, uuidOf } from './rehearsal.ts';

describe('plan', () => {
  test('counts ids, repeats, calls and what larger batches would save (O-10)', () => {
    const people = [toPeople({ ids: [...numbered(2350), ...numbered(50)] })];
    expect(makePlan(planInput(people, { dialect: 'live' }))).toEqual({
      format: 1,
      project: { id: '7', name: 'Shop' },
      host: 'https://eu.example.test',
      flags: { deleteEvents: false, deleteRecordings: false, keepPerson: false },
      asked: 2400,
      unique: 2350,
      repeats: 50,
      given: [{ kind: 'distinct-ids', count: 2350 }],
      resolved: { found: 2350, nobody: 0, persons: 2350 },
      lookedUpAt: '2026-11-28T12:00:00.000Z',
      leftOut: 0,
      batchSize: 100,
      calls: 24,
      callsSaved: 21,
      seconds: 3,
    });
  });

  test('counts kinds apart', () => {
    const people = [toPeople({ ids: ['1', '2'], kind: 'ids' }), toPeople({ ids: numbered(101) })];
    const plan = makePlan(planInput(people));
    expect(plan.given).toEqual([
      { kind: 'ids', count: 2 },
      { kind: 'distinct-ids', count: 101 },
    ]);
    expect(plan.calls).toBe(2);
    expect(plan.seconds).toBeUndefined();
  });

  test('tells the time by the minute, by the hour, and by the rate', () => {
    const people = [toPeople({ ids: numbered(4801) })];
    const seconds = (more: object) => makePlan(planInput(people, { batchSize: 1, ...more })).seconds;
    expect(seconds({ dialect: 'live' })).toBe(3600);
    expect(seconds({ dialect: 'live', rate: 60 })).toBe(4800);
    expect(seconds({ rate: 4800 })).toBe(60);
  });

  test('refuses what must not be carried out', () => {
    const people = [toPeople({ ids: numbered(3) })];
    const keepPerson = { deleteEvents: false, deleteRecordings: false, keepPerson: true };
    expect(() => makePlan(planInput(people, { max: 2 }))).toThrow('3 ids, more than --max 2');
    expect(() => makePlan(planInput(people, { batchSize: 1001 }))).toThrow('1001');
    expect(() => makePlan(planInput(people, { flags: keepPerson }))).toThrow('--keep-person');
    expect(makePlan(planInput(people, { flags: keepPerson, dialect: 'live' })).flags.keepPerson).toBe(true);
    expect(() => makePlan(planInput([toPeople({})]))).toThrow('no ids');
  });

  test('leaves out ids of nobody, and further ids of the same person', () => {
    const person = { uuid: uuidOf(1), distinctIds: [] };
    const known = [person, null, person, null];
    const plan = makePlan(
      planInput([toPeople({ ids: ['1', '2', uuidOf(1), uuidOf(3)], kind: 'ids', known })]),
    );
    expect(plan).toMatchObject({
      leftOut: 3,
      resolved: { found: 2, nobody: 2, persons: 1 },
    });
  });
});

test('looks ids up 200 at a time, in their order', async () => {
  const { list } = toPeople({ ids: numbered(450) });
  const sizes: number[] = [];
  const call = async (_: unknown, { distinct_ids: ids }: { readonly distinct_ids: readonly string[] }) => {
    sizes.push(ids.length);
    const found = ids.filter((id) => id.endsWith('7'));
    return { results: Object.fromEntries(found.map((id) => [id, { uuid: uuidOf(7), distinct_ids: [id] }])) };
  };
  const context = {
    settings: async () => ({ dialect: 'live' }),
    client: async () => ({ call }),
    progress: () => ({ update() {}, end() {} }),
    options: {},
    signal: new AbortController().signal,
  };
  // Looking up touches nothing else of it.
  const { people } = await resolvePeople([{ list }], {}, context as unknown as Context);
  const [{ resolution } = {}] = people;
  expect(sizes).toEqual([200, 200, 50]);
  expect([resolution?.found, resolution?.nobody]).toEqual([45, 405]);
  expect(resolution?.at(6)).toMatchObject({ uuid: uuidOf(7), distinctIds: ['user-7'] });
  expect(resolution?.at(7)).toBeNull();
});

test('batches cover each id exactly once, in order, none over the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 320 }),
      fc.integer({ min: 1, max: 150 }),
      fc.constantFrom(1, 3, 8),
      async (count, batchSize, concurrency) => {
        const { run, clock } = rehearse({ ids: numbered(count), plan: { batchSize } });
        const { sent } = await carryOut(run, clock, allDeleted, { concurrency });
        expect(sent.flatMap(({ ids }) => ids)).toEqual(numbered(count));
        expect(Math.max(...sent.map(({ ids }) => ids.length))).toBeLessThanOrEqual(batchSize);
      },
    ),
    { numRuns: 15 },
  );
});

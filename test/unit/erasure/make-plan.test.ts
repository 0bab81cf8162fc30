import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listBatches } from '../../../src/erasure/record/entry.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import { createdAt, numbered, planInput, toPeople, uuidOf } from './rehearsal.ts';

describe('plan', () => {
  test('counts ids, repeats, calls and look-ups', () => {
    const people = [toPeople({ ids: [...numbered(2350), ...numbered(50)] })];
    expect(makePlan(planInput(people, { dialect: 'live', batchSize: 100 }))).toEqual({
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
      lookUps: 48,
      seconds: 3,
      lookUp: { isByMany: true, list: true, sql: null },
      lines: { all: 2350, excepted: 0, odd: 0 },
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
    // The live service takes ten times as many in a call.
    expect(makePlan(planInput(people, { dialect: 'live' })).calls).toBe(1);
    expect(plan.seconds).toBeUndefined();
  });

  test('tells the time by the minute, by the hour, by the rate and by the two look-ups after each call', () => {
    const people = [toPeople({ ids: numbered(4801) })];
    const seconds = (more: object) => makePlan(planInput(people, { batchSize: 1, ...more })).seconds;
    expect(seconds({ dialect: 'live' })).toBe(3600);
    // 1202 of them, of which a minute takes 240.
    expect(seconds({ dialect: 'live', batchSize: 8 })).toBe(300);
    expect(seconds({ dialect: 'live', rate: 60 })).toBe(14_402);
    expect(seconds({ rate: 4800 })).toBe(181);
  });

  test('refuses what must not be carried out', () => {
    const people = [toPeople({ ids: numbered(3) })];
    const keepPerson = { deleteEvents: false, deleteRecordings: false, keepPerson: true };
    expect(() => makePlan(planInput(people, { max: 2 }))).toThrow('3 ids, more than --max 2');
    expect(() => makePlan(planInput(people, { batchSize: 1001 }))).toThrow('1001');
    expect(() => makePlan(planInput(people, { flags: keepPerson }))).toThrow('--keep-person');
    expect(makePlan(planInput(people, { flags: keepPerson, dialect: 'live' })).flags.keepPerson).toBe(true);
    expect(makePlan(planInput([toPeople({})]))).toMatchObject({ calls: 0, resolved: { persons: 0 } });
  });

  test('leaves out ids of nobody, and further ids of the same person', () => {
    const person = { uuid: uuidOf(1), createdAt, distinctIds: [] };
    const known = [person, null, person, null];
    const plan = makePlan(
      planInput([toPeople({ ids: ['1', '2', uuidOf(1), uuidOf(3)], kind: 'ids', known })]),
    );
    expect(plan).toMatchObject({
      leftOut: 3,
      resolved: { found: 2, nobody: 2, persons: 1 },
    });
  });

  test('counts nobody whose day of creation is not told, since nothing would tell that it is them later', () => {
    const people = [toPeople({ ids: ['1'], kind: 'ids', known: [{ uuid: uuidOf(1), distinctIds: [] }] })];
    expect(makePlan(planInput(people))).toMatchObject({ resolved: { found: 1, persons: 0 }, calls: 0 });
  });
});

test('batches cover each id exactly once, in order, none with more persons than one call takes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.nat(40)), { minLength: 1, maxLength: 320 }),
      fc.integer({ min: 1, max: 150 }),
      (numbers, perCall) => {
        const ids = numbered(numbers.length);
        const known = numbers.map((one, at) =>
          one === null ? null : { uuid: uuidOf(one), distinctIds: [ids[at] ?? ''] },
        );
        // Every second person is named by their UUID as well.
        const uuids = [...new Set(known.flatMap((one) => one?.uuid ?? []))].filter((_, at) => at % 2 === 0);
        const byUuid = uuids.map((uuid) => ({ uuid, distinctIds: [] }));
        const people = [toPeople({ ids, known }), toPeople({ ids: uuids, known: byUuid, kind: 'ids' })];
        const batches = [...listBatches(people, perCall)];
        const all = batches.flatMap(({ entries }) => entries.map(({ id }) => id));
        expect(all.toSorted()).toEqual([...ids, ...uuids].toSorted());
        const sent = batches.map(({ entries }) => [
          ...new Set(entries.flatMap(({ person }) => person?.uuid ?? [])),
        ]);
        expect(batches.map(({ persons }) => persons)).toEqual(sent.map(({ length }) => length));
        expect(Math.max(...sent.map(({ length }) => length))).toBeLessThanOrEqual(perCall);
        // Nobody is in two batches, and people come in the order in which their first ids were given.
        const first = [...new Set(known.flatMap((one) => one?.uuid ?? []))];
        expect(sent.flat()).toEqual(first);
      },
    ),
    { numRuns: 50 },
  );
});

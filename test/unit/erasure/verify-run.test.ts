import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyRun } from '../../../src/erasure/proof/ask.ts';
import type { EventDeletions } from '../../../src/erasure/proof/events.ts';
import { report } from '../../../src/erasure/report/json.ts';
import { reportMarkdown } from '../../../src/erasure/report/page.ts';
import { CliError } from '../../../src/errors.ts';
import { allDeleted, carryOut, failure, listOnly, numbered, rehearse, uuidOf } from './rehearsal.ts';

const flags = { deleteEvents: true, deleteRecordings: false, keepPerson: false };
const known = (count: number) =>
  numbered(count).map((id, index) => (index === 4 ? null : { uuid: uuidOf(index), distinctIds: [id] }));

/** A service that shows whether the events of these persons have gone. */
function showing(...shown: readonly (readonly [uuid: string, completed: boolean])[]): EventDeletions {
  return async () => new Map(shown);
}

describe('verification', () => {
  test('holds when nobody is left and the events of each person have gone', async () => {
    const { run, clock } = rehearse({
      ids: numbered(450),
      known: numbered(450).map((id, index) => ({ uuid: uuidOf(index), distinctIds: [id] })),
      plan: { flags },
    });
    await carryOut(run, clock, allDeleted);
    const asked: number[] = [];
    const answer = await verifyRun(run, {
      ...listOnly,
      lookUp: async ({ ids }) => {
        asked.push(ids.length);
        return [];
      },
      eventDeletions: showing(
        ...numbered(450).map((_, index) => [uuidOf(index).toUpperCase(), true] as const),
      ),
    });
    expect(answer).toEqual({
      prove: expect.any(Function),
      asked: 450,
      left: 0,
      recreated: 0,
      open: 0,
      outcome: expect.objectContaining({ verdict: 'done' }),
      stores: ['person list'],
      people: [],
      events: { completed: 450, pending: 0, unconfirmed: 0 },
      holds: true,
    });
    expect(Math.max(...asked)).toBeLessThanOrEqual(200);
    expect(report(run)).toMatchObject({ verification: { holds: true, asked: 450 } });
  });

  test('does not hold while somebody is left; people created since are told apart', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    await carryOut(run, clock, allDeleted);
    const createdAts = ['2026-01-01T00:00:00Z', '2026-11-28T13:00:00Z', undefined];
    const answer = await verifyRun(run, {
      ...listOnly,
      lookUp: async ({ ids }) =>
        ids.map((id, index) => ({
          id,
          uuid: uuidOf(index + 1),
          distinctIds: [id],
          createdAt: createdAts[index],
        })),
    });
    expect(answer).toMatchObject({ left: 2, recreated: 1, events: null, holds: false });
    expect(answer.people.map(({ id, state }) => [id, state])).toEqual([
      ['user-1', 'left'],
      ['user-2', 'come back'],
      ['user-3', 'left'],
    ]);
    expect(reportMarkdown(run)).toContain('does not hold');
    const journal = readFileSync(join(run.path, 'journal.ndjson'), 'utf8');
    expect(journal).not.toContain('user-1');
  });

  test('does not hold on events that are pending, unconfirmed, or not shown', async () => {
    for (const [completed, shown] of [
      [false, 3],
      [true, 2],
    ] as const) {
      const people = numbered(3).map((id, index) => ({ uuid: uuidOf(index), distinctIds: [id] }));
      const { run, clock } = rehearse({ ids: numbered(3), known: people, plan: { flags } });
      await carryOut(run, clock, allDeleted);
      const eventDeletions = showing(
        ...[0, 1, 2].slice(0, shown).map((number) => [uuidOf(number), completed] as const),
      );
      expect(await verifyRun(run, { ...listOnly, lookUp: async () => [], eventDeletions })).toMatchObject({
        holds: false,
      });
    }
    const { run, clock } = rehearse({ ids: numbered(3), plan: { flags } });
    await carryOut(run, clock, allDeleted);
    const answer = await verifyRun(run, {
      ...listOnly,
      lookUp: async () => [],
      eventDeletions: showing(),
    });
    expect(answer).toMatchObject({ events: { unconfirmed: 3 }, holds: false });
  });

  test('does not hold on events that have gone without the call that asks for it', async () => {
    const people = numbered(2).map((id, index) => ({ uuid: uuidOf(index), distinctIds: [id] }));
    const { run, clock } = rehearse({ ids: numbered(2), known: people, plan: { flags, batchSize: 1 } });
    await carryOut(run, clock, (batch, call) => {
      if (call === 2) throw failure(403, 'not-done');
      return allDeleted(batch, call);
    });
    const eventDeletions = showing([uuidOf(0), true], [uuidOf(1), true]);
    expect(await verifyRun(run, { ...listOnly, lookUp: async () => [], eventDeletions })).toMatchObject({
      left: 0,
      open: 1,
      events: { completed: 2 },
      holds: false,
    });
  });

  /** A second store that shows nobody, and so many events. */
  const storeOf = (upTo: number) => ({
    findPersons: async () => [],
    findOwners: async () => new Map(),
    findByEmail: async () => [],
    findSenders: async () => [],
    countEvents: async () => ({ upTo, later: 1 }),
  });
  const failing = (status: number) => async () => {
    throw new CliError(status === 403 ? 'authentication' : 'not-found', `status ${status}`, { status });
  };

  test.each([404, 405])('counts through SQL if the deletion status answers %i', async (status) => {
    const { run, clock } = rehearse({ ids: numbered(5), known: known(5), plan: { flags } });
    await carryOut(run, clock, allDeleted);
    const asking = { ...listOnly, lookUp: async () => [], eventDeletions: failing(status) };
    const answer = await verifyRun(run, { ...asking, sql: { store: storeOf(4) } });
    expect(answer).toMatchObject({ events: { left: 4, later: 1 }, holds: false });
    expect(answer.pendingUntil).toBe('2026-11-29T05:00:00.000Z');
    // The day has passed, so that waiting does not help.
    const later = { ...asking, sql: { store: storeOf(4) }, now: () => '2026-12-01T00:00:00.000Z' };
    expect(await verifyRun(run, later)).not.toHaveProperty('pendingUntil');
  });

  test('does not say when events go that the service did not queue', async () => {
    const { run, clock } = rehearse({ ids: numbered(5), known: known(5), plan: { flags } });
    await carryOut(run, clock, () => ({ found: 4, deleted: 4, eventsQueued: false, errors: [] }));
    const answer = await verifyRun(run, { ...listOnly, lookUp: async () => [], sql: { store: storeOf(4) } });
    expect(answer).toMatchObject({ events: { left: 4 }, holds: false });
    expect(answer).not.toHaveProperty('pendingUntil');
  });

  test.each([
    [
      'the deletion status is refused',
      { eventDeletions: failing(403), sql: { store: storeOf(0) } },
      'status 403',
    ],
    ['neither it nor SQL is there', { sql: { refusal: new CliError('not-found', 'no SQL') } }, 'no SQL'],
  ])('proves nothing of events if %s', async (_, how, message) => {
    const { run, clock } = rehearse({ ids: numbered(5), known: known(5), plan: { flags } });
    await carryOut(run, clock, allDeleted);
    await expect(verifyRun(run, { ...listOnly, lookUp: async () => [], ...how })).rejects.toThrow(message);
    expect(report(run)).toMatchObject({ verification: null });
  });

  test('asks about nobody who was to be kept', async () => {
    const keep = { ...flags, deleteEvents: false, keepPerson: true };
    const { run, clock } = rehearse({ ids: numbered(3), plan: { flags: keep, dialect: 'live' } });
    await carryOut(run, clock, allDeleted);
    const lookUp = async () => expect.unreachable('nobody is to be looked up');
    expect(await verifyRun(run, { ...listOnly, lookUp })).toMatchObject({ asked: 0, holds: true });
  });

  test('events that the service does not show make the run partly done', async () => {
    const { run, clock } = rehearse({ ids: numbered(4), known: known(4), plan: { flags } });
    await carryOut(run, clock, allDeleted);
    const check = await checkEvents(run, showing([uuidOf(1), true], [uuidOf(2), false], [uuidOf(3), false]));
    expect(check).toEqual({ completed: 1, pending: 2, unconfirmed: 1 });
    const again = await carryOut(run, clock, allDeleted);
    expect(again.outcome).toMatchObject({
      verdict: 'partly done',
      kind: 'partial',
      events: { unconfirmed: 1 },
    });
  });
});

test('a verification of what was not answered asks about it all the same', async () => {
  const { run, clock } = rehearse({ ids: numbered(150) });
  const begun = clock.now();
  await carryOut(run, clock, (_, call) => {
    // The answer to the first call is lost, the second is never made.
    clock.forward(call);
    throw failure(401, 'unknown');
  });
  const createdAt = new Date(begun + 1).toISOString();
  const answer = await verifyRun(run, {
    ...listOnly,
    lookUp: async ({ ids }) =>
      ids
        .filter((id) => ['user-1', 'user-101'].includes(id))
        .map((id) => ({ id, uuid: uuidOf(Number(id.slice(5))), distinctIds: [id], createdAt })),
  });
  // Who was created after the sending came back; where nothing was sent nobody can have.
  expect(answer).toMatchObject({ asked: 150, recreated: 1, left: 1, holds: false });
  expect(answer.people.map(({ id, state }) => [id, state])).toEqual([
    ['user-1', 'come back'],
    ['user-101', 'left'],
  ]);
});

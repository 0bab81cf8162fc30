import { describe, expect, test } from 'vitest';
import type { LookUp } from '../../../src/erasure/people/sql.ts';
import { countOpen } from '../../../src/erasure/record/state.ts';
import type { CliError } from '../../../src/errors.ts';
import {
  type Answering,
  allDeleted,
  carryOut,
  failure,
  knownAs,
  numbered,
  rehearse,
  uuidOf,
} from './rehearsal.ts';

const minutes = 60_000;
const firsts = (sent: readonly { readonly ids: readonly string[] }[]) => sent.map(({ ids }) => ids[0]);

/** Fails the calls with these numbers, answers the others. */
function failing(calls: Readonly<Record<number, CliError>>): Answering {
  return (batch, call) => {
    const error = calls[call];
    if (error !== undefined) throw error;
    return allDeleted(batch, call);
  };
}

describe('lost answers', () => {
  test('are asked for once more at the end; what counts is the last answer', async () => {
    const { run, clock } = rehearse({ ids: numbered(200) });
    const answer: Answering = (batch, call) => {
      if (call === 1) throw failure(undefined, 'unknown');
      return call === 3 ? { found: 40, deleted: 40, errors: [] } : allDeleted(batch, call);
    };
    const { sent, outcome } = await carryOut(run, clock, answer);
    expect(firsts(sent)).toEqual(['user-1', 'user-101', 'user-1']);
    expect(outcome).toMatchObject({ verdict: 'partly done', found: 140, deleted: 140, notAccountedFor: 60 });
    expect(outcome.batches).toMatchObject({ done: 2, settled: 1 });
  });

  test('finding nobody after one says nothing', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const none: Answering = (_, call) => {
      if (call === 1) throw failure(undefined, 'unknown');
      return { found: 0, deleted: 0, errors: [] };
    };
    expect((await carryOut(run, clock, none)).outcome.verdict).toBe('partly done');
  });

  test('a later failure that is known not to have run does not make it known', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const lost = failing({ 1: failure(undefined, 'unknown'), 2: failure(429, 'not-done') });
    expect((await carryOut(run, clock, lost)).outcome).toMatchObject({
      verdict: 'partly done',
      unknown: 3,
      refused: 0,
    });
  });

  async function lostRun() {
    const rehearsal = rehearse({ ids: numbered(250), plan: { serviceTime: '2026-11-28T12:00:00Z' } });
    const lose = failing({ 1: failure(undefined, 'unknown'), 4: failure(undefined, 'unknown') });
    await carryOut(rehearsal.run, rehearsal.clock, lose);
    rehearsal.run.close();
    return { ...rehearsal, run: rehearsal.reopen() };
  }

  const lookUp: LookUp = async ({ ids }) =>
    ids
      .filter((id) => /^user-[1-5]$/.test(id))
      .map((id, index) => ({
        id,
        uuid: uuidOf(index + 1),
        distinctIds: [id],
        ...(index === 0 ? {} : { createdAt: index < 3 ? '2026-11-28T11:59:59Z' : '2026-11-28T12:10:00Z' }),
      }));

  test('within 15 minutes are asked for again without looking', async () => {
    const { run, clock } = await lostRun();
    clock.forward(15 * minutes);
    expect(countOpen(run.state())).toBe(100);
    expect(firsts((await carryOut(run, clock, allDeleted)).sent)).toEqual(['user-1']);
  });

  test('later are looked up first; people created since are withheld', async () => {
    const { run, clock } = await lostRun();
    clock.forward(15 * minutes + 1);
    expect(countOpen(run.state())).toBe(100);
    const { sent, outcome } = await carryOut(run, clock, allDeleted, { lookUp });
    // The first has no date; the fourth and fifth came back after the first sending.
    expect(sent.map(({ ids }) => ids)).toEqual([['user-2', 'user-3']]);
    expect(outcome).toMatchObject({ verdict: 'partly done', gone: 95, recreated: 3, unknown: 0, sent: 152 });
  });

  test('with nobody left are settled without a call', async () => {
    const { run, clock } = await lostRun();
    clock.forward(60 * minutes);
    const { sent, outcome } = await carryOut(run, clock, allDeleted, { lookUp: async () => [] });
    expect(sent).toEqual([]);
    expect(outcome).toMatchObject({ verdict: 'done', gone: 100, unknown: 0, batches: { settled: 1 } });
  });
});

describe('resuming', () => {
  test('a batch that was written down as sent, without an end, is sent again and only that', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(300) });
    await expect(
      carryOut(run, clock, (batch, call) => {
        if (call === 2) run.close();
        return allDeleted(batch, call);
      }),
    ).rejects.toThrow();
    const again = reopen();
    expect(
      again
        .state()
        .batches.flat()
        .map(({ sending }) => sending.pending),
    ).toEqual([false, true, false]);
    const { sent, outcome } = await carryOut(again, clock, allDeleted);
    expect(firsts(sent)).toEqual(['user-101', 'user-201']);
    expect(outcome).toMatchObject({ verdict: 'done', deleted: 300, batches: { settled: 1 } });
    expect(again.state().sessions.map(({ resumed }) => resumed)).toEqual([false, true]);
  });

  test('a finished run sends nothing', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    await carryOut(run, clock, allDeleted);
    const { sent, outcome } = await carryOut(run, clock, allDeleted);
    expect([sent, outcome.verdict]).toEqual([[], 'done']);
  });

  test('a run without its ids is refused before a line is written', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    run.dropIds();
    await expect(carryOut(run, clock, allDeleted)).rejects.toMatchObject({ kind: 'refused' });
    expect(run.seal().lines).toBe(2);
  });
});

test('people whose errors were sent again, and that answer lost, are looked up by their uuids', async () => {
  const { run, clock, reopen } = rehearse({
    ids: numbered(3),
    known: knownAs(numbered(3), 7),
    plan: { serviceTime: '2026-11-28T12:00:00Z' },
  });
  const sentAt = clock.now();
  const errors = [7, 8, 9].map((number) => ({ person_uuid: uuidOf(number), step: 'postgres' }));
  await carryOut(run, clock, (_, call) => {
    if (call > 1) throw failure(undefined, 'unknown');
    return { found: 3, deleted: 0, errors };
  });
  run.close();
  clock.forward(60 * minutes);
  const asked: unknown[] = [];
  const lookUp: LookUp = async ({ kind, ids }) => {
    asked.push([kind, ids]);
    // The first is there still, the second has gone, the third was created since.
    return [
      { id: uuidOf(7), uuid: uuidOf(7), distinctIds: [], createdAt: new Date(sentAt - 1).toISOString() },
      { id: uuidOf(9), uuid: uuidOf(9), distinctIds: [], createdAt: new Date(sentAt + 1).toISOString() },
    ];
  };
  const { sent } = await carryOut(reopen(), clock, allDeleted, { lookUp });
  expect(asked[0]).toEqual(['ids', [uuidOf(7), uuidOf(8), uuidOf(9)]]);
  expect(sent.map(({ ids }) => ids)).toEqual([[uuidOf(7)]]);
});

test('a batch whose answer was lost, and that proves too large then, may have run in all its parts', async () => {
  const { run, clock } = rehearse({ ids: numbered(250), plan: { batchSize: 250 } });
  const answer = failing({
    1: failure(undefined, 'unknown'),
    2: failure(400, 'not-done'),
    3: failure(401, 'not-done'),
  });
  const { sent, outcome } = await carryOut(run, clock, answer);
  expect(sent.map(({ ids }) => ids.length)).toEqual([250, 250, 100]);
  expect(outcome).toMatchObject({
    verdict: 'stopped',
    unknown: 250,
    notSent: 0,
    refused: 0,
    batches: { total: 3 },
  });
});

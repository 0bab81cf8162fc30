import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { CliError } from '../../../src/errors.ts';
import {
  type Answering,
  allDeleted,
  carryOut,
  failure,
  numbered,
  rehearse,
  settings,
  uuidOf,
} from './rehearsal.ts';

/** Fails the calls with these numbers, answers the others. */
function failing(calls: Readonly<Record<number, CliError>>): Answering {
  return (batch, call) => {
    const error = calls[call];
    if (error !== undefined) throw error;
    return allDeleted(batch, call);
  };
}

describe('sending', () => {
  test('every id once, in order, no call over 100 unless asked (O-10)', async () => {
    const { run, clock } = rehearse({ ids: [...numbered(2350), ...numbered(50)] });
    const { sent, outcome } = await carryOut(run, clock, allDeleted);
    expect(sent).toHaveLength(24);
    expect(sent.flatMap(({ ids }) => ids)).toEqual(numbered(2350));
    expect(sent[0]?.flags).toEqual({ deleteEvents: false, deleteRecordings: false, keepPerson: false });
    expect(outcome).toMatchObject({
      verdict: 'done',
      asked: 2400,
      repeats: 50,
      unique: 2350,
      sent: 2350,
      deleted: 2350,
    });
    expect(outcome.kind).toBeUndefined();
  });

  test('is one call at a time by default, and never more than asked for', async () => {
    for (const concurrency of [undefined, 4]) {
      const { run, clock } = rehearse({ ids: numbered(1000) });
      let open = 0;
      let most = 0;
      const { outcome } = await carryOut(
        run,
        clock,
        async (batch, call) => {
          open += 1;
          most = Math.max(most, open);
          for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
          open -= 1;
          return allDeleted(batch, call);
        },
        { concurrency },
      );
      expect(most).toBe(concurrency ?? 1);
      expect(outcome).toMatchObject({ verdict: 'done', deleted: 1000 });
    }
  });

  test('keeps to a rate', async () => {
    const { run, clock } = rehearse({ ids: numbered(500) });
    expect((await carryOut(run, clock, allDeleted, { rate: 120 })).waits).toEqual([500, 500, 500, 500]);
  });

  test('keeps to the rate and the lanes of its plan when it is resumed, unless others are given', async () => {
    for (const [more, waits] of [
      [{}, [500, 500]],
      [{ rate: 60 }, [1000, 1000]],
    ] as const) {
      const { run, clock, reopen } = rehearse({ ids: numbered(500), plan: { rate: 120, concurrency: 2 } });
      const stopping = new AbortController();
      const stopAtSecond: Answering = (batch, call) => {
        if (call === 2) stopping.abort();
        return allDeleted(batch, call);
      };
      await carryOut(run, clock, stopAtSecond, { signal: stopping.signal });
      run.close();
      const resumed = reopen();
      expect(resumed.plan).toMatchObject({ rate: 120, concurrency: 2 });
      const second = new AbortController();
      const both = once(second.signal, 'abort');
      const answer: Answering = async (batch, call) => {
        if (call === 2) second.abort();
        // One lane would wait for ever.
        await both;
        return allDeleted(batch, call);
      };
      const { waits: kept } = await carryOut(resumed, clock, answer, more);
      expect(kept).toEqual(waits);
    }
  });

  test('tells its progress', async () => {
    const { run, clock } = rehearse({ ids: numbered(250) });
    const told: unknown[] = [];
    await carryOut(run, clock, failing({ 2: failure(400, 'not-done') }), {
      onProgress: (one) => told.push(one),
    });
    expect(told).toEqual([
      { answered: 100, failed: 0 },
      { answered: 100, failed: 100 },
      { answered: 150, failed: 100 },
    ]);
  });

  test('sends the uuid of an integer that was resolved, and no integer of nobody', async () => {
    const known = [{ uuid: uuidOf(1), distinctIds: ['a'] }, null];
    const { run, clock } = rehearse({ ids: ['11', '12'], kind: 'ids', known });
    const { sent, outcome } = await carryOut(run, clock, allDeleted);
    expect(sent.map(({ ids }) => ids)).toEqual([[uuidOf(1)]]);
    expect(outcome).toMatchObject({ leftOut: 1, sent: 1, deleted: 1 });
  });

  test('goes to the project and host of the plan only', async () => {
    const { run, clock } = rehearse({ ids: numbered(1) });
    for (const more of [
      { ...settings, host: { address: 'https://us.example.test' } },
      { ...settings, project: { id: '8', protected: false } },
    ]) {
      const none: Answering = () => expect.unreachable('nothing may be sent');
      await expect(carryOut(run, clock, none, { settings: async () => more })).rejects.toMatchObject({
        kind: 'usage',
      });
    }
    expect(run.seal().lines).toBe(1);
    expect(
      (
        await carryOut(run, clock, allDeleted, {
          settings: async () => ({ ...settings, keyLabel: 'another key' }),
        })
      ).sent,
    ).toHaveLength(1);
  });

  test('writes a line before and one after each call', async () => {
    const { run, clock } = rehearse({ ids: numbered(150) });
    const lines: number[] = [];
    await carryOut(run, clock, (batch, call) => {
      lines.push(run.seal().lines);
      return allDeleted(batch, call);
    });
    // created, started, sending; answered, sending.
    expect(lines).toEqual([3, 5]);
    expect(run.seal().lines).toBe(7);
  });
});

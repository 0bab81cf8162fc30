import { describe, expect, test } from 'vitest';
import { countOpen } from '../../../src/erasure/record/state.ts';
import { CliError } from '../../../src/errors.ts';
import { type Answering, allDeleted, carryOut, failure, numbered, rehearse } from './rehearsal.ts';

const firsts = (sent: readonly { readonly ids: readonly string[] }[]) => sent.map(({ ids }) => ids[0]);

/** Fails the calls with these numbers, answers the others. */
function failing(calls: Readonly<Record<number, CliError>>): Answering {
  return (batch, call) => {
    const error = calls[call];
    if (error !== undefined) throw error;
    return allDeleted(batch, call);
  };
}

describe('stopping', () => {
  test.each([
    [401, 'authentication'],
    [403, 'authentication'],
    [404, 'no such endpoint'],
    [308, 'redirect'],
  ])('a %i stops the run at once', async (status, reason) => {
    const { run, clock } = rehearse({ ids: numbered(500) });
    const error = new CliError('refused', 'no', { status, outcome: 'not-done' });
    const { sent, outcome } = await carryOut(run, clock, failing({ 2: error }));
    expect(sent).toHaveLength(2);
    expect(outcome).toMatchObject({
      verdict: 'stopped',
      stopped: reason,
      status,
      kind: 'partial',
      sent: 100,
      notSent: 300,
    });
  });

  test('a first call that is refused leaves the kind of the error, since nothing was done', async () => {
    const { run, clock } = rehearse({ ids: numbered(500) });
    const { outcome } = await carryOut(run, clock, failing({ 1: failure(401, 'not-done') }));
    expect(outcome).toMatchObject({ verdict: 'stopped', kind: 'authentication', sent: 0 });
    const single = rehearse({ ids: numbered(5) });
    const refused = new CliError('refused', 'no', { status: 400, outcome: 'not-done' });
    expect((await carryOut(single.run, single.clock, failing({ 1: refused }))).outcome).toMatchObject({
      verdict: 'partly done',
      kind: 'refused',
      refused: 5,
    });
  });

  test('three failures in a row stop it, two do not', async () => {
    const refused = failure(400, 'not-done');
    const two = rehearse({ ids: numbered(600) });
    const twice = failing({ 1: refused, 2: refused, 4: refused, 5: refused });
    expect((await carryOut(two.run, two.clock, twice)).outcome).toMatchObject({
      verdict: 'partly done',
      kind: 'partial',
      refused: 400,
      sent: 200,
    });
    const three = rehearse({ ids: numbered(600) });
    const { sent, outcome } = await carryOut(
      three.run,
      three.clock,
      failing({ 2: refused, 3: refused, 4: refused }),
    );
    expect(sent).toHaveLength(4);
    expect(outcome).toMatchObject({ verdict: 'stopped', stopped: 'three failures in a row', notSent: 200 });
  });

  test('a 400 on more than 100 ids is tried at 100, and the size stays', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(2350), plan: { batchSize: 1000 } });
    const limited: Answering = (batch, call) => {
      if (batch.ids.length > 100) throw failure(400, 'not-done');
      if (call === 12) throw failure(403, 'not-done');
      return allDeleted(batch, call);
    };
    const first = await carryOut(run, clock, limited);
    expect(first.sent.map(({ ids }) => ids.length)).toEqual([1000, ...Array(11).fill(100)]);
    expect(first.outcome).toMatchObject({ verdict: 'stopped', sent: 1000 });
    run.close();
    const second = await carryOut(reopen(), clock, allDeleted);
    expect(Math.max(...second.sent.map(({ ids }) => ids.length))).toBe(100);
    const answered = [...first.sent.slice(1, 11), ...second.sent].flatMap(({ ids }) => ids);
    expect(answered).toEqual(numbered(2350));
    expect(second.outcome).toMatchObject({
      verdict: 'done',
      deleted: 2350,
      batches: { total: 24, done: 24 },
    });
  });

  test('the first signal finishes what is in flight', async () => {
    const { run, clock } = rehearse({ ids: numbered(500) });
    const soon = new AbortController();
    const answer: Answering = async (batch, call) => {
      if (call === 2) soon.abort();
      await Promise.resolve();
      return allDeleted(batch, call);
    };
    const { sent, outcome } = await carryOut(run, clock, answer, { signal: soon.signal });
    expect(sent).toHaveLength(2);
    expect(outcome).toMatchObject({
      verdict: 'stopped',
      kind: 'interrupted',
      sent: 200,
      unknown: 0,
      notSent: 300,
    });
  });

  test('the second signal leaves what is in flight as unknown, and resuming sends it again', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(300) });
    const forced = new AbortController();
    const answer: Answering = (batch, call) => {
      if (call !== 2) return allDeleted(batch, call);
      forced.abort();
      return new Promise(() => undefined);
    };
    const { outcome } = await carryOut(run, clock, answer, { forcedSignal: forced.signal });
    expect(outcome).toMatchObject({
      verdict: 'stopped',
      kind: 'interrupted',
      sent: 100,
      unknown: 100,
      notSent: 100,
    });
    run.close();
    const again = await carryOut(reopen(), clock, allDeleted);
    expect(firsts(again.sent)).toEqual(['user-101', 'user-201']);
    expect(again.outcome).toMatchObject({ verdict: 'done', batches: { settled: 1 } });
  });

  test('a signal ends the wait for the next turn, without a call', async () => {
    const { run, clock } = rehearse({ ids: numbered(300) });
    const soon = new AbortController();
    const wait = () => {
      soon.abort();
      return new Promise<void>(() => undefined);
    };
    const { sent } = await carryOut(run, clock, allDeleted, { rate: 1, wait, signal: soon.signal });
    expect(sent).toHaveLength(1);
    expect(
      run
        .state()
        .batches.flat()
        .map(({ sending }) => sending.attempts),
    ).toEqual([1, 0, 0]);
  });

  test('a bug in sending is shown as one, and what was sent is unknown', async () => {
    const { run, clock } = rehearse({ ids: numbered(300) });
    const bug = new TypeError('not a function');
    const broken: Answering = (batch, call) => {
      if (call === 2) throw bug;
      return allDeleted(batch, call);
    };
    await expect(carryOut(run, clock, broken)).rejects.toBe(bug);
    expect(countOpen(run.state())).toBe(200);
  });
});

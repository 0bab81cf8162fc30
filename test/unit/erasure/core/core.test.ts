import { describe, expect, it } from 'vitest';
import * as core from '../../../../src/erasure/core.ts';
import type { Batch, Fact, Run } from '../../../../src/erasure/facts.ts';
import { loadCheck } from './load.ts';
import { ann, bea, begun, list, planned } from './probes.ts';

describe('the core', () => {
  it('sends nobody unasked, loses nobody, and proves nothing wrongly, in every small world', {
    timeout: 300_000,
  }, async () => {
    const { check, describeFault, newCount } = await loadCheck();
    const count = newCount();
    // Worlds with events are many, and a clock matters there alone: the hard tests go further.
    const fault =
      check({ steps: 3, far: 1, walks: 2, only: /^(?!.*(events|clock|time))/ }, count) ??
      check({ steps: 2, far: 1, walks: 2, only: /events|clock|time/ }, count);
    expect(fault && describeFault(fault)).toBeUndefined();
    expect(count.steps).toBeGreaterThan(400_000);
    expect(count.proven).toBeGreaterThan(2_000);
  });
});

describe('what it refuses is told in words', () => {
  const batch = planned(core, begun(core), ann, bea);
  const run = core.agree(begun(core), 2, [batch]);
  const sending: Fact = { type: 'sending', uuids: ['U:ann', 'U:bea'] };

  function fold(some: Run, ...facts: readonly Fact[]): Batch {
    return facts.reduce<Batch>((state, fact) => core.apply(some, state, fact), batch);
  }

  it.each<[string, readonly Fact[]]>([
    [
      '2 persons have not been seen as planned since the session began',
      [{ type: 'aged', by: 'session' }, sending],
    ],
    ['2 persons have not been seen as planned for 15 minutes', [{ type: 'aged', by: 'time' }, sending]],
    [
      '2 persons have not been seen as planned since their answer was lost',
      [sending, { type: 'lost', call: 0 }, sending],
    ],
    [
      '1 person has not been seen as planned since they were sent',
      [{ ...sending, uuids: ['U:ann'] }, { type: 'refused', call: 0 }, sending],
    ],
    ['2 persons have a call under way', [sending, sending]],
    ['1 person has no place in the plan', [{ type: 'sending', uuids: ['U:eve'] }]],
    ['a call has no person, or a person twice', [{ type: 'sending', uuids: ['U:ann', 'U:ann'] }]],
    ['a call ends that is not under way', [{ type: 'lost', call: 0 }]],
    [
      'a store answers that is not one of the run',
      [{ type: 'saw', sighting: { ...list(ann), store: 'sql' } }],
    ],
  ])('%s', (message, facts) => {
    expect(() => fold(run, ...facts)).toThrow(new core.Contradiction(message));
  });

  it.each<[string, () => unknown]>([
    ['2 persons have not been agreed to', () => fold(begun(core), sending)],
    ['a person is in two batches', () => core.agree(begun(core), 2, [batch, batch])],
    ['the plan has another number of persons: 2', () => core.agree(begun(core), 1, [batch])],
    ['lines without a verdict: 1 of 2', () => core.exitOf(run, { told: 1 })],
    ['lines are owed: 1 doubtful, 1 told', () => core.prove(run, { told: 1, doubtful: 1 })],
  ])('%s', (message, act) => {
    expect(act).toThrow(new core.Contradiction(message));
  });
});

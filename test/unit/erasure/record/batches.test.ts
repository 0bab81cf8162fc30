import { describe, expect, test } from 'vitest';
import type { Happening } from '../../../../src/erasure/record/journal.ts';
import type { Run } from '../../../../src/erasure/record/open.ts';
import { idsOf, personsOf } from '../../../../src/erasure/record/sightings.ts';
import {
  agree,
  beginSession,
  endSession,
  fail,
  numbered,
  rehearse,
  see,
  sendCall,
  takeAnswer,
  uuidOf,
} from '../rehearsal.ts';

const refusal = (missing: string) =>
  expect.objectContaining({ kind: 'refused', message: `not permitted: ${missing}` });

function begun(input: Parameters<typeof rehearse>[0] = {}) {
  const rehearsal = rehearse({ ids: numbered(3), ...input });
  agree(rehearsal.run);
  beginSession(rehearsal.run);
  return rehearsal;
}

/** A look at one batch that shows its first person otherwise than it was planned. */
function seeOther(
  run: Run,
  other: { readonly ids?: readonly string[]; readonly born?: number; readonly uuid?: string },
) {
  const { batch } = run.standing(1);
  const [uuid = ''] = personsOf(batch);
  const one = batch.targets.get(uuid);
  const own = idsOf(batch).indexOf(uuid);
  const ids = [...(one?.ids ?? []), ...(other.ids ?? [])];
  const born = [other.born ?? one?.born?.at ?? 0, one?.born?.unit ?? 1] as const;
  const others = [{ id: own, uuid, born, ids }];
  run.append({
    type: 'saw',
    batch: 1,
    store: 'list',
    asked: `${own}`,
    controls: [true],
    asPlanned: '',
    others,
  });
}

describe('a call that the journal does not take', () => {
  const month = 30 * 24 * 60 * 60_000;
  test.each<readonly [string, (run: Run) => void, string]>([
    ['before somebody agreed', () => undefined, '3 persons have not been agreed to'],
    [
      'about somebody who is in another one',
      (run) => {
        agree(run);
        sendCall(run, 1, [1]);
      },
      '1 person has a call under way',
    ],
    [
      'after an answer, unless everybody was seen since',
      (run) => {
        agree(run);
        takeAnswer(run, { call: sendCall(run) });
      },
      '3 persons have not been seen as planned since they were sent',
    ],
    [
      'after a refusal, unless everybody was seen since',
      (run) => {
        agree(run);
        fail(run, sendCall(run), 'not-done');
      },
      '3 persons have not been seen as planned since they were sent',
    ],
    [
      'after a lost answer, unless everybody was seen since',
      (run) => {
        agree(run);
        fail(run, sendCall(run, 1, [0]));
      },
      '1 person has not been seen as planned since their answer was lost',
    ],
    [
      'after 15 minutes',
      (run) => {
        agree(run);
        run.append({ type: 'aged', batch: 1 });
      },
      '3 persons have not been seen as planned for 15 minutes',
    ],
    [
      'after a look without them',
      (run) => {
        agree(run);
        see(run, 'nobody');
      },
      '3 persons have not been seen as planned since a look without them',
    ],
    [
      'about somebody who was created anew',
      (run) => {
        agree(run);
        seeOther(run, { born: Date.parse('2026-01-01') + month });
      },
      '1 person has not been seen as planned since a look without them',
    ],
  ])('%s', (_, prepare, missing) => {
    const { run } = rehearse({ ids: numbered(3) });
    prepare(run);
    const before = run.seal();
    expect(() => sendCall(run)).toThrow(refusal(missing));
    expect(run.seal()).toEqual(before);
  });

  test('is one of a session that has not looked, and one that has looked sends', () => {
    const { run, reopen } = begun();
    run.close();
    const again = reopen();
    beginSession(again);
    expect(() => sendCall(again)).toThrow(
      refusal('3 persons have not been seen as planned since the session began'),
    );
    see(again, 'everybody', { isControlled: false });
    takeAnswer(again, { call: sendCall(again) });
    expect(again.tally()).toEqual({ told: 3 });
  });

  test('is one about somebody who has come to have an excepted id', () => {
    const { run } = begun({
      spared: { excepted: [], spared: [{ kind: 'distinct-ids', id: 'held' }], files: [] },
    });
    seeOther(run, { ids: [run.memberOf('distinct-ids', 'held')] });
    expect(() => sendCall(run, 1, [0])).toThrow(refusal('1 person has come to have an excepted id'));
    expect(run.tally()).toEqual({ doubtful: 1, 'not sent': 2 });
    takeAnswer(run, { call: sendCall(run, 1, [1, 2]) });
  });

  test.each([
    ['nobody', []],
    ['somebody whom the plan does not have', [3]],
  ])('is one about %s', (_, persons) => {
    const { run } = begun();
    expect(() => sendCall(run, 1, persons)).toThrow(expect.objectContaining({ kind: 'refused' }));
  });
});

describe('what is not written down', () => {
  test('is that somebody agreed to another number of persons than the plan has', () => {
    const { run } = rehearse({ ids: numbered(3) });
    expect(() => run.append({ type: 'agreed', persons: 2 })).toThrow(
      refusal('the plan has another number of persons: 3'),
    );
  });

  test('is an answer of a call that is not under way, or of one that ended', () => {
    const { run } = begun();
    expect(() => takeAnswer(run, { call: 0 })).toThrow(refusal('a call ends that is not under way'));
    const call = sendCall(run);
    fail(run, call);
    expect(() => takeAnswer(run, { call })).toThrow(refusal('a call ends that is not under way'));
  });

  test('is what a store said that is not one of the run, until it is one', () => {
    const { run } = begun();
    const saw: Happening = {
      type: 'saw',
      batch: 1,
      store: 'sql',
      asked: '0-2',
      controls: [true],
      asPlanned: '',
      others: [],
    };
    expect(() => run.append(saw)).toThrow(refusal('a store answers that is not one of the run'));
    run.append({ type: 'store', store: 'sql' });
    run.append(saw);
  });

  test('is a proof as long as anything is owed', () => {
    const { run } = begun();
    takeAnswer(run, { call: sendCall(run) });
    endSession(run);
    expect(() => run.append(proof(run))).toThrow(refusal('lines are owed: 3 told'));
    see(run, 'nobody', { isControlled: false });
    expect(() => run.append(proof(run))).toThrow(refusal('lines are owed: 3 told'));
    see(run, 'nobody');
    expect(run.tally()).toEqual({ gone: 3 });
    run.append(proof(run));
    expect(run.state().verifications).toHaveLength(1);
  });

  test.each([{ gone: 3 }, { gone: 2 }, {}])('is that of the lines is known what is not: %j', (tally) => {
    const { run } = begun();
    takeAnswer(run, { call: sendCall(run) });
    const others = refusal('the verdicts on the lines are not those of the core');
    expect(() => run.append({ ...proof(run), tally })).toThrow(others);
    expect(() => run.append({ type: 'ended', stopped: null, tally })).toThrow(others);
  });
});

function proof(run: Run): Extract<Happening, { readonly type: 'verified' }> {
  const found = { asked: 3, left: 0, others: 0, cameBack: 0, stores: ['list' as const], events: null };
  return { type: 'verified', ...found, tally: run.tally(), holds: true };
}

describe('what an answer makes of those who were sent', () => {
  test.each([
    ['each figure agrees', {}, { told: 3 }],
    ['it has no body', { kind: 'no body', found: undefined, deleted: undefined }, { accepted: 3 }],
    ['a figure is missing', { deleted: undefined }, { answered: 3 }],
    ['fewer were found', { found: 2, deleted: 2 }, { answered: 3 }],
    [
      'a stranger failed',
      { deleted: 2, errors: [{ person: null, step: 'x', notInRun: true }] },
      { answered: 3 },
    ],
  ] as const)('if %s', (_, answer, tally) => {
    const { run } = begun();
    takeAnswer(run, { call: sendCall(run), answer });
    expect(run.tally()).toEqual(tally);
  });

  test('if it names somebody as failed', () => {
    const { run } = begun();
    const [person = ''] = personsOf(run.standing(1).batch);
    const errors = [{ person, step: 'postgres' }];
    takeAnswer(run, { call: sendCall(run), answer: { deleted: 2, errors } });
    expect(run.tally()).toEqual({ failed: 1, told: 2 });
  });
});

test('more batches than are kept in memory are read again from the journal as they stood', () => {
  const { run } = begun({ ids: numbered(40), plan: { batchSize: 1 } });
  const numbers = run.state().batches.map((_, at) => at + 1);
  for (const batch of numbers) takeAnswer(run, { batch, call: sendCall(run, batch) });
  const batches = numbers.map((batch) => run.standing(batch).batch);
  for (const batch of numbers) see(run, 'nobody', { batch });
  expect(run.tally()).toEqual({ gone: 40 });
  expect(batches.flatMap(personsOf)).toEqual(
    Array.from({ length: 40 }, (_, at) => run.memberOf('ids', uuidOf(at + 1))),
  );
});

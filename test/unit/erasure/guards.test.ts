import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LookUp } from '../../../src/erasure/people/sql.ts';
import { verifyRun } from '../../../src/erasure/proof/ask.ts';
import { eventsNotBefore } from '../../../src/erasure/proof/verdict.ts';
import {
  createRunDirectory,
  type Disk,
  realDisk,
  takeLock,
  useRunDirectory,
} from '../../../src/erasure/record/directory.ts';
import { recordAnswer, recordFailure, toJournalError } from '../../../src/erasure/record/journal.ts';
import { lastAnswer } from '../../../src/erasure/record/outcome.ts';
import { findPart, replay } from '../../../src/erasure/record/state.ts';
import { CliError } from '../../../src/errors.ts';
import {
  type Answering,
  allDeleted,
  carryOut,
  createClock,
  failure,
  knownAs,
  listOnly,
  numbered,
  type RehearsalInput,
  rehearse,
  temporaryFolder,
  toolsFor,
  uuidOf,
} from './rehearsal.ts';

describe('a run directory', () => {
  test('is not made of one that holds something', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'letter.txt'), 'mine');
    expect(() => createRunDirectory(folder)).toThrow('is not empty');
  });

  test('is closed to others, also where it stood open', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    createRunDirectory(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('takes a disk that writes nothing for a full one', () => {
    const disk: Disk = { ...realDisk, write: () => 0 };
    const directory = createRunDirectory(join(temporaryFolder(), 'run'), disk);
    expect(() => directory.writeNew('ids', ['a'])).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
  });

  test('that has gone cannot be made safe', () => {
    const gone = useRunDirectory(join(temporaryFolder(), 'gone'));
    expect(() => gone.sync()).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  // This file answers EINVAL, as a directory does on Windows.
  test.runIf(process.platform === 'linux')('need not be made safe where the system cannot', () => {
    expect(() => useRunDirectory('/dev/null').sync()).not.toThrow();
  });
});

test('a lock is released once: a second release leaves alone who took it since', () => {
  const directory = useRunDirectory(temporaryFolder());
  const tools = toolsFor(createClock());
  const release = takeLock(directory, tools);
  release();
  takeLock(directory, tools);
  release();
  expect(directory.names()).toEqual(['lock-1']);
  expect(() => takeLock(directory, tools)).toThrow('another process works on this run');
});

test.each(['interrupted', 'terminated'] as const)('a call that was %s stops the run', async (kind) => {
  const { run, clock } = rehearse({ ids: numbered(200) });
  const { outcome, sent } = await carryOut(run, clock, () => {
    throw new CliError(kind, 'stopped', { outcome: 'unknown' });
  });
  expect(sent).toHaveLength(1);
  expect(outcome).toMatchObject({ verdict: 'stopped', stopped: 'interrupted', unknown: 100, notSent: 100 });
});

test('people that the service named among its errors are sent again after a crash', async () => {
  const { run, clock, reopen } = rehearse({ ids: numbered(3), known: knownAs(numbered(3), 7) });
  const errors = [{ person_uuid: uuidOf(7), step: 'postgres' }];
  await carryOut(run, clock, (_, call) => {
    if (call === 2) throw failure(401, 'not-done');
    return { found: 3, deleted: 2, errors };
  });
  run.close();
  const { sent, outcome } = await carryOut(reopen(), clock, allDeleted);
  expect(sent.map(({ ids }) => ids)).toEqual([[uuidOf(7)]]);
  expect(outcome).toMatchObject({ verdict: 'done', deleted: 3, failed: 0 });
});

test('a person of no plan is not sent, though the record names that person among its errors', async () => {
  const { run, clock, reopen } = rehearse({ ids: numbered(3), known: knownAs(numbered(3), 7) });
  const task = { batch: 1, part: 1, retry: false };
  const stranger = run.memberOf('ids', uuidOf(99));
  const errors = [{ person: stranger, step: 'postgres' }];
  run.append({ type: 'sending', ...task, count: 3, digest: '0'.repeat(64) });
  run.append({ type: 'answered', ...task, answer: { found: 3, deleted: 2, errors } });
  run.close();
  const { sent, outcome } = await carryOut(reopen(), clock, allDeleted);
  expect(sent).toEqual([]);
  expect(outcome).toMatchObject({ verdict: 'partly done', failed: 1 });
});

describe('who is there long after a lost sending', () => {
  const hour = 60 * 60_000;
  const before = Date.parse('2026-11-28T12:00:00Z');
  const planned = { uuid: uuidOf(1), distinctIds: ['user-1'] };

  /** Sends, loses the answer, and resumes an hour later: how many are sent again. */
  async function sentAgain(found: { uuid: string; createdAt?: string | undefined }, input: RehearsalInput) {
    const { run, clock, reopen } = rehearse({ ids: numbered(1), ...input });
    await carryOut(run, clock, () => {
      throw failure(undefined, 'unknown');
    });
    run.close();
    clock.forward(hour);
    const lookUp: LookUp = async ({ ids }) => ids.map((id) => ({ id, distinctIds: [id], ...found }));
    const { sent, outcome } = await carryOut(reopen(), clock, allDeleted, { lookUp });
    expect(outcome.recreated).toBe(1 - sent.length);
    return sent.length;
  }

  const later = (milliseconds: number) => new Date(before + milliseconds).toISOString();
  const told = { plan: { serviceTime: later(0) } };
  const same = uuidOf(1);
  const other = uuidOf(2);

  test.each([
    ['created at the time that the service told before it', same, later(0), told, 1],
    ['created after it', same, later(1), told, 0],
    ['without a date', same, undefined, told, 0],
    ['and the service told no time before it', same, later(-hour), {}, 0],
    ['the same person as planned', same, later(-hour), { ...told, known: [planned] }, 1],
    ['the same, created since', same, later(1), { ...told, known: [planned] }, 0],
    ['another person than planned', other, later(-hour), { ...told, known: [planned] }, 0],
  ] as const)('%s', async (_, uuid, createdAt, input, calls) => {
    expect(await sentAgain({ uuid, createdAt }, input)).toBe(calls);
  });

  test('is told by the time of the answers before it', async () => {
    const plan = { batchSize: 1, serviceTime: undefined };
    const { run, clock, reopen } = rehearse({ ids: numbered(2), plan });
    await carryOut(run, clock, ({ ids }) => {
      if (ids[0] === 'user-2') throw failure(undefined, 'unknown');
      return { found: 1, deleted: 1, errors: [], serviceTime: later(0) };
    });
    run.close();
    clock.forward(hour);
    const lookUp: LookUp = async ({ ids }) =>
      ids.map((id) => ({ id, uuid: other, distinctIds: [id], createdAt: later(0) }));
    const { sent } = await carryOut(reopen(), clock, allDeleted, { lookUp });
    expect(sent.map(({ ids }) => ids)).toEqual([['user-2']]);
  });
});

describe('what is written down of an answer', () => {
  test.each([
    ['a bug of ours', new TypeError('x is not a function'), { outcome: 'unknown', kind: 'bug' }],
    [
      'an error that does not say whether it ran',
      new CliError('refused', 'no'),
      { outcome: 'unknown', kind: 'refused' },
    ],
  ])('takes %s for one that may have run', (_, error, recorded) => {
    expect(recordFailure(error)).toEqual(recorded);
  });

  test.each(['ana@example.org', 'user_4711', 'ana.berg', `${'a'.repeat(41)}`, '4711'])(
    'holds no free text: %s',
    (text) => {
      const recorded = recordAnswer({ errors: [{ step: text }] }, String, new Set());
      expect(recorded.errors).toEqual([{ person: null, step: 'not named' }]);
      expect(recordFailure(new CliError('refused', 'no', { code: text }))).not.toHaveProperty('code');
    },
  );
});

test('a journal in which an answered batch is sent again contradicts itself', () => {
  const at = '2026-11-28T12:00:00.000Z';
  const where = { batch: 1, part: 1, retry: false, at };
  const sending = { ...where, type: 'sending', count: 1, digest: 'd' } as const;
  const lines = [
    { line: 1, at, type: 'created', run: 'r', persons: 1, batchSize: 100 },
    { line: 2, ...sending },
    { line: 3, ...where, type: 'answered', answer: { found: 1, errors: [] } },
  ] as const;
  expect(() => replay(lines)).not.toThrow();
  expect(() => replay([...lines, { line: 4, ...sending }])).toThrow('the batch was answered already');
});

test.each([
  ['in the moment of the answer is left', 0, { left: 1, recreated: 0, holds: false }],
  ['a millisecond later has come back', 1, { left: 0, recreated: 1, holds: true }],
])('a verification: who was created %s', async (_, later, counts) => {
  const { run, clock } = rehearse({ ids: numbered(1) });
  await carryOut(run, clock, allDeleted);
  const createdAt = new Date(clock.now() + later).toISOString();
  const lookUp: LookUp = async ({ ids }) =>
    ids.map((id) => ({ id, uuid: uuidOf(1), distinctIds: [id], createdAt }));
  expect(await verifyRun(run, { ...listOnly, lookUp })).toMatchObject(counts);
});

test.each([
  ['batch', 0, 1],
  ['batch', 2, 1],
  ['part', 1, 2],
])('nothing is done for a %s that the run has not (%i.%i)', (_, batch, part) => {
  const { run } = rehearse({ ids: numbered(3) });
  expect(findPart(run.state(), { batch: 1, part: 1 })).toMatchObject({ from: 0, count: 3 });
  expect(() => findPart(run.state(), { batch, part })).toThrow(RangeError);
});
test('the last answer of a run is the last by the service, whatever the clock here did between two', async () => {
  const { run, clock } = rehearse({ ids: numbered(200) });
  const times = ['2026-11-29T04:59:00.000Z', '2026-11-29T05:01:00.000Z'];
  const answer: Answering = (batch, call) => {
    clock.forward(call === 1 ? 3_600_000 : -7_200_000);
    return { ...allDeleted(batch, call), serviceTime: times[call - 1] };
  };
  await carryOut(run, clock, answer);
  const last = lastAnswer(run.state());
  expect(last?.serviceTime).toBe(times[1]);
  expect(last && eventsNotBefore(last).at).toBe('2026-12-06T05:00:00.000Z');
});

test.each([
  ['EROFS', 'work as a user who may write the record of the run'],
  ['ENOSPC', 'make room on the disk'],
])('a record that cannot be written for %s is told with what helps', (code, remedy) => {
  const error = toJournalError(Object.assign(new Error('no'), { code }));
  expect(error.hint).toBe(`nothing is sent that is not written down, so ${remedy}`);
});

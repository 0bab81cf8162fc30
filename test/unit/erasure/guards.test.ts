import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastAnswer } from '../../../src/erasure/proof/outcome.ts';
import { recordAnswer, recordFailure, toBatchAnswer } from '../../../src/erasure/record/answer.ts';
import {
  createRunDirectory,
  type Disk,
  realDisk,
  takeLock,
  useRunDirectory,
} from '../../../src/erasure/record/directory.ts';
import { toJournalError } from '../../../src/erasure/record/journal.ts';
import { CliError } from '../../../src/errors.ts';
import {
  agree,
  beginSession,
  createClock,
  numbered,
  rehearse,
  sendCall,
  takeAnswer,
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
    const directory = createRunDirectory(join(temporaryFolder(), 'run'), { disk });
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
      const recorded = recordAnswer({ kind: 'figures', errors: [{ step: text }] }, String, new Set());
      expect(recorded.errors).toEqual([{ person: null, step: 'not named' }]);
      expect(recordFailure(new CliError('refused', 'no', { code: text }))).not.toHaveProperty('code');
    },
  );

  test('holds people as HMACs, and nothing of somebody who was not sent but that there was one', () => {
    const [sent, stranger] = [uuidOf(1), uuidOf(2)];
    const errors = [sent, stranger, 'no uuid', undefined].map((one) => ({
      person_uuid: one,
      step: 'postgres',
    }));
    const memberOf = (uuid: string) => `member of ${uuid}`;
    const recorded = recordAnswer({ kind: 'figures', errors }, memberOf, new Set([memberOf(sent)]));
    expect(recorded.errors).toEqual([
      { person: memberOf(sent), step: 'postgres' },
      { person: null, step: 'postgres', notInRun: true },
      { person: null, step: 'postgres' },
      { person: null, step: 'postgres' },
    ]);
  });

  test.each([undefined, null])('is its success alone if it has no body: %o', (summary) => {
    const { kind, errors, ...figures } = toBatchAnswer(summary);
    expect([kind, errors]).toEqual(['no body', []]);
    expect(Object.values(figures).every((one) => one === undefined)).toBe(true);
  });

  test.each(['false', 'true', 1, null, {}])(
    'is no figure that is none, and no yes or no that is neither: %j',
    (told) => {
      // Cast: a service may answer with another type than it says.
      const summary = {
        persons_found: told === 1 ? 1.5 : told,
        persons_deleted: -1,
        events_queued_for_deletion: told,
        recordings_queued_for_deletion: told,
      } as unknown as Parameters<typeof toBatchAnswer>[0];
      expect(toBatchAnswer(summary)).toEqual({ kind: 'figures', errors: [] });
    },
  );
});

test('the last answer of a run is the last by the service, whatever the clock here did between two', () => {
  const { run, clock } = rehearse({ ids: numbered(200) });
  agree(run);
  beginSession(run);
  const times = ['2026-11-29T04:59:00.000Z', '2026-11-29T05:01:00.000Z'];
  for (const [at, serviceTime] of times.entries()) {
    const batch = at + 1;
    const call = sendCall(run, batch);
    clock.forward(at === 0 ? 3_600_000 : -7_200_000);
    takeAnswer(run, { batch, call, answer: { serviceTime } });
  }
  expect(lastAnswer(run.state())?.serviceTime).toBe(times[1]);
});

test.each([
  ['EROFS', 'work as a user who may write the record of the run'],
  ['ENOSPC', 'make room on the disk'],
])('a record that cannot be written for %s is told with what helps', (code, remedy) => {
  const error = toJournalError(Object.assign(new Error('no'), { code }));
  expect(error.hint).toBe(`nothing is sent that is not written down, so ${remedy}`);
});

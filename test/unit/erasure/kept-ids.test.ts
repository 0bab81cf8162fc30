import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { readRun } from '../../../src/erasure/record/open.ts';
import { endSession, numbered, reading, rehearse, uuidOf } from './rehearsal.ts';

describe('the ids of a run', () => {
  test.each([3, 128, 129])('end with the last of %i: behind it there are none', (count) => {
    const { run } = rehearse({ ids: numbered(count) });
    expect(run.entries(count - 1, 5).map(({ id }) => id)).toEqual([`user-${count}`]);
    for (const from of [count, 128 * 2, 128 * 3 + 1]) expect(run.entries(from, 1)).toEqual([]);
    expect(run.entries(0, 0)).toEqual([]);
  });

  test('are kept with a person who has more distinct ids than a piece of the file holds', () => {
    const distinctIds = numbered(5000, 'é');
    const known = [null, { uuid: uuidOf(1), distinctIds: ['user-2', ...distinctIds] }, null];
    const { run, reopen } = rehearse({ ids: numbered(3), known });
    run.close();
    expect(
      reopen()
        .entries(0, 3)
        .map(({ person }) => person),
    ).toEqual([{ uuid: uuidOf(1), distinctIds: ['user-2', ...distinctIds] }, null, null]);
  });

  test('once dropped, are asked for in vain', () => {
    const { run } = rehearse({ ids: numbered(3) });
    run.dropIds();
    expect(() => run.requireIds()).toThrow(
      expect.objectContaining({ kind: 'refused', message: 'the record of this run has no ids any more' }),
    );
  });

  test('end with the plan, whatever somebody wrote behind them', () => {
    const { run, reopen } = rehearse({ ids: numbered(3) });
    run.close();
    const path = join(run.path, 'ids');
    appendFileSync(path, `["ids","${uuidOf(2)}",1,"${uuidOf(2)}",[]]\n`);
    const again = reopen();
    expect([again.entries(0, 9).length, again.seen()]).toEqual([3, []]);
    again.close();
    appendFileSync(path, `["ids","${uuidOf(2)}",7]\n`);
    expect(reopen).toThrow('line 5 of the file ids of this run was damaged');
  });

  test('that came since the plan are kept behind it, also behind a line that a crash cut off', () => {
    const { run, reopen } = rehearse({ ids: numbered(3) });
    const [first, second] = [uuidOf(7), 'é'].map((id) => ({ kind: 'distinct-ids', id }) as const);
    run.keepSeen(first ? [first] : []);
    run.close();
    appendFileSync(join(run.path, 'ids'), '["seen","dist');
    const again = reopen();
    again.keepSeen(second ? [second] : []);
    again.close();
    const last = reopen();
    expect(last.seen()).toEqual([first, second]);
    expect(last.entries(0, 9)).toHaveLength(3);
  });
});

test('a journal that cannot be written for a cause without a code says so', () => {
  const broken = { is: false };
  const disk: Disk = {
    ...realDisk,
    sync(descriptor) {
      if (broken.is) throw new Error('the cable is out');
      realDisk.sync(descriptor);
    },
  };
  const { run } = rehearse({ ids: numbered(3), disk });
  broken.is = true;
  expect(() => endSession(run)).toThrow(
    expect.objectContaining({
      kind: 'unavailable',
      message: 'the journal of the run cannot be written (unknown cause)',
    }),
  );
});

test('a plan without a journal is no run', () => {
  const { run } = rehearse({ ids: numbered(3) });
  run.close();
  rmSync(join(run.path, 'journal.ndjson'));
  expect(() => readRun(run.path, reading)).toThrow(
    'the record of the run does not hold: journal.ndjson is missing',
  );
});

test.each([
  ['cut', (text: string) => text.replace('["user-2"]', '["user-2"')],
  ['of another kind', (text: string) => text.replace(/^.*"user-2".*$/m, '{"a":"user-2"}')],
  ['no text', (text: string) => text.replace('"user-2"', '17')],
])('damaged ids (%s) are told without their content', (_, damage) => {
  const { run, reopen } = rehearse({ ids: numbered(3) });
  run.close();
  const path = join(run.path, 'ids');
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  const again = reopen();
  expect(() => again.entries(0, 3)).toThrow(
    expect.objectContaining({ kind: 'check', message: 'line 2 of the file ids of this run was damaged' }),
  );
});

test('a second writer of a journal stops the first before it writes', () => {
  const { run } = rehearse({ ids: numbered(3) });
  const path = join(run.path, 'journal.ndjson');
  appendFileSync(path, 'x');
  const before = readFileSync(path, 'utf8');
  expect(() => endSession(run)).toThrow(
    expect.objectContaining({
      kind: 'check',
      message: 'another process writes into the journal of this run',
    }),
  );
  expect(readFileSync(path, 'utf8')).toBe(before);
});

import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { readRun } from '../../../src/erasure/record/open.ts';
import { allDeleted, carryOut, failure, knownAs, numbered, rehearse, uuidOf } from './rehearsal.ts';

describe('the ids of a run', () => {
  test.each([3, 128, 129])('end with the last of %i: behind it there are none', (count) => {
    const { run } = rehearse({ ids: numbered(count) });
    expect(run.entries(count - 1, 5).map(({ id }) => id)).toEqual([`user-${count}`]);
    for (const from of [count, 128 * 2, 128 * 3 + 1]) expect(run.entries(from, 1)).toEqual([]);
    expect(run.entries(0, 0)).toEqual([]);
  });

  test('are kept with a person who has more distinct ids than a piece of the file holds', () => {
    const distinctIds = numbered(5000, 'é');
    const known = [null, { uuid: uuidOf(1), distinctIds }, null];
    const { run, reopen } = rehearse({ ids: numbered(3), known });
    run.close();
    expect(
      reopen()
        .entries(0, 3)
        .map(({ person }) => person),
    ).toEqual([{ uuid: uuidOf(1), distinctIds }, null, null]);
  });

  test('once dropped, take and give no uuid of a person', () => {
    const { run } = rehearse({ ids: numbered(3) });
    run.dropIds();
    expect(run.named()).toEqual([]);
    expect(() => run.keepNamed([uuidOf(1)])).toThrow(
      expect.objectContaining({ kind: 'refused', message: 'the record of this run has no ids any more' }),
    );
    run.close();
    expect(readRun(run.path).named()).toEqual([]);
  });
});

describe('uuids that the service named among its errors', () => {
  test('are no id that somebody wrote behind those of the plan', () => {
    const { run, reopen } = rehearse({ ids: numbered(3) });
    run.keepNamed([uuidOf(1)]);
    run.close();
    appendFileSync(join(run.path, 'ids'), `["ids","${uuidOf(2)}"]\n`);
    const again = reopen();
    expect(again.named()).toEqual([uuidOf(1)]);
    expect(again.entries(0, 9)).toHaveLength(3);
  });

  test('are not sent again where the record lost them, and stay written down as failed', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(3), known: knownAs(numbered(3), 7) });
    const path = join(run.path, 'ids');
    const planned = readFileSync(path);
    const errors = [{ person_uuid: uuidOf(7), step: 'postgres' }];
    await carryOut(run, clock, (_, call) => {
      if (call > 1) throw failure(401, 'not-done');
      return { found: 3, deleted: 2, errors };
    });
    run.close();
    writeFileSync(path, planned);
    const { sent, outcome } = await carryOut(reopen(), clock, allDeleted);
    expect(sent).toEqual([]);
    expect(outcome).toMatchObject({ verdict: 'partly done', kind: 'partial', deleted: 2, failed: 1 });
  });

  test('stop the run before the next call where the disk does not take them', async () => {
    const full = { is: false };
    const disk: Disk = {
      ...realDisk,
      write(descriptor, bytes) {
        if (full.is) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        return realDisk.write(descriptor, bytes);
      },
    };
    const { run, clock } = rehearse({ ids: numbered(300), disk });
    const calls: number[] = [];
    const failing = carryOut(run, clock, (_, call) => {
      calls.push(call);
      full.is = true;
      return { found: 100, deleted: 99, errors: [{ person_uuid: uuidOf(7), step: 'postgres' }] };
    });
    await expect(failing).rejects.toMatchObject({
      kind: 'partial',
      message: 'the journal of the run cannot be written (ENOSPC)',
    });
    expect(calls).toEqual([1]);
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
  expect(() => run.append({ type: 'ended', stopped: null })).toThrow(
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
  expect(() => readRun(run.path)).toThrow('the record of the run does not hold: journal.ndjson is missing');
});

test.each([
  ['cut', (text: string) => text.replace('"user-2"]', '"user-2')],
  ['of another kind', (text: string) => text.replace('["distinct-ids","user-2"]', '{"a":"user-2"}')],
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
  expect(() => run.append({ type: 'ended', stopped: null })).toThrow(
    expect.objectContaining({
      kind: 'check',
      message: 'another process writes into the journal of this run',
    }),
  );
  expect(readFileSync(path, 'utf8')).toBe(before);
});

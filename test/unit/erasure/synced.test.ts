import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRun } from '../../../src/erasure/open-run.ts';
import { createRunDirectory, type Disk, realDisk } from '../../../src/erasure/run-directory.ts';
import { allDeleted, carryOut, numbered, rehearse, temporaryFolder, toolsFor } from './rehearsal.ts';

/** A disk that writes down what it was asked for, a letter a call: write, sync, truncate. */
function watchedDisk(): { readonly disk: Disk; readonly calls: string[] } {
  const calls: string[] = [];
  const disk: Disk = {
    write(descriptor, bytes) {
      calls.push('write');
      return realDisk.write(descriptor, bytes);
    },
    sync(descriptor) {
      calls.push('sync');
      realDisk.sync(descriptor);
    },
    truncate(descriptor, size) {
      calls.push('truncate');
      realDisk.truncate(descriptor, size);
    },
  };
  return { disk, calls };
}

describe('what is written is on the disk before the next step', () => {
  test('each file of a new run', () => {
    const { disk, calls } = watchedDisk();
    rehearse({ ids: numbered(3), disk });
    expect(calls).toContain('write');
    expect(calls.filter((_, at) => calls[at] === 'write' && calls[at + 1] !== 'sync')).toEqual([]);
  });

  test('each line of the journal, before a batch is sent and after its answer', async () => {
    const { disk, calls } = watchedDisk();
    const { run, clock } = rehearse({ ids: numbered(300), disk });
    calls.length = 0;
    const { outcome } = await carryOut(run, clock, (batch, call) => {
      calls.push('send');
      return allDeleted(batch, call);
    });
    expect(outcome.verdict).toBe('done');
    const line = ['write', 'sync'];
    expect(calls).toEqual([
      ...line,
      ...Array.from({ length: 3 }, () => [...line, 'send', ...line]).flat(),
      ...line,
    ]);
  });

  test('a torn line that is cut off', () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    run.close();
    appendFileSync(join(run.path, 'journal.ndjson'), '{"line":2');
    const { disk, calls } = watchedDisk();
    openRun(run.path, toolsFor(clock, disk)).close();
    const cut = calls.indexOf('truncate');
    expect(calls.slice(cut, cut + 4)).toEqual(['truncate', 'sync', 'write', 'sync']);
  });
});

describe('what a run leaves is for its owner', () => {
  test('files and directory, also where the directory was there before', () => {
    const { run } = rehearse({ ids: numbered(3) });
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(run.path)).toBe('700');
    for (const name of ['plan.json', 'ids', 'check-key', 'journal.ndjson', 'members.ndjson', 'lock-1'])
      expect([name, modeOf(join(run.path, name))]).toEqual([name, '600']);
    const folder = temporaryFolder();
    createRunDirectory(folder);
    expect(modeOf(folder)).toBe('700');
  });

  test('a file that exists is never written over', () => {
    const directory = createRunDirectory(join(temporaryFolder(), 'run'));
    directory.writeNew('ids', ['a']);
    expect(() => directory.writeNew('ids', ['b'])).toThrow('EEXIST');
    expect(directory.readText('ids')).toBe('a');
  });
});

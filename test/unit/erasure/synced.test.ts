import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRunDirectory, type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { openRun } from '../../../src/erasure/record/open.ts';
import {
  agree,
  beginSession,
  numbered,
  rehearse,
  see,
  sendCall,
  takeAnswer,
  temporaryFolder,
  toolsFor,
} from './rehearsal.ts';

/** A disk that writes down what it was asked for, a word a call, and what a loss of power leaves. */
function watchedDisk() {
  const calls: string[] = [];
  let written = '';
  let safe = '';
  const disk: Disk = {
    write(descriptor, bytes) {
      calls.push('write');
      const count = realDisk.write(descriptor, bytes);
      written += Buffer.from(bytes.subarray(0, count)).toString();
      return count;
    },
    sync(descriptor) {
      calls.push('sync');
      realDisk.sync(descriptor);
      safe = written;
    },
    truncate(descriptor, size) {
      calls.push('truncate');
      realDisk.truncate(descriptor, size);
    },
  };
  return { disk, calls, safe: () => safe };
}

const linesIn = (text: string, type: string) =>
  text.split('\n').filter((line) => line.includes(`"type":"${type}"`));

describe('what is written is on the disk before the next step', () => {
  test('each file of a new run', () => {
    const { disk, calls } = watchedDisk();
    rehearse({ ids: numbered(3), disk });
    expect(calls).toContain('write');
    expect(calls.filter((_, at) => calls[at] === 'write' && calls[at + 1] !== 'sync')).toEqual([]);
  });

  test('each line of the journal, and what it says counts only then', () => {
    const { disk, calls, safe } = watchedDisk();
    const { run } = rehearse({ ids: numbered(300), disk });
    calls.length = 0;
    agree(run);
    beginSession(run);
    for (const batch of [1, 2, 3]) {
      const call = sendCall(run, batch);
      expect(linesIn(safe(), 'sending')).toHaveLength(batch);
      takeAnswer(run, { batch, call });
      expect(linesIn(safe(), 'answered')).toHaveLength(batch);
      see(run, 'nobody', { batch });
    }
    expect(calls).toEqual(Array(11).fill(['write', 'sync']).flat());
  });

  test('ids that came since the plan', () => {
    const { disk, calls } = watchedDisk();
    const { run } = rehearse({ ids: numbered(3), disk });
    calls.length = 0;
    run.keepSeen([{ kind: 'distinct-ids', id: 'another' }]);
    expect(calls).toEqual(['write', 'sync']);
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

  test('a torn line on Windows, where a file that is open to append cannot be cut', () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    run.close();
    const journal = join(run.path, 'journal.ndjson');
    appendFileSync(journal, '{"line":2');
    const cutters: number[] = [];
    const growers: number[] = [];
    const truncate = (descriptor: number, size: number) => {
      cutters.push(descriptor);
      realDisk.truncate(descriptor, size);
    };
    const write = (descriptor: number, bytes: Uint8Array) => {
      growers.push(descriptor);
      return realDisk.write(descriptor, bytes);
    };
    openRun(run.path, toolsFor(clock, { ...realDisk, truncate, write })).close();
    expect(cutters).toHaveLength(1);
    expect(growers.at(-1)).not.toBe(cutters[0]);
    expect(readFileSync(journal, 'utf8')).not.toContain('{"line":2{');
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

import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../src/erasure/record/digest.ts';
import { createRunDirectory, type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { openRun } from '../../../src/erasure/record/open.ts';
import { allDeleted, carryOut, numbered, rehearse, temporaryFolder, toolsFor } from './rehearsal.ts';

/** A disk that writes down what it was asked for, a word a call, and which lines of a journal a loss of power leaves. */
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
  const safeLines = (type: string) => safe.split('\n').filter((line) => line.includes(`"type":"${type}"`));
  return { disk, calls, safeLines };
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

  test('of several lanes: nothing leaves before its line and the answers before it are safe', async () => {
    const lanes = 3;
    const { disk, calls, safeLines } = watchedDisk();
    const { run, clock } = rehearse({ ids: numbered(2000), disk });
    calls.length = 0;
    const { outcome, sent } = await carryOut(
      run,
      clock,
      async (batch, call) => {
        const digests = safeLines('sending').map((line) => /"digest":"(\w+)"/.exec(line)?.[1]);
        expect(digests).toContain(digestOf(batch.ids.map((id) => run.memberOf('distinct-ids', id))));
        expect(safeLines('answered').length).toBeGreaterThanOrEqual(call - lanes);
        for (let turn = 0; turn < call % 4; turn += 1) await new Promise(setImmediate);
        return allDeleted(batch, call);
      },
      { concurrency: lanes },
    );
    expect(outcome).toMatchObject({ verdict: 'done', deleted: 2000 });
    expect(sent).toHaveLength(20);
    expect(safeLines('answered')).toHaveLength(20);
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

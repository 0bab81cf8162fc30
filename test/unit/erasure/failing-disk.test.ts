import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRun } from '../../../src/erasure/record/create.ts';
import { type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import {
  agree,
  beginSession,
  createClock,
  endSession,
  nobodySpared,
  numbered,
  planInput,
  rehearse,
  see,
  sendCall,
  takeAnswer,
  temporaryFolder,
  toolsFor,
  toPeople,
} from './rehearsal.ts';

/** A disk with room for so many bytes; what does not fit is not written at all. */
function diskWith(room: { left: number }): Disk {
  return {
    ...realDisk,
    write(descriptor, bytes) {
      if (bytes.length > room.left) return fullDisk();
      room.left -= bytes.length;
      return realDisk.write(descriptor, bytes);
    },
  };
}

describe('a disk that fails', () => {
  /** Fails while `faults` says so; a fault of a number writes so many bytes first. */
  function createDisk() {
    const faults: { bytes: number | undefined; truncate: boolean } = { bytes: undefined, truncate: false };
    const disk: Disk = {
      write(descriptor, bytes) {
        if (faults.bytes === undefined) return realDisk.write(descriptor, bytes);
        if (faults.bytes === 0) return fullDisk();
        const part = Math.min(faults.bytes, bytes.length);
        faults.bytes = 0;
        return realDisk.write(descriptor, bytes.subarray(0, part));
      },
      sync: realDisk.sync,
      truncate: (descriptor, size) => (faults.truncate ? fullDisk() : realDisk.truncate(descriptor, size)),
    };
    return { disk, faults };
  }

  test('a line that cannot be written is not there, and what it says did not happen', () => {
    const { disk, faults } = createDisk();
    const { run, reopen } = rehearse({ ids: numbered(3), disk });
    agree(run);
    beginSession(run);
    const before = run.seal();
    faults.bytes = 30;
    expect(() => sendCall(run)).toThrow(
      expect.objectContaining({ kind: 'unavailable', message: expect.stringContaining('ENOSPC') }),
    );
    faults.bytes = undefined;
    expect([run.seal(), run.standing(1).batch.calls]).toEqual([before, []]);
    const text = readFileSync(join(run.path, 'journal.ndjson'), 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    takeAnswer(run, { call: sendCall(run) });
    run.close();
    expect(reopen().tally()).toEqual({ told: 3 });
  });

  test('a call whose answer cannot be written down may have run', () => {
    const { disk, faults } = createDisk();
    const { run, reopen } = rehearse({ ids: numbered(3), disk });
    agree(run);
    beginSession(run);
    const call = sendCall(run);
    faults.bytes = 30;
    expect(() => takeAnswer(run, { call })).toThrow('ENOSPC');
    faults.bytes = undefined;
    run.close();
    const again = reopen();
    beginSession(again);
    expect(again.tally()).toEqual({ unknown: 3 });
    expect(() => sendCall(again)).toThrow('not permitted');
  });

  test('half a line that cannot even be cut off is repaired by the next process', () => {
    const { disk, faults } = createDisk();
    const { run, reopen } = rehearse({ ids: numbered(3), disk });
    agree(run);
    faults.bytes = 25;
    faults.truncate = true;
    expect(() => beginSession(run)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    faults.bytes = undefined;
    expect(() => endSession(run)).toThrow('cannot be written');
    run.close();
    const again = reopen();
    expect(again.state().repairs).toBe(1);
    beginSession(again);
    see(again, 'everybody');
    takeAnswer(again, { call: sendCall(again) });
    expect(again.tally()).toEqual({ told: 3 });
  });

  test('a short write is carried on, not lost', () => {
    const disk: Disk = {
      ...realDisk,
      write: (descriptor, bytes) => realDisk.write(descriptor, bytes.subarray(0, 7)),
    };
    const { run, reopen } = rehearse({ ids: numbered(50), disk });
    run.append({ type: 'started', host: 'h', project: '7', key: 'ä', resumed: false });
    run.close();
    expect(reopen().state().sessions).toHaveLength(1);
  });
});

describe('a record that cannot be written', () => {
  test('leaves nothing behind', () => {
    const stateDirectory = temporaryFolder();
    const room = { left: 5000 };
    const people = [toPeople({ ids: numbered(100) })];
    const tools = toolsFor(createClock(), diskWith(room));
    const planned = { people, plan: makePlan(planInput(people)), spared: nobodySpared };
    expect(() => createRun({ stateDirectory }, planned, tools)).toThrow('(ENOSPC)');
    expect(readdirSync(join(stateDirectory, 'runs'))).toEqual([]);
    room.left = 1_000_000;
    const run = createRun({ stateDirectory }, planned, tools);
    expect(run.hasIds).toBe(true);
    run.close();
  });
});

function fullDisk(): never {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

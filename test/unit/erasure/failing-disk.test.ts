import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { createRun } from '../../../src/erasure/record/open.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import {
  allDeleted,
  carryOut,
  createClock,
  numbered,
  planInput,
  rehearse,
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

  test('stops before sending what could not be written down', async () => {
    const { disk, faults } = createDisk();
    const { run, clock, reopen } = rehearse({ ids: numbered(300), disk });
    const calls: number[] = [];
    const failing = carryOut(run, clock, (batch, call) => {
      calls.push(call);
      if (call === 2) faults.bytes = 30;
      return allDeleted(batch, call);
    });
    // The second answer could not be written: what is known of that batch is that it may have run.
    await expect(failing).rejects.toMatchObject({
      kind: 'partial',
      message: expect.stringContaining('ENOSPC'),
    });
    expect(calls).toEqual([1, 2]);
    faults.bytes = undefined;
    run.close();
    const text = readFileSync(join(run.path, 'journal.ndjson'), 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    const again = reopen();
    const { sent, outcome } = await carryOut(again, clock, allDeleted);
    expect(sent.map(({ ids }) => ids[0])).toEqual(['user-101', 'user-201']);
    expect(outcome).toMatchObject({ verdict: 'done', deleted: 300, batches: { settled: 1 } });
  });

  test('a first line that cannot be written sends nothing', async () => {
    const { disk, faults } = createDisk();
    const { run, clock } = rehearse({ ids: numbered(3), disk });
    faults.bytes = 0;
    const { sent, error } = await carryOut(run, clock, allDeleted).then(
      ({ sent }) => ({ sent, error: undefined }),
      (thrown) => ({ sent: [], error: thrown }),
    );
    expect(sent).toEqual([]);
    expect(error).toMatchObject({ kind: 'unavailable' });
  });

  test('keeps an answer for which there is room, though there is none for the line behind it', async () => {
    const room = { left: Number.POSITIVE_INFINITY };
    const disk = diskWith(room);
    const { run, clock, reopen } = rehearse({ ids: numbered(300), disk });
    const failing = carryOut(run, clock, (batch, call) => {
      // More than an answer takes, less than an answer and a sending.
      if (call === 2) room.left = 600;
      return allDeleted(batch, call);
    });
    await expect(failing).rejects.toMatchObject({ kind: 'partial' });
    room.left = Number.POSITIVE_INFINITY;
    run.close();
    const { sent, outcome } = await carryOut(reopen(), clock, allDeleted);
    expect(sent.map(({ ids }) => ids[0])).toEqual(['user-201']);
    expect(outcome).toMatchObject({ verdict: 'done', deleted: 300, batches: { settled: 0 } });
  });

  test('half a line that cannot even be cut off is repaired by the next process', async () => {
    const { disk, faults } = createDisk();
    const { run, clock, reopen } = rehearse({ ids: numbered(300), disk });
    faults.bytes = 25;
    faults.truncate = true;
    await expect(carryOut(run, clock, allDeleted)).rejects.toMatchObject({ kind: 'unavailable' });
    faults.bytes = undefined;
    expect(() => run.append({ type: 'ended', stopped: null })).toThrow('cannot be written');
    run.close();
    const again = reopen();
    expect(again.state().repairs).toBe(1);
    expect((await carryOut(again, clock, allDeleted)).outcome).toMatchObject({
      verdict: 'done',
      deleted: 300,
    });
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
    const planned = { people, plan: makePlan(planInput(people)) };
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

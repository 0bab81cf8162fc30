import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRun, readRun } from '../../../src/erasure/record/open.ts';
import {
  beginSession,
  carryOut,
  createClock,
  numbered,
  reading,
  rehearse,
  temporaryFolder,
  toolsFor,
  uuidOf,
} from './rehearsal.ts';

describe('opening', () => {
  test('gives the same plan, ids and state back', () => {
    const { run, reopen } = rehearse({ ids: numbered(250) });
    carryOut(run);
    const whole = (one: typeof run) => ({
      plan: one.plan,
      state: one.state(),
      seal: one.seal(),
      tally: one.tally(),
      batches: [1, 2, 3].map((batch) => one.standing(batch)),
    });
    const before = whole(run);
    run.close();
    const again = reopen();
    expect(whole(again)).toEqual(before);
    expect(again.entries(99, 2)).toMatchObject([
      { kind: 'distinct-ids', id: 'user-100', person: { uuid: uuidOf(100) } },
      { kind: 'distinct-ids', id: 'user-101', person: { uuid: uuidOf(101) } },
    ]);
  });

  test('a second process is refused, reading is not', () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    expect(() => openRun(run.path, toolsFor(clock))).toThrow('another process works on this run');
    expect(readRun(run.path, reading).plan).toEqual(run.plan);
  });

  test.each([1, 40, 300])(
    'a last line cut off by a crash (%i bytes) is removed and written down',
    (bytes) => {
      const { run, clock, reopen } = rehearse({ ids: numbered(3) });
      beginSession(run);
      run.close();
      const journal = join(run.path, 'journal.ndjson');
      const whole = readFileSync(journal, 'utf8');
      appendFileSync(journal, whole.split('\n')[1]?.slice(0, bytes) ?? '');
      expect(readRun(run.path, reading).seal().lines).toBe(2);
      const again = reopen();
      const torn = Math.min(bytes, (whole.split('\n')[1] ?? '').length);
      const third = JSON.parse(readFileSync(journal, 'utf8').split('\n')[2] ?? '');
      expect(third).toMatchObject({
        line: 3,
        type: 'repaired',
        bytes: torn,
        at: new Date(clock.now()).toISOString(),
      });
      expect(again.state().repairs).toBe(1);
    },
  );

  test('there is no run without a first line of the journal', () => {
    const folder = temporaryFolder();
    expect(() => openRun(folder, toolsFor(createClock()))).toThrow(
      expect.objectContaining({ kind: 'check', message: expect.stringContaining('plan.json is missing') }),
    );
    const { run } = rehearse({ ids: ['u1'] });
    run.close();
    writeFileSync(join(run.path, 'journal.ndjson'), '{"line":1');
    expect(() => readRun(run.path, reading)).toThrow('the journal has no whole line');
  });

  test('ids that are not complete are refused', () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    run.close();
    writeFileSync(join(run.path, 'ids'), '["distinct-ids","user-1"]\n');
    expect(() => openRun(run.path, toolsFor(clock))).toThrow(
      'the file ids of this run ends after line 1 of 3',
    );
    // The failed opening has given its lock back.
    expect(readdirSync(run.path).filter((name) => name.startsWith('lock'))).toEqual([]);
  });

  test('dropped ids are gone; the run can still be read', () => {
    const { run } = rehearse({ ids: numbered(3) });
    run.dropIds();
    expect(existsSync(join(run.path, 'ids'))).toBe(false);
    expect(() => run.entries(0, 1)).toThrow('no ids any more');
    run.close();
    const record = readRun(run.path, reading);
    expect([record.hasIds, record.state().idsDropped]).toEqual([false, true]);
  });
});

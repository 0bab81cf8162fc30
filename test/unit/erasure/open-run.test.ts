import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRun } from '../../../src/erasure/create-run.ts';
import { makePlan } from '../../../src/erasure/make-plan.ts';
import { openRun, readRun } from '../../../src/erasure/open-run.ts';
import { type Disk, realDisk } from '../../../src/erasure/run-directory.ts';
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
  uuidOf,
} from './rehearsal.ts';

const mode = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);

describe('a new run', () => {
  test('has a directory of its own, for its owner alone, named by time', () => {
    const { run, stateDirectory } = rehearse({ ids: numbered(3) });
    expect(readdirSync(join(stateDirectory, 'runs'))).toEqual(['20261128T120000Z-i00000']);
    expect(run.id).toBe('20261128T120000Z-i00000');
    expect(mode(run.path)).toBe('700');
    expect(mode(stateDirectory, 'runs')).toBe('700');
    for (const name of ['ids', 'check-key', 'plan.json', 'journal.ndjson', 'members.ndjson']) {
      expect(mode(run.path, name), name).toBe('600');
    }
  });

  test('names nobody outside its ids, and its key stands nowhere else', async () => {
    const ids = ['ana@example.org', 'zoë-日本', '4711-customer'];
    const { run, clock } = rehearse({
      ids,
      known: ids.map((id, index) => ({ uuid: uuidOf(index), distinctIds: [id] })),
    });
    await carryOut(run, clock, (_, call) =>
      call === 1
        ? { found: 3, errors: [{ person_uuid: uuidOf(1), step: 'ana@example.org' }] }
        : { errors: [] },
    );
    const key = readFileSync(join(run.path, 'check-key'), 'utf8').trim();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    for (const name of ['plan.json', 'journal.ndjson', 'members.ndjson']) {
      const text = readFileSync(join(run.path, name), 'utf8');
      for (const secret of [...ids, ...ids.map((_, index) => uuidOf(index)), 'ana', '日', key]) {
        expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
      }
    }
  });

  test('two runs of the same ids share no member', () => {
    const [first, second] = [rehearse({ ids: ['u1'] }), rehearse({ ids: ['u1'] })];
    expect(first.run.memberOf('distinct-ids', 'u1')).not.toBe(second.run.memberOf('distinct-ids', 'u1'));
    expect(first.run.memberOf('distinct-ids', 'u1')).not.toBe(first.run.memberOf('ids', 'u1'));
  });

  test('goes into an empty directory by name, not into one that holds anything', () => {
    const people = [toPeople({ ids: ['u1'] })];
    const input = { plan: makePlan(planInput(people)), people, ...toolsFor(createClock()) };
    const directory = join(temporaryFolder(), 'deep', 'run');
    createRun({ directory }, input).close();
    expect(existsSync(join(directory, 'plan.json'))).toBe(true);
    expect(() => createRun({ directory }, input)).toThrow(expect.objectContaining({ kind: 'usage' }));
  });

  test('is refused as usage where nothing can be written', () => {
    const people = [toPeople({ ids: ['u1'] })];
    const input = { plan: makePlan(planInput(people)), people, ...toolsFor(createClock()) };
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createRun({ stateDirectory: file }, input)).toThrow(
      expect.objectContaining({ kind: 'usage' }),
    );
    const disk: Disk = { ...realDisk, write: () => fullDisk() };
    expect(() => createRun({ stateDirectory: temporaryFolder() }, { ...input, disk })).toThrow('(ENOSPC)');
  });
});

describe('opening', () => {
  test('gives the same plan, ids and state back', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(250) });
    await carryOut(run, clock, allDeleted);
    const before = { plan: run.plan, state: run.state(), seal: run.seal() };
    run.close();
    const again = reopen();
    expect({ plan: again.plan, state: again.state(), seal: again.seal() }).toEqual(before);
    expect(again.entries(99, 2)).toEqual([
      { kind: 'distinct-ids', id: 'user-100' },
      { kind: 'distinct-ids', id: 'user-101' },
    ]);
  });

  test('a second process is refused, reading is not', () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    expect(() => openRun(run.path, toolsFor(clock))).toThrow('another process works on this run');
    expect(readRun(run.path).plan).toEqual(run.plan);
  });

  test.each([1, 40, 300])(
    'a last line cut off by a crash (%i bytes) is removed and written down',
    (bytes) => {
      const { run, clock, reopen } = rehearse({ ids: numbered(3) });
      run.append({ type: 'started', host: 'h', project: '7', key: null, resumed: false });
      run.close();
      const journal = join(run.path, 'journal.ndjson');
      const whole = readFileSync(journal, 'utf8');
      appendFileSync(journal, whole.split('\n')[1]?.slice(0, bytes) ?? '');
      expect(readRun(run.path).lines).toHaveLength(2);
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

  test('a torn uuid behind the ids does not spoil the next', () => {
    const { run, reopen } = rehearse({ ids: numbered(3) });
    run.keepNamed([uuidOf(1)]);
    run.close();
    appendFileSync(join(run.path, 'ids'), '["named","0000');
    const again = reopen();
    again.keepNamed([uuidOf(2)]);
    again.keepNamed([uuidOf(3)]);
    again.close();
    expect(readRun(run.path).named()).toEqual([uuidOf(1), uuidOf(2), uuidOf(3)]);
  });

  test('there is no run without a first line of the journal', () => {
    const folder = temporaryFolder();
    expect(() => openRun(folder, toolsFor(createClock()))).toThrow(
      expect.objectContaining({ kind: 'usage' }),
    );
    const { run } = rehearse({ ids: ['u1'] });
    run.close();
    writeFileSync(join(run.path, 'journal.ndjson'), '{"line":1');
    expect(() => readRun(run.path)).toThrow('no complete run');
  });

  test('ids that are not complete are refused', () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    run.close();
    writeFileSync(join(run.path, 'ids'), '["distinct-ids","user-1"]\n');
    expect(() => openRun(run.path, toolsFor(clock))).toThrow('not complete');
    // The failed opening has given its lock back.
    expect(readdirSync(run.path).filter((name) => name.startsWith('lock'))).toEqual([]);
  });

  test('dropped ids are gone; the run can still be read', () => {
    const { run } = rehearse({ ids: numbered(3) });
    run.dropIds();
    expect(existsSync(join(run.path, 'ids'))).toBe(false);
    expect(() => run.entries(0, 1)).toThrow('dropped');
    run.close();
    const record = readRun(run.path);
    expect([record.hasIds, record.state().idsDropped]).toEqual([false, true]);
  });
});

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

test('a directory that may not be entered is no reason to send', () => {
  if (process.getuid?.() === 0) return expect(process.getuid()).toBe(0);
  const parent = join(temporaryFolder(), 'closed');
  mkdirSync(parent);
  chmodSync(parent, 0o500);
  const people = [toPeople({ ids: ['u1'] })];
  const input = { plan: makePlan(planInput(people)), people, ...toolsFor(createClock()) };
  expect(() => createRun({ stateDirectory: parent }, input)).toThrow('(EACCES)');
});

function fullDisk(): never {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordAnswer } from '../../../src/erasure/record/answer.ts';
import { createRun } from '../../../src/erasure/record/create.ts';
import { type Disk, realDisk } from '../../../src/erasure/record/directory.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import { removeUnbegunRun } from '../../../src/erasure/record/unreadable.ts';
import {
  agree,
  beginSession,
  createClock,
  createdAt,
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
  uuidOf,
} from './rehearsal.ts';

const mode = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);

describe('a run that is to be removed since it never began', () => {
  test('stays if it has begun, or if another process takes it meanwhile', () => {
    const { run, tools } = rehearse({ ids: numbered(2) });
    run.close();
    expect(removeUnbegunRun(run.path, tools)).toBe(false);
    expect(readdirSync(run.path)).toContain('journal.ndjson');
    rmSync(join(run.path, 'journal.ndjson'));
    const holder = {
      pid: 7,
      began: 1,
      uptime: 1,
      host: hostname(),
      boot: null,
      namespace: null,
      at: '2026-03-02',
    };
    writeFileSync(join(run.path, 'lock-1'), JSON.stringify(holder));
    let asked = 0;
    const isAlive = () => {
      asked += 1;
      return asked > 1;
    };
    expect(
      removeUnbegunRun(run.path, { ...tools, records: { ...tools.records, owner: { pid: 1, isAlive } } }),
    ).toBe(false);
    expect(readdirSync(run.path)).toContain('ids');
  });
});

describe('the file ids of a run', () => {
  test.each([
    '{}',
    '["ids"]',
    '["ids","1",7]',
    '["ids","1","u",[],3]',
    '["other","1"]',
    '["named","1"]',
    '[',
  ])('that holds %s is damaged, which is said without it', (line) => {
    const { run, reopen } = rehearse({ ids: numbered(1) });
    run.close();
    writeFileSync(join(run.path, 'ids'), `${line}\n`);
    expect(() => reopen().entries(0, 1)).toThrow('line 1 of the file ids of this run was damaged');
  });
});

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

  test('names nobody outside its ids, and its key stands nowhere else', () => {
    const ids = ['ana@example.org', 'zoë-日本', '4711-customer'];
    const known = ids.map((id, index) => ({
      uuid: uuidOf(index),
      createdAt,
      distinctIds: [id],
    }));
    const { run } = rehearse({ ids, known });
    agree(run);
    beginSession(run);
    const call = sendCall(run);
    const errors = [{ person_uuid: uuidOf(1), step: 'ana@example.org' }];
    const answer = recordAnswer({ kind: 'figures', errors }, (uuid) => run.memberOf('ids', uuid), new Set());
    takeAnswer(run, { call, answer: { ...answer, deleted: 2 } });
    see(run, 'nobody');
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

  test('is refused as usage where nothing can be written', () => {
    const people = [toPeople({ ids: ['u1'] })];
    const planned = { plan: makePlan(planInput(people)), people, spared: nobodySpared };
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createRun({ stateDirectory: file }, planned, toolsFor(createClock()))).toThrow(
      expect.objectContaining({ kind: 'usage' }),
    );
    const disk: Disk = { ...realDisk, write: () => fullDisk() };
    const tools = toolsFor(createClock(), disk);
    expect(() => createRun({ stateDirectory: temporaryFolder() }, planned, tools)).toThrow('(ENOSPC)');
  });
});

test('a directory that may not be entered is no reason to send', () => {
  if (process.getuid?.() === 0) return expect(process.getuid()).toBe(0);
  const parent = join(temporaryFolder(), 'closed');
  mkdirSync(parent);
  chmodSync(parent, 0o500);
  const people = [toPeople({ ids: ['u1'] })];
  const planned = { plan: makePlan(planInput(people)), people, spared: nobodySpared };
  expect(() => createRun({ stateDirectory: parent }, planned, toolsFor(createClock()))).toThrow('(EACCES)');
});

function fullDisk(): never {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

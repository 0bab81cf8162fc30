import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listRuns } from '../../../src/erasure/proof/summary.ts';
import { createRun } from '../../../src/erasure/record/create.ts';
import { findSameRun, removeRun, runPath } from '../../../src/erasure/record/find.ts';
import { readRun } from '../../../src/erasure/record/open.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import {
  agree,
  beginSession,
  carryOut,
  endSession,
  nobodySpared,
  numbered,
  planInput,
  reading,
  rehearse,
  sendCall,
  takeAnswer,
  temporaryFolder,
  toolsFor,
  toPeople,
} from './rehearsal.ts';

const findRun = (directory: string, name: string) =>
  runPath(name, { stateDirectory: () => directory, warn: () => {}, ...reading });
const owner = { pid: process.pid, isAlive: () => true };

test('lists runs oldest first, with plan and outcome, and damaged ones by their problem', () => {
  const { run, clock, stateDirectory, people, plan, tools } = rehearse({ ids: numbered(3) });
  carryOut(run);
  clock.forward(60_000);
  const later = createRun({ stateDirectory }, { plan, people, spared: nobodySpared }, tools);
  mkdirSync(join(stateDirectory, 'runs', '20260101T000000Z-broken'));
  run.close();
  expect(listRuns(stateDirectory, { records: { owner, ...reading.records } })).toMatchObject([
    { id: '20260101T000000Z-broken', problem: expect.any(String) },
    {
      id: run.id,
      plan: { unique: 3 },
      outcome: { verdict: 'done' },
      atWork: false,
      isOpen: false,
      hasIds: true,
    },
    {
      id: later.id,
      outcome: { verdict: 'not begun', notSent: 3 },
      atWork: true,
      isOpen: true,
      verified: false,
    },
  ]);
  later.close();
  expect(listRuns(temporaryFolder(), { records: { owner, ...reading.records } })).toEqual([]);
});

test('a run is found by its id, by its beginning if only one has it, and by its directory', () => {
  const { run, clock, stateDirectory, people, plan, tools } = rehearse({ ids: numbered(3) });
  clock.forward(60_000);
  createRun({ stateDirectory }, { plan, people, spared: nobodySpared }, tools).close();
  expect(findRun(stateDirectory, run.id)).toBe(run.path);
  expect(findRun(stateDirectory, '20261128T120000Z')).toBe(run.path);
  expect(findRun(temporaryFolder(), run.path)).toBe(run.path);
  expect(() => findRun(stateDirectory, '20261128')).toThrow('2 runs begin with "20261128"');
  expect(() => findRun(stateDirectory, '')).toThrow('no run begins with ""');
});

test('the same project, flags and ids, in any order, are the same run while something is left', () => {
  const { run, stateDirectory, plan, people } = rehearse({ ids: numbered(300) });
  const find = (ids: readonly string[], more = {}) => {
    const others = [toPeople({ ids })];
    return findSameRun(
      { stateDirectory },
      { plan: makePlan(planInput(others, more)), people: others },
      reading,
    );
  };
  expect(findSameRun({ stateDirectory }, { plan, people }, reading)).toBe(run.path);
  expect(find(numbered(300).toReversed(), { batchSize: 10 })).toBe(run.path);
  expect(find([...numbered(299), 'another'])).toBeUndefined();
  expect(find(numbered(299))).toBeUndefined();
  expect(find(numbered(300), { host: 'https://us.example.test' })).toBeUndefined();
  expect(find(numbered(300), { project: { id: '8', name: 'Shop' } })).toBeUndefined();
  const flags = { deleteEvents: true, deleteRecordings: false, keepPerson: false };
  expect(find(numbered(300), { flags })).toBeUndefined();
  agree(run);
  beginSession(run);
  for (const batch of [1, 2, 3]) {
    takeAnswer(run, { batch, call: sendCall(run, batch) });
    endSession(run);
    if (batch < 3) expect(find(numbered(300))).toBe(run.path);
  }
  expect(find(numbered(300))).toBeUndefined();
});

test('a run is removed with all it holds, unless somebody works on it', () => {
  const { run, clock } = rehearse({ ids: numbered(3) });
  expect(() => removeRun(run.path, toolsFor(clock))).toThrow('another process works on this run');
  run.close();
  removeRun(run.path, toolsFor(clock));
  expect(existsSync(run.path)).toBe(false);
});

test('a run whose journal was changed is listed as damaged', () => {
  const { run, stateDirectory } = rehearse({ ids: numbered(3) });
  run.close();
  const path = join(run.path, 'journal.ndjson');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"batches":[[3,3]]', '"batches":[[3,2]]'));
  expect(listRuns(stateDirectory, { records: { owner, ...reading.records } })).toMatchObject([
    { id: run.id, problem: expect.any(String) },
  ]);
});

test('what the disk does not let be read is told as that, and hides no other run', () => {
  const { run, stateDirectory } = rehearse({ ids: numbered(3) });
  run.close();
  rmSync(join(run.path, 'plan.json'));
  mkdirSync(join(run.path, 'plan.json'));
  expect(listRuns(stateDirectory, { records: { owner, ...reading.records } })).toMatchObject([
    { problem: expect.any(String) },
  ]);
  expect(() => readRun(run.path, reading)).toThrow('plan.json of this run is not a regular file');
});

test('what a crash left before the first line of a journal is told from a run', () => {
  const { run, clock, stateDirectory } = rehearse({ ids: numbered(1) });
  run.close();
  const { owner } = toolsFor(clock).records;
  const summary = () => listRuns(stateDirectory, { records: { owner, ...reading.records } })[0];
  expect(summary()?.neverBegan).toBe(undefined);
  const journal = join(run.path, 'journal.ndjson');
  const text = readFileSync(journal, 'latin1');
  writeFileSync(journal, `${text.slice(0, 40)}`);
  expect(summary()).toMatchObject({ neverBegan: false, problem: expect.any(String) });
  rmSync(journal);
  expect(summary()).toMatchObject({ neverBegan: false, problem: expect.stringContaining('runs check') });
  writeFileSync(join(run.path, 'unfinished'), '');
  writeFileSync(journal, '');
  expect(summary()).toMatchObject({ neverBegan: true, problem: expect.stringContaining('runs prune') });
  rmSync(journal);
  expect(summary()).toMatchObject({ neverBegan: true });
  rmSync(join(run.path, 'check-key'));
  expect(summary()).toMatchObject({ neverBegan: false });
});

test('runs of one second are in the order in which they were planned, the newest last', () => {
  const { run, clock, stateDirectory, people, plan, tools } = rehearse({ ids: numbered(3) });
  clock.forward(1);
  const second = createRun(
    { stateDirectory },
    { plan, people, spared: nobodySpared },
    { ...tools, random: () => 0 },
  );
  clock.forward(1);
  const third = createRun(
    { stateDirectory },
    { plan, people, spared: nobodySpared },
    { ...tools, random: () => 0.2 },
  );
  for (const one of [run, second, third]) one.close();
  expect(second.id < third.id && third.id < run.id).toBe(true);
  expect(listRuns(stateDirectory, { records: { owner, ...reading.records } }).map(({ id }) => id)).toEqual([
    run.id,
    second.id,
    third.id,
  ]);
  expect(findRun(stateDirectory, 'last')).toBe(third.path);
  expect(findSameRun({ stateDirectory }, { plan, people }, reading)).toBe(third.path);
});

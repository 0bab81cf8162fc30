import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { checkRun } from '../../../src/erasure/check.ts';
import { readRun } from '../../../src/erasure/record/open.ts';
import { reconcile } from '../../../src/erasure/record/outcome.ts';
import { numbered, rehearse, temporaryFolder } from './rehearsal.ts';

const root = join(import.meta.dirname, '../../..');

/** A process that carries a run out. Its service is a file that gets a line per call; it prints before and after each. */
const program = `
import { appendFileSync } from 'node:fs';
import { openRun } from './src/erasure/record/open.ts';
import { runPlan } from './src/erasure/sending/run.ts';
const [path, service, most] = process.argv.slice(2);
let said = 0;
// On a busy computer it would be at its end before it is killed.
const say = (text) => {
  said += 1;
  process.stdout.write(text);
  return said < Number(most) ? turn() : new Promise(() => setInterval(() => {}, 1000));
};
const isAlive = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
const run = openRun(path, { now: Date.now, random: Math.random, owner: { pid: process.pid, isAlive } });
const uuids = new Map(run.entries(0, 400).map(({ id, person }) => [id, person.uuid]));
const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const settings = async () => ({ project: { id: '7' }, host: { address: 'https://eu.example.test' } });
await runPlan(run, {
  concurrency: 2,
  // All of them are still there, and created before anything was sent.
  lookUp: async () => async ({ ids }) =>
    ids.map((id) => ({ id, uuid: uuids.get(id) ?? id, distinctIds: [], createdAt: '2026-01-01T00:00:00Z' })),
  async send({ ids }) {
    await say('sending\\n');
    appendFileSync(service, JSON.stringify(ids) + '\\n');
    await say('done\\n');
    return { found: ids.length, deleted: ids.length, errors: [] };
  },
}, { settings, now: Date.now, wait: turn, signal: never, forcedSignal: never });
run.close();
`;

test('killed again and again, a run sends every id, and only unanswered ones twice', async () => {
  const folder = temporaryFolder();
  const bundle = join(folder, 'carry-out.mjs');
  buildSync({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
  });
  const service = join(folder, 'service');
  writeFileSync(service, '');
  const { run } = rehearse({
    ids: numbered(400),
    plan: { batchSize: 10, lookedUpAt: new Date().toISOString() },
  });
  run.close();
  for (const lines of [1, 4, 7, 2, 12, 9]) {
    const child = spawn(process.execPath, [bundle, run.path, service, String(lines + 4)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let seen = 0;
    for await (const _ of createInterface({ input: child.stdout })) {
      seen += 1;
      if (seen === lines) child.kill('SIGKILL');
    }
    expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGKILL');
    expect(checkRun(run.path).problems.filter((problem) => !problem.includes('no whole line'))).toEqual([]);
  }
  const last = spawn(process.execPath, [bundle, run.path, service, '1000'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(last, 'exit')).toEqual([0, null]);

  const record = readRun(run.path);
  expect(reconcile(record)).toMatchObject({ sent: 400, unknown: 0, notSent: 0, batches: { done: 40 } });
  const received: string[] = readFileSync(service, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line));
  expect(new Set(received)).toEqual(new Set(numbered(400)));
  const attempts = new Map(partsOf(record.state()).map(({ from, sending }) => [from, sending.attempts]));
  for (const [from, count] of attempts) {
    const times = received.filter((id) => id === `user-${from + 1}`).length;
    expect(times).toBeLessThanOrEqual(count);
  }
  // A call that was answered is never sent again: all repeats are attempts that the journal calls lost.
  const lost = partsOf(record.state()).reduce((total, { sending }) => total + sending.lost, 0);
  expect([...attempts.values()].reduce((total, count) => total + count, 0)).toBe(40 + lost);
  expect(lost).toBeGreaterThan(0);
  record.close();
}, 60_000);

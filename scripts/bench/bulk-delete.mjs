// Bulk deletions against a service that takes 50 ms a call: wall time, what the journal costs, and memory.
import { fork, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteBarely } from './support/bare-client.mjs';
import { serveDeletions } from './support/deletion-server.mjs';
import { plainEnvironment } from './support/environment.mjs';
import { atMost } from './support/goals.mjs';
import { median } from './support/median.mjs';
import { printTable } from './support/table.mjs';

export const summary =
  'bulk deletions against the bare minimum of their calls, and peak memory up to 1,000,000 ids';

const program = join(import.meta.dirname, '../../bin/hogctl.js');
const reportPeak = join(import.meta.dirname, 'support/report-peak.cjs');
const timeJournal = join(import.meta.dirname, 'support/time-journal.cjs');
/** As on any day but the first, compiled code is there. */
const cache = join(tmpdir(), `hogctl-bench-cache-${process.pid}`);
const DELAY = 50;

const speeds = [
  { ids: 100_000, batch: 995, lanes: 4, goal: 1.25 },
  { ids: 100_000, batch: 100, lanes: 1, goal: 1.1, rounds: 1 },
];
const sizes = [
  { ids: 1000, batch: 995 },
  { ids: 100_000, batch: 995 },
  { ids: 1_000_000, batch: 995 },
];

// This file is also the service and the client without a journal, each in a process of its own.
if (process.argv[2] === 'serve') {
  serveDeletions(Number(process.argv[3]));
}
if (process.argv[2] === 'bare') {
  await deleteBarely(JSON.parse(process.argv[3]));
}

/** Persons of whom one request asks. */
const LOOK = 199;
/** Such requests at the same time, of all lanes together. */
const LOOK_LANES = 4;

function startService(delay) {
  const child = fork(import.meta.filename, ['serve', String(delay)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', ({ port }) =>
      resolve({ origin: `http://127.0.0.1:${port}`, stop: () => child.kill() }),
    );
  });
}

function writeIds(path, count) {
  const file = openSync(path, 'w');
  for (let from = 0; from < count; from += 10_000) {
    const some = Array.from({ length: Math.min(10_000, count - from) }, (_, index) => from + index);
    writeSync(file, some.map((id) => `0190a5c6-0000-4000-8000-${String(id).padStart(12, '0')}\n`).join(''));
  }
  closeSync(file);
}

/** Each deletion has a project of its own, in which everybody is there. */
let projects = 0;

/** One deletion in a home of its own: milliseconds from start to exit, peak MiB, milliseconds spent in the journal. */
function erase({ ids, batch, lanes = 4, more = [] }, { origin, file }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  try {
    const words = ['persons', 'bulk-delete', '--from', file, '--as', 'ids', '--yes', '--quiet', ...more];
    const sizes = ['--batch-size', String(batch), '--concurrency', String(lanes), '-o', 'json'];
    projects += 1;
    const place = { HOGCTL_PROJECT: String(projects), HOGCTL_DIALECT: 'live', HOGCTL_CACHE_DIR: cache };
    const before = process.hrtime.bigint();
    const child = spawnSync(
      process.execPath,
      ['--require', reportPeak, '--require', timeJournal, program, ...words, ...sizes],
      {
        env: { ...plainEnvironment({ home, origin }), ...place },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
        encoding: 'utf8',
      },
    );
    const wall = Number(process.hrtime.bigint() - before) / 1e6;
    const done = child.status === 0 && (more.length > 0 || JSON.parse(child.stdout).deleted === ids);
    if (!done) {
      throw new Error(`the command failed with ${child.status}: ${child.stderr}`);
    }
    return { wall, peak: Number.parseInt(child.output[3], 10) / 1024, journal: Number(child.output[4]) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function sendBarely(wish) {
  const words = [import.meta.filename, 'bare', JSON.stringify(wish)];
  return Number(spawnSync(process.execPath, words, { encoding: 'utf8' }).stdout);
}

/**
 * Start-up is what one id takes beyond its one call. The goal is for the sending: before the first call all ids are read,
 * checked, looked up and written down, which is shown beside it.
 */
function measureSpeed({ ids, batch, lanes, goal, rounds: times }, places) {
  // A look after each call is by uuid and by distinct id, each about 199 a request and somebody else as a control.
  const looks = 2 * Math.ceil(batch / LOOK);
  const rounds = 1 + Math.ceil((looks * lanes) / LOOK_LANES);
  const bare = (Math.ceil(ids / batch) * rounds * DELAY) / lanes;
  const measured = Array.from({ length: times }, () => {
    const startUp = erase({ ids: 1, batch, lanes }, places.one).wall - DELAY;
    const planned = erase({ ids, batch, lanes, more: ['--plan-only'] }, places.many).wall;
    const { wall, journal } = erase({ ids, batch, lanes }, places.many);
    const { origin } = places.many;
    const client = sendBarely({ origin, calls: Math.ceil(ids / batch), lanes, size: batch });
    return {
      client: client / bare,
      wall,
      plan: planned - startUp,
      sending: (wall - planned) / bare,
      whole: (wall - startUp) / bare,
      share: journal / (wall - startUp),
    };
  });
  const of = (name) => median(measured.map((one) => one[name]));
  return {
    row: {
      ids: String(ids),
      'per call x lanes': `${batch} x ${lanes}`,
      s: (of('wall') / 1000).toFixed(2),
      'bare s': (bare / 1000).toFixed(2),
      'bare client': of('client').toFixed(2),
      sending: of('sending').toFixed(2),
      'plan s': (of('plan') / 1000).toFixed(2),
      'with plan': of('whole').toFixed(2),
      journal: `${(of('share') * 100).toFixed(1)} %`,
    },
    goals: [
      atMost(`deletion of 100,000 ids, ${batch} x ${lanes}: x ideal`, of('sending'), goal),
      atMost(`deletion of 100,000 ids, ${batch} x ${lanes}: journal, %`, of('share') * 100, 5),
    ],
  };
}

function measureSize(size, { origin, directory }) {
  const file = join(directory, `ids-${size.ids}`);
  writeIds(file, size.ids);
  const plan = erase({ ...size, more: ['--plan-only'] }, { origin, file });
  const { peak, wall } = erase(size, { origin, file });
  rmSync(file);
  return { ids: size.ids, plan: plan.wall / 1000, seconds: wall / 1000, peak: Math.max(peak, plan.peak) };
}

export async function run({ rounds = 3 }) {
  const directory = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  const services = await Promise.all([startService(DELAY), startService(0)]);
  const [slow, quick] = services.map(({ origin }) => origin);
  try {
    const one = { origin: slow, file: join(directory, 'one') };
    const many = { origin: slow, file: join(directory, 'many') };
    writeIds(one.file, 1);
    writeIds(many.file, speeds[0].ids);
    const speed = speeds.map((wish) =>
      measureSpeed({ ...wish, rounds: wish.rounds ?? rounds }, { one, many }),
    );
    printTable(speed.map(({ row }) => row));
    const memory = sizes.map((size) => measureSize(size, { origin: quick, directory }));
    console.log('');
    printTable(
      memory.map(({ ids, plan, seconds, peak }) => ({
        ids: String(ids),
        'plan s': plan.toFixed(1),
        s: seconds.toFixed(1),
        'peak MiB': peak.toFixed(1),
      })),
    );
    const million = memory.at(-1);
    return [
      ...speed.flatMap(({ goals }) => goals),
      atMost('deletion of 1,000,000 ids: peak, MiB', million.peak, 300),
      atMost('deletion of 1,000,000 ids: planning, s', million.plan, 10),
    ];
  } finally {
    for (const service of services) {
      service.stop();
    }
    rmSync(directory, { recursive: true, force: true });
    rmSync(cache, { recursive: true, force: true });
  }
}

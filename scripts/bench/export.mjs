// Reading whole lists: rows per second as a share of what undici reads when every page is thrown away, and peak memory.
import { fork, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import { CSV, CURL, exportGoals, LIMIT, NAIVE, SQL_CSV, SQL_NDJSON, TABLE } from './support/export-goals.mjs';
import { median } from './support/median.mjs';
import { printTable } from './support/table.mjs';

export const summary =
  'whole lists of up to 1,000,000 rows, as a share of undici throwing the same pages away; --full: 3,000,000';

const program = join(import.meta.dirname, '../../bin/hogctl.js');
const reportPeak = join(import.meta.dirname, 'support/report-peak.cjs');
const readPages = join(import.meta.dirname, 'support/read-pages.mjs');

/** Milliseconds after which a run is broken off and counts as failed. */
const LONGEST = 3_600_000;
const curlAndJq = `url=$1; while [ "$url" != null ]; do page=$(curl -s "$url"); url=$(jq -r .next <<<"$page");
  jq -r '.results[] | [.[] | if type == "object" or type == "array" then tojson else . end] | @csv' <<<"$page"; done`;

const sql = (...more) => [program, 'persons', 'export', '--via', 'query', '--quiet', ...more];
const list = (...more) => [program, 'persons', 'list', '--all', '--quiet', ...more];
const chosen =
  'id,name,properties.email,properties.plan,properties.seats,properties.company.name,created_at,uuid';

/** `most`: rows beyond which it is not tried. */
const designs = [
  { name: LIMIT, words: (url) => [readPages, 'discard', url] },
  { name: NAIVE, words: (url) => [readPages, 'csv', url], most: 1_000_000 },
  { name: CSV, words: () => list('-o', 'csv') },
  { name: 'csv, 8 columns', words: () => list('-o', 'csv', '--columns', chosen), most: 1_000_000 },
  { name: 'ndjson', words: () => list('-o', 'ndjson') },
  { name: 'json', words: () => list('-o', 'json') },
  { name: SQL_CSV, words: () => sql('-o', 'csv') },
  { name: SQL_NDJSON, words: () => sql('-o', 'ndjson') },
  { name: TABLE, words: () => list('-o', 'table'), most: 10_000 },
  { name: CURL, program: 'bash', words: (url) => ['-c', curlAndJq, 'bash', url], most: 100_000 },
];

function startService() {
  const child = fork(join(import.meta.dirname, 'support/person-server.mjs'), { stdio: 'inherit' });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  return answer().then(({ port }) => ({
    origin: `http://127.0.0.1:${port}`,
    /** Rows sent since the last time this was asked. */
    served: async () => {
      child.send('served');
      return (await answer()).served;
    },
    stop: () => child.kill(),
  }));
}

/** Why a design cannot be measured here, undefined where it can. */
function obstacle({ name }) {
  const missing = name === CURL ? ['curl', 'jq'].filter((one) => !isThere(one)) : [];
  return missing.length === 0
    ? undefined
    : `${name} is left out: ${missing.join(' and ')} cannot be found here.`;
}

function isThere(name) {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** One run from start to exit: seconds and peak MiB. Throws where not every row was read. */
async function measure(design, rows, { service, home }) {
  const environment = { ...plainEnvironment({ home, origin: service.origin }), HOGCTL_PROJECT: String(rows) };
  const url = `${service.origin}/api/projects/${rows}/persons/?limit=1000`;
  const words = design.program ? design.words(url) : ['--require', reportPeak, ...design.words(url)];
  const sink = openSync('/dev/null', 'w');
  const before = process.hrtime.bigint();
  const child = spawnSync(design.program ?? process.execPath, words, {
    env: environment,
    stdio: ['ignore', sink, 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: LONGEST,
  });
  const seconds = Number(process.hrtime.bigint() - before) / 1e9;
  closeSync(sink);
  const served = await service.served();
  if (child.status !== 0 || served !== rows) {
    throw new Error(`${design.name} ended with ${child.status} after ${served} rows: ${child.stderr}`);
  }
  return { seconds, peak: design.program ? undefined : Number(child.output[3]) / 1024 };
}

/** The designs in turn, round after round, so that a busy neighbour hits all alike. */
async function measureSize(rows, rounds, place) {
  const able = designs.filter(
    (design) => rows <= (design.most ?? Number.POSITIVE_INFINITY) && obstacle(design) === undefined,
  );
  const runs = new Map(able.map((design) => [design, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const design of able) {
      runs.get(design).push(await measure(design, rows, place));
    }
  }
  const ratio = (design, name) => {
    const base = able.find((one) => one.name === name);
    if (base === undefined) return undefined;
    return median(runs.get(base).map(({ seconds }, round) => seconds / runs.get(design)[round].seconds));
  };
  return able.map((design) => ({
    ...design,
    rows,
    seconds: median(runs.get(design).map((run) => run.seconds)),
    peak: Math.max(...runs.get(design).map((run) => run.peak ?? Number.NaN)),
    share: ratio(design, LIMIT),
    overNaive: ratio(design, NAIVE),
    overCurl: ratio(design, CURL),
  }));
}

function toRow({ name, rows, seconds, share, overNaive, overCurl, peak }) {
  return {
    rows: rows.toLocaleString('en'),
    design: name,
    s: seconds.toFixed(2),
    'rows/s': Math.round(rows / seconds).toLocaleString('en'),
    share: share.toFixed(3),
    'x naive': overNaive?.toFixed(2) ?? '',
    'x curl': overCurl?.toFixed(1) ?? '',
    'peak MiB': Number.isNaN(peak) ? '' : peak.toFixed(0),
  };
}

/** How often a size is measured: what takes long once, unless it is said. */
function roundsFor(rows, wanted) {
  if (rows <= 10_000) return wanted ?? 5;
  return wanted ?? (rows < 1_000_000 ? 3 : 1);
}

/** Prints the table and what was to be reached; `met` tells whether each goal was kept. */
export async function run({ rounds, full = false }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  const service = await startService();
  const sizes = [1000, 10_000, 100_000, 1_000_000, ...(full ? [3_000_000] : [])];
  const measured = [];
  try {
    for (const rows of sizes) {
      measured.push(...(await measureSize(rows, roundsFor(rows, rounds), { service, home })));
    }
    printTable(measured.map(toRow));
    const load = loadavg().map((one) => one.toFixed(1));
    console.log(
      `node ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}, load average ${load.join(' ')}`,
    );
    for (const reason of designs.map(obstacle)) if (reason !== undefined) console.log(reason);
    const goals = exportGoals(measured);
    console.log();
    printTable(
      goals.map(({ what, goal, value, met }) => ({ what, goal, value, verdict: met ? 'met' : 'NOT MET' })),
    );
    return { met: goals.every(({ met }) => met) };
  } finally {
    service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

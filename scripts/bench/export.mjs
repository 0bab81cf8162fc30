// Reading whole lists: rows per second as a share of what undici reads when every page is thrown away, and peak memory.
import { fork, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import { median } from './support/median.mjs';
import { printTable } from './support/table.mjs';

export const summary =
  'reading whole lists, as a share of undici throwing the same pages away; --full: 1,000,000 rows';

const program = join(import.meta.dirname, '../../bin/hogctl.js');
const reportPeak = join(import.meta.dirname, 'support/report-peak.cjs');
const readPages = join(import.meta.dirname, 'support/read-pages.mjs');

const PEAK_GOAL = 110;
/** Milliseconds after which a run is broken off and counts as failed. */
const LONGEST = 300_000;
const LIMIT = 'undici, thrown away';
const NAIVE = 'page parse + csv-stringify';
const CSV = 'csv';
const curlAndJq = `url=$1; while [ "$url" != null ]; do page=$(curl -s "$url"); url=$(jq -r .next <<<"$page");
  jq -r '.results[] | [.[] | if type == "object" or type == "array" then tojson else . end] | @csv' <<<"$page"; done`;

const list = (...more) => [program, 'persons', 'list', '--all', '--quiet', ...more];
const chosen =
  'id,name,properties.email,properties.plan,properties.seats,properties.company.name,created_at,uuid';

/** `least`: the share of the limit to reach at 1,000,000 rows. `most`: rows beyond which it is not tried. */
const designs = [
  { name: LIMIT, words: (url) => [readPages, 'discard', url] },
  { name: NAIVE, words: (url) => [readPages, 'csv', url], most: 100_000 },
  { name: CSV, words: () => list('-o', 'csv'), least: 0.12 },
  { name: 'csv, 8 columns', words: () => list('-o', 'csv', '--columns', chosen), least: 0.12 },
  { name: 'ndjson', words: () => list('-o', 'ndjson'), least: 0.28 },
  { name: 'json', words: () => list('-o', 'json'), least: 0.28 },
  { name: 'table', words: () => list('-o', 'table'), most: 10_000 },
  {
    name: 'curl + jq',
    program: 'bash',
    words: (url) => ['-c', curlAndJq, 'bash', url],
    most: 1000,
    needs: ['curl', 'jq'],
  },
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
    ({ most = Number.POSITIVE_INFINITY, needs = [] }) => rows <= most && needs.every(isThere),
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
  }));
}

/** What was to be reached: speed where start-up no longer counts, memory everywhere. */
function goalsOf({ name, rows, share, overNaive, peak, least }) {
  if (least === undefined) return [];
  const speed = rows < 1_000_000 ? [] : [{ text: `share >= ${least}`, met: share >= least }];
  const naive =
    rows < 100_000 || name !== CSV || overNaive === undefined
      ? []
      : [{ text: 'naive >= 1.5', met: overNaive >= 1.5 }];
  return [...speed, ...naive, { text: `MiB <= ${PEAK_GOAL}`, met: peak <= PEAK_GOAL }];
}

function toRow(measured) {
  const { name, rows, seconds, share, overNaive, peak } = measured;
  const missed = goalsOf(measured).filter(({ met }) => !met);
  return {
    rows: rows.toLocaleString('en'),
    design: name,
    s: seconds.toFixed(2),
    'rows/s': Math.round(rows / seconds).toLocaleString('en'),
    share: share.toFixed(3),
    'x naive': overNaive?.toFixed(2) ?? '',
    'peak MiB': Number.isNaN(peak) ? '' : peak.toFixed(0),
    verdict: missed.length > 0 ? `not met: ${missed.map(({ text }) => text).join(', ')}` : '',
  };
}

/** Prints the table; `met` tells whether each goal was kept. */
export async function run({ rounds = 3, full = false }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  const service = await startService();
  const sizes = [1000, 10_000, 100_000, ...(full ? [1_000_000] : [])];
  const measured = [];
  try {
    for (const rows of sizes) {
      measured.push(...(await measureSize(rows, rows < 1_000_000 ? rounds : 1, { service, home })));
    }
    printTable(measured.map(toRow));
    const load = loadavg().map((one) => one.toFixed(1));
    console.log(
      `node ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}, load average ${load.join(' ')}`,
    );
    return { met: measured.flatMap(goalsOf).every(({ met }) => met) };
  } finally {
    service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

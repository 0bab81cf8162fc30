// Reading whole lists: beside the pages' own time at a service of the usual speed, beside a plain script and curl with jq
// at one that answers at once, and peak memory.
import { fork, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import {
  CSV,
  CURL,
  DELAY,
  EIGHT,
  exportGoals,
  JSON_LIST,
  NDJSON,
  OWN,
  PLAIN,
  SQL,
  STREAM,
  TABLE,
} from './support/export-goals.mjs';
import { median } from './support/median.mjs';
import { printTable } from './support/table.mjs';

export const summary = 'whole lists of up to 1,000,000 rows, at once and with 50 ms a page';

const program = join(import.meta.dirname, '../../bin/hogctl.js');
const reportPeak = join(import.meta.dirname, 'support/report-peak.cjs');
const readPages = join(import.meta.dirname, 'support/read-pages.mjs');

/** Milliseconds after which a run is broken off and counts as failed. */
const LONGEST = 3_600_000;
const curlAndJq = `url=$1; while [ "$url" != null ]; do page=$(curl -s "$url"); url=$(jq -r .next <<<"$page");
  jq -r '.results[] | [.[] | if type == "object" or type == "array" then tojson else . end] | @csv' <<<"$page"; done`;

const list = (...more) => [program, 'persons', 'list', '--all', '--quiet', ...more];
const eightColumns =
  'id,name,properties.email,properties.plan,properties.seats,properties.company.name,created_at,uuid';
const designs = {
  [OWN]: { words: (url) => [readPages, 'discard', url] },
  [PLAIN]: { words: (url) => [readPages, 'csv', url] },
  [STREAM]: { words: (url) => [readPages, 'stream', url] },
  [CSV]: { words: () => list('-o', 'csv') },
  [EIGHT]: { words: () => list('-o', 'csv', '--columns', eightColumns) },
  [NDJSON]: { words: () => list('-o', 'ndjson') },
  [JSON_LIST]: { words: () => list('-o', 'json') },
  [SQL]: { words: () => [program, 'persons', 'export', '--via', 'query', '--quiet', '-o', 'csv'] },
  [TABLE]: { words: () => list('-o', 'table') },
  [CURL]: { program: 'bash', words: (url) => ['-c', curlAndJq, 'bash', url] },
};

/** What runs in turn, round after round, so that a busy neighbour hits all alike. */
const sessions = [
  { rows: 10_000, delay: 0, rounds: 5, names: [CSV, TABLE] },
  { rows: 100_000, delay: 0, rounds: 3, names: [PLAIN, STREAM, CSV, EIGHT, NDJSON, JSON_LIST, SQL, CURL] },
  { rows: 1_000_000, delay: 0, rounds: 1, names: [PLAIN, STREAM, CSV, EIGHT, NDJSON, JSON_LIST, SQL] },
  { rows: 1_000_000, delay: DELAY, rounds: 1, names: [OWN, CSV, NDJSON, JSON_LIST, SQL] },
];

function startService(delay) {
  const child = fork(join(import.meta.dirname, 'support/person-server.mjs'), ['0', String(delay)], {
    stdio: 'inherit',
  });
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

/** Why a design cannot be measured here, undefined if it can. */
function obstacle(name) {
  const isThere = (one) => spawnSync(one, ['--version'], { stdio: 'ignore' }).status === 0;
  const missing = name === CURL ? ['curl', 'jq'].filter((one) => !isThere(one)) : [];
  return missing.length === 0
    ? undefined
    : `${name} is left out: ${missing.join(' and ')} cannot be found here.`;
}

/** One run from start to exit: seconds and peak MiB. Throws if not every row was read. */
async function measure(name, rows, { service, home }) {
  const design = designs[name];
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
    throw new Error(`${name} ended with ${child.status} after ${served} rows: ${child.stderr}`);
  }
  return { seconds, peak: design.program ? undefined : Number.parseInt(child.output[3], 10) / 1024 };
}

async function measureSession({ rows, delay, names, rounds }, { wanted, home }) {
  const able = names.filter((name) => obstacle(name) === undefined);
  const runs = new Map(able.map((name) => [name, []]));
  const service = await startService(delay);
  try {
    for (let round = 0; round < (wanted ?? rounds); round += 1) {
      for (const name of able) runs.get(name).push(await measure(name, rows, { service, home }));
    }
  } finally {
    service.stop();
  }
  return able.map((name) => {
    const own = runs.get(name);
    return {
      name,
      rows,
      delay,
      runs: own,
      seconds: median(own.map(({ seconds }) => seconds)),
      peak: Math.max(...own.map(({ peak }) => peak ?? Number.NaN)),
      ratioTo: (other) =>
        other.runs.length === own.length
          ? median(own.map(({ seconds }, round) => seconds / other.runs[round].seconds))
          : median(own.map(({ seconds }) => seconds)) / median(other.runs.map(({ seconds }) => seconds)),
    };
  });
}

function toRow({ name, rows, delay, seconds, peak }) {
  return {
    rows: rows.toLocaleString('en'),
    'ms a page': String(delay),
    design: name,
    s: seconds.toFixed(2),
    'rows/s': Math.round(rows / seconds).toLocaleString('en'),
    'peak MiB': Number.isNaN(peak) ? '' : peak.toFixed(0),
  };
}

export async function run({ rounds: wanted }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  const measured = [];
  try {
    for (const session of sessions) measured.push(...(await measureSession(session, { wanted, home })));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  printTable(measured.map(toRow));
  for (const reason of Object.keys(designs).map(obstacle)) if (reason !== undefined) console.log(reason);
  return exportGoals(measured);
}

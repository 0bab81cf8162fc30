// What a command does once: it reads a workbook, looks up addresses, draws a picture. And the size of the package.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { plainEnvironment } from './support/environment.mjs';
import { atMost } from './support/goals.mjs';
import { median } from './support/median.mjs';
import { printTable } from './support/table.mjs';

export const summary = 'a workbook of 100,000 rows, 10,000 addresses through SQL, a picture, the package';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'bin/hogctl.js');
const reportPeak = join(import.meta.dirname, 'support/report-peak.cjs');
const [ROWS, ADDRESSES, DELAY] = [100_000, 10_000, 50];

const days = Array.from({ length: 30 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}`);
const insight = {
  id: 42,
  short_id: 'aBcDeFgH',
  name: 'Orders',
  saved: true,
  last_refresh: '2026-01-31T00:00:00Z',
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ event: 'paid' }] } },
  result: ['paid', 'left', 'seen'].map((label, index) => ({
    label,
    days,
    labels: days,
    count: 30,
    data: days.map((_, day) => (day * 7 + index * 13) % 29),
  })),
};

const personOf = (uuid, index) => ({
  id: index + 1,
  uuid,
  name: 'Somebody',
  distinct_ids: [`somebody-${uuid.slice(-12)}`],
  properties: { email: `${uuid.slice(-12)}@example.org` },
  created_at: '2026-01-01T00:00:00Z',
});

const uuidOf = (address) => `0190a5c6-0000-4000-8000-${address.slice(0, 12)}`;

/** Each address belongs to somebody, whom SQL and the list find and a look-up shows, 50 ms a call. The rest is about the insight. */
function answerTo(url, asked) {
  if (url.includes('/query/')) {
    const { addresses = ['1'] } = JSON.parse(asked).query.values ?? {};
    return { results: addresses.map((one) => [uuidOf(one), one]), columns: [] };
  }
  if (url.includes('/batch_by_uuids/')) {
    const persons = JSON.parse(asked).uuids.map(personOf);
    return { results: Object.fromEntries(persons.map((one) => [one.uuid, one])) };
  }
  if (!url.includes('/persons/')) return insight;
  // Without a condition, somebody who is there is looked for.
  const conditions = new URL(url, 'http://service').searchParams.get('properties');
  const [{ value }] = conditions === null ? [{ value: ['999999999999'] }] : JSON.parse(conditions);
  return { results: value.map(uuidOf).map(personOf), next: null };
}

const server = createServer(async (request, response) => {
  const asked = await text(request);
  if (!request.url.includes('/insights/')) await sleep(DELAY);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answerTo(request.url, asked)));
});

const uuids = (count) =>
  Array.from({ length: count }, (_, index) => `0190a5c6-0000-4000-8000-${String(index).padStart(12, '0')}`);

/** By what makes the workbooks of the tests. */
async function writeWorkbook(file) {
  const entryPoints = [join(root, 'test/support/workbook.ts')];
  const [{ contents }] = buildSync({ entryPoints, format: 'esm', write: false }).outputFiles;
  const { inlineRows, makeWorkbook } = await import(
    `data:text/javascript;base64,${Buffer.from(contents).toString('base64')}`
  );
  const rows = uuids(ROWS).map((id, index) => [id, `somebody-${index}@example.org`, 'asked by mail']);
  writeFileSync(file, makeWorkbook({ rows: inlineRows([['id', 'address', 'note'], ...rows]) }));
}

/** A run of hogctl: seconds, seconds of processor, and MiB at most. */
async function runProgram(words, environment) {
  const before = performance.now();
  const child = spawn(process.execPath, ['--require', reportPeak, program, ...words, '--quiet'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [[code], complaint, used] = await Promise.all([
    once(child, 'exit'),
    text(child.stderr),
    text(child.stdio[3]),
  ]);
  const seconds = (performance.now() - before) / 1000;
  if (code !== 0) throw new Error(`hogctl ${words.join(' ')} ended with ${code}: ${complaint}`);
  const [peak, processor] = used.split(' ').map(Number);
  return { seconds, processor: processor / 1000, peak: peak / 1024 };
}

/** Megabytes of what `npm pack` would pack, unpacked. */
function packageSize() {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return JSON.parse(told)[0].unpackedSize / 1e6;
}

export async function run({ rounds = 5 }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const [workbook, addresses] = [join(home, 'people.xlsx'), join(home, 'addresses')];
    await writeWorkbook(workbook);
    writeFileSync(
      addresses,
      uuids(ADDRESSES)
        .map((id) => `${id.slice(-12)}@example.org\n`)
        .join(''),
    );
    const origin = `http://127.0.0.1:${server.address().port}`;
    const erase = ['persons', 'bulk-delete', '--plan-only', '--yes', '--max', String(ROWS), '--from'];
    const works = {
      workbook: ['runs', 'find', '--from', workbook, '--as', 'ids', '--column', 'id'],
      addresses: [...erase, addresses, '--as', 'emails'],
      picture: ['insights', 'get', '42', '--save', join(home, 'picture.svg')],
      answer: ['insights', 'get', '42', '--save', join(home, 'answer.json')],
    };
    const runs = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
    // The first round makes code that later ones find.
    for (let round = 0; round <= rounds; round += 1)
      for (const [name, words] of Object.entries(works)) {
        // Each work has a home of its own: the runs of one would be asked about in another.
        const environment = {
          ...plainEnvironment({ home: join(home, `of-${name}`), origin }),
          HOGCTL_DIALECT: 'live',
        };
        const one = await runProgram(words, environment);
        if (round > 0) runs[name].push(one);
      }
    const of = (name, figure) => median(runs[name].map((one) => one[figure]));
    printTable(
      Object.keys(works).map((name) => ({
        work: name,
        s: of(name, 'seconds').toFixed(2),
        'processor s': of(name, 'processor').toFixed(2),
        'peak MiB': of(name, 'peak').toFixed(0),
      })),
    );
    const drawing = median(runs.picture.map(({ processor }, at) => processor - runs.answer[at].processor));
    return [
      atMost('10,000 addresses through SQL, 50 ms a call, s', of('addresses', 'seconds'), 3),
      atMost('workbook of 100,000 rows, s', of('workbook', 'seconds'), 2),
      atMost('workbook of 100,000 rows, peak MiB', of('workbook', 'peak'), 150),
      atMost('picture of a chart, s of processor', drawing, 0.05),
      atMost('package unpacked, MB', packageSize(), 3),
    ];
  } finally {
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

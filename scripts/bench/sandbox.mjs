// How fast the sandbox is: from start to its first answer, and what a million events and fifty thousand people cost.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost } from './support/goals.mjs';
import { median } from './support/median.mjs';
import { startSandboxProcess } from './support/sandbox-process.mjs';
import { printTable } from './support/table.mjs';
import { makeVisitors } from './support/visitors.mjs';

export const summary = 'start of the sandbox, funnels over a million events, pages of people';

const PEOPLE = 50_000;
const EVENTS = 1_000_000;
const QUARTER = EVENTS / 4;

const funnel = {
  events: ['page opened', 'basket filled', 'order paid'].map((id, order) => ({ id, type: 'events', order })),
  date_from: '-60d',
  refresh: 'force_blocking',
};

/** Milliseconds, and what the work answered. */
async function time(work) {
  const before = process.hrtime.bigint();
  const answer = await work();
  return { wall: Number(process.hrtime.bigint() - before) / 1e6, answer };
}

/** `node -e 0` as a measure of the machine at this moment. */
const startNode = () => execFileSync(process.execPath, ['-e', '0']);

async function measure({ name, work, check, rounds, after = () => undefined }) {
  const walls = [];
  const ratios = [];
  for (let round = 0; round <= rounds; round += 1) {
    const base = (await time(startNode)).wall;
    const { wall, answer } = await time(work);
    await after(answer);
    if (!check(answer)) throw new Error(`${name}: not the expected answer`);
    if (round === 0) continue;
    walls.push(wall);
    ratios.push(wall / base);
  }
  return { name, wall: median(walls), ratio: median(ratios) };
}

async function startAndAsk() {
  const sandbox = await startSandboxProcess([]);
  const { results } = await sandbox.get('persons/?limit=1');
  return { sandbox, results };
}

function toRow({ name, wall, ratio }) {
  return { work: name, ms: wall.toFixed(1), 'of node -e 0': ratio?.toFixed(2) ?? '' };
}

async function measureLoaded({ folder, rounds }) {
  const sandbox = await startSandboxProcess(['--empty', '--now', '2026-06-17T12:00:00Z']);
  try {
    const files = await makeVisitors({ folder, people: PEOPLE, events: EVENTS, firstPart: QUARTER });
    const calculate = () => sandbox.post('insights/funnel/', funnel);
    const check = ({ result }) =>
      result.length === 3 && result[0].count > result[2].count && result[2].count > 0;
    await sandbox.load({ persons: files.persons, events: files.firstEvents });
    const small = await measure({ name: 'funnel, 250,000 events', work: calculate, check, rounds });
    const loading = await time(() => sandbox.load({ events: files.otherEvents }));
    const large = await measure({
      name: 'funnel, 1,000,000 events',
      work: calculate,
      check,
      rounds,
    });
    const page = (offset) => ({
      name: `100 people from ${offset}`,
      work: () => sandbox.get(`persons/?limit=100&offset=${offset}`),
      check: ({ results, count }) => results.length === 100 && count === PEOPLE,
      rounds,
    });
    const first = await measure(page(0));
    const late = await measure(page(40_000));
    const load = { name: 'import of 750,000 events', wall: loading.wall };
    return { rows: [load, small, large, first, late], small, large, first, late };
  } finally {
    await sandbox.stop();
  }
}

export async function run({ rounds = 7 }) {
  const folder = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  try {
    const start = await measure({
      name: 'start to first answer, sample',
      work: startAndAsk,
      check: ({ results }) => results.length === 1,
      after: ({ sandbox }) => sandbox.stop(),
      rounds,
    });
    const { rows, small, large, first, late } = await measureLoaded({ folder, rounds });
    const all = [start, ...rows];
    printTable(all.map(toRow));
    console.log(`four times the events: ${(large.wall / small.wall).toFixed(2)} times as long`);
    console.log(`page at 40,000: ${(late.wall / first.wall).toFixed(2)} times as long as the first`);
    return [
      atMost('sandbox: start to the first answer, x node -e 0', start.ratio, 10),
      atMost('sandbox: funnel of 1,000,000 events, s', large.wall / 1000, 1.5),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

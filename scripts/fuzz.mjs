// Runs the built program on command lines, answers, files of ids, run directories and SQL that chance makes, and looks
// for what must never happen. npm run fuzz -- --seconds 60 --seed 7 --only answers; --case 12 does one case again, and
// --most 20 the first twenty.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KINDS, makeSample } from './fuzz/cases.mjs';
import { createChance } from './fuzz/chance.mjs';
import { judge, KEY, LIMIT } from './fuzz/judge.mjs';
import { startSandbox, startService } from './fuzz/service.mjs';

const root = join(import.meta.dirname, '..');
const program = join(root, 'bin', 'hogctl.js');

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: Object.keys(KINDS).join(',') },
    case: { type: 'string' },
    most: { type: 'string', default: 'Infinity' },
    lanes: { type: 'string', default: '2' },
  },
});
const seed = Number(options.seed);
const kinds = options.only.split(',');
const wrong = kinds.find((kind) => !(kind in KINDS));
if (wrong !== undefined || !Number.isSafeInteger(seed))
  throw new Error(`--seed is a number, --only some of ${Object.keys(KINDS)}`);

function run(words, { cwd, environment }) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(process.execPath, [program, ...words], {
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const parts = [[], []];
    child.stdout.on('data', (part) => parts[0].push(part));
    child.stderr.on('data', (part) => parts[1].push(part));
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const [stdout, stderr] = parts.map((list) => Buffer.concat(list).toString('latin1'));
      resolve({ code, signal, stdout, stderr, milliseconds: performance.now() - started });
    });
  });
}

const home = mkdtempSync(join(tmpdir(), 'hogctl-fuzz-'));
const sandboxes = {
  specification: await startSandbox(program, 'specification'),
  live: await startSandbox(program, 'live'),
};
const cases = new Map();
const service = await startService(sandboxes, cases);
const lines = readFileSync(join(root, 'dist', 'completion.txt'), 'utf8')
  .trim()
  .split('\n');
const [tree, ...commands] = lines.map((line) => JSON.parse(line));
for (const [index, noun] of tree.nouns.entries()) noun.commands = commands[index].map(spelt);

/** A command of the completion's data with every spelling of its name and its options. */
function spelt({ name, aliases, options, arguments: places }) {
  const flagOf = (key) =>
    `--${key
      .replace('$', '')
      .replaceAll('_', '-')
      .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const isSwitch = ({ type }) => type === 'flag' || type === 'boolean';
  return {
    names: [name, ...aliases],
    arguments: Object.keys(places),
    options: Object.entries(options).map(([key, option]) => ({
      names: [flagOf(key), ...(option.short ? [`-${option.short}`] : [])],
      value: isSwitch(option) ? undefined : { words: option.choices },
    })),
  };
}

function place(name, dialect) {
  const folder = join(home, name);
  const cwd = join(folder, 'below', 'cwd');
  const state = join(folder, 'state');
  for (const path of [cwd, state, join(folder, 'config')]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    LANG: 'C.UTF-8',
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_HOST: `${service.origin}/${name}`,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: KEY,
    HOGCTL_DIALECT: dialect,
    HOGCTL_STATE_DIR: state,
    HOGCTL_CACHE_DIR: join(home, 'cache'),
  };
  return { folder, cwd, state, environment };
}

const findings = [];
const counts = {};
let changes = 0;

async function tryCase(number, lane) {
  const chance = createChance(seed * 1_000_003 + number);
  const kind = chance.pick(kinds);
  const dialect = chance.pick(['specification', 'live']);
  // A run goes on at its own address only.
  const name = kind === 'runs' ? `${dialect}${lane}` : `c${number}`;
  const { folder, cwd, state, environment } = place(name, dialect);
  const one = {
    dialect,
    chance,
    log: [],
    told: [],
    ...KINDS[kind]({ chance, tree, cwd, state, sample: samples[`${dialect}${lane}`] }),
  };
  cases.set(name, one);
  const ended = await run(one.words, { cwd, environment });
  cases.delete(name);
  rmSync(folder, { recursive: true, force: true });
  if (options.case !== undefined) console.log(one.words, ended);
  changes += one.log.filter(({ read }) => !read).length;
  counts[kind] ??= {};
  counts[kind][ended.code] = (counts[kind][ended.code] ?? 0) + 1;
  for (const fault of judge(ended, one)) {
    findings.push(fault);
    const words = one.words
      .map((word) => JSON.stringify(word.length > 200 ? `${word.slice(0, 200)}…` : word))
      .join(' ');
    const shown = ended.stderr.slice(0, 1500).replace(/^/gm, '    ');
    console.log(
      `${kind}, ${dialect}: ${fault}\n  hogctl ${words}\n${shown}\n  npm run fuzz -- --seed ${seed} --case ${number} --only ${options.only}\n`,
    );
  }
}

async function work(lane, next, until) {
  for (let number = next(); number < Number(options.most) && performance.now() < until; number = next())
    await tryCase(number, lane);
}

const samples = {};
const lanes = options.case === undefined ? Number(options.lanes) : 1;
try {
  const all = Object.keys(sandboxes).flatMap((dialect) =>
    Array.from({ length: lanes }, (_, lane) => ({ dialect, lane })),
  );
  for (const { dialect, lane } of kinds.includes('runs') ? all : []) {
    const name = `${dialect}${lane}`;
    const { cwd, environment } = place(name, dialect);
    const state = join(home, `runs-${name}`);
    cases.set(name, { dialect, log: [], told: [], chance: createChance(1) });
    samples[name] = await makeSample(state, (words) =>
      run(words, { cwd, environment: { ...environment, HOGCTL_STATE_DIR: state } }),
    );
  }
  console.log(`seed ${seed}`);
  let number = 0;
  if (options.case !== undefined) await tryCase(Number(options.case), 0);
  else {
    const until = performance.now() + Number(options.seconds) * 1000;
    await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane, () => number++, until)));
  }
  console.log(
    `${findings.length} findings, ${changes} changes sent; cases by kind and exit code: ${JSON.stringify(counts)}`,
  );
} finally {
  service.close();
  for (const { stop } of Object.values(sandboxes)) stop();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = findings.length > 0 ? 1 : 0;

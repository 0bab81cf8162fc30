// How long a command takes from start to exit, as a multiple of `node -e 0` on the same machine at the same time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import { measureTogether } from './support/rounds.mjs';
import { startServer } from './support/server-process.mjs';
import { printTable } from './support/table.mjs';

export const summary = 'start to exit of small commands, as multiples of `node -e 0`';

const program = join(import.meta.dirname, '../../bin/hogctl.js');

const authority = join(import.meta.dirname, '../../test/support/certificates/authority.pem');

/** What a small command may take of memory, in MiB. */
const PEAK = 55;

/** What one call may cost: Node 22 and later have no trouble with the parser of undici. */
const call = Number(process.versions.node.split('.')[0]) < 22 ? 2.1 : 1.9;

/**
 * The budget: one command of every family, and what each may cost. `expect` must stand in the output, so that a failing
 * command is never taken for a fast one.
 */
const budget = [
  ['--version', 1.1, /^\d+\.\d+\.\d+/],
  ['--help', 1.5, /insights/],
  ['persons --help', 1.35, /bulk-delete/],
  ['insights --help', 1.35, /funnel/],
  ['persons get --help', 1.8, /--distinct-id/],
  ['persons list --nonsense', 1.9, /nonsense/, 2],
  ['__complete zsh project = hogctl -p', 1.3, /^bench\t/],
  ['__complete zsh insight@0 = hogctl insights get', 1.3, /^shortId99\tInsight 99$/m],
  ['version', 2.2, /node/],
  ['auth list', 2.2, /^/],
  ['runs list', 2.2, /^/],
  ['endpoints', 3.7, /spec_id/],
  ['completion bash', 2.7, /complete/],
  ['sandbox --help', 1.35, /exec/],
  ['persons get 42 -o json', call, /a-person-of-the-bench/],
  ['persons list -o json', call + 0.2, /a-person-of-the-bench/],
  ['persons list', call + 0.3, /a-person-of-the-bench/],
  ['insights get 42 -o json', call + 0.2, /a-person-of-the-bench/],
  ['insights list -o csv', call + 0.5, /a-person-of-the-bench/],
  ['projects list -o json', call, /a-person-of-the-bench/],
  ['query "select 1" -o json', call + 0.2, /./],
  ['api GET persons/', call, /a-person-of-the-bench/],
];

const commands = [
  { name: 'node -e 0', words: ['-e', '0'] },
  {
    name: 'undici alone, one request',
    words: [join(import.meta.dirname, 'support/bare-request.cjs')],
    expect: /a-person-of-the-bench/,
  },
  ...budget.map(([line, goal, expect, code]) => ({
    name: `hogctl ${line}`,
    words: [program, ...split(line)],
    goal,
    expect,
    code,
  })),
];

const bare = (name, ...words) => ({
  name,
  words: [join(import.meta.dirname, 'support/bare-node.cjs'), ...words],
  expect: /a-person-of-the-bench/,
});

const overTls = (origin) => ({
  name: 'hogctl persons get 42, over https',
  words: [program, 'persons', 'get', '42', '-o', 'json', '--host', origin, '--ca-file', authority],
  goal: 3.2,
  expect: /a-person-of-the-bench/,
});

/** Words of a line; quotes keep spaces. */
function split(line) {
  return line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''));
}

const person = {
  id: 42,
  uuid: '0190a5c6-0000-7000-8000-000000000042',
  name: 'a-person-of-the-bench',
  distinct_ids: ['a'],
  properties: { plan: 'pro' },
  created_at: '2026-01-02T03:04:05Z',
};

/** A stored project, and 200 insights and 500 properties that Tab chooses from. */
function furnish({ home, environment, origin }) {
  const projects = [{ name: 'bench', host: origin, id: '1', key: 'phx_bench', protected: false }];
  mkdirSync(join(home, 'hogctl'));
  writeFileSync(join(home, 'hogctl', 'config.json'), JSON.stringify({ projects, default: 'bench' }), {
    mode: 0o600,
  });
  const known = {
    ...{ version: 1, host: origin, project: '1' },
    insights: Array.from({ length: 200 }, (_, index) => [`shortId${index}`, `Insight ${index}`]),
    properties: Array.from({ length: 500 }, (_, index) => `property_${index}`),
    columns: {},
  };
  const names = join(environment.HOGCTL_CACHE_DIR, 'completion');
  mkdirSync(names, { recursive: true });
  writeFileSync(join(names, `${new URL(origin).host.replace(':', '-')}-1.json`), JSON.stringify(known));
}

function toRow({ name, goal, ratio, wall, peak, problem }) {
  const kept = peak > PEAK ? `over ${PEAK} MiB` : 'met';
  const verdict = problem ?? (ratio > goal ? 'not met' : kept);
  return {
    command: name,
    ms: wall.toFixed(1),
    ratio: ratio.toFixed(2),
    goal: goal === undefined ? '' : `<= ${goal.toFixed(2)}`,
    verdict: goal === undefined && problem === undefined ? '' : verdict,
    'peak MiB': peak === undefined ? '' : peak.toFixed(1),
  };
}

/** Prints the table; `met` tells whether every command worked and kept its goal. */
export async function run({ rounds = 25 }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  const server = await startServer(person);
  try {
    const environment = {
      ...plainEnvironment({ home, origin: server.origin }),
      HOGCTL_CACHE_DIR: join(home, 'cache'),
    };
    furnish({ home, environment, origin: server.origin });
    const measured = measureTogether({
      commands: [
        ...commands,
        bare('node:http alone, one request', server.origin),
        overTls(server.secureOrigin),
        bare('node:https alone, one request', server.secureOrigin, authority),
      ],
      environment,
      rounds,
      warmUp: 2,
    });
    printTable(measured.map(toRow));
    console.log(
      `node ${process.version}, ${rounds} rounds, medians; ratio: median of the ratios of each round`,
    );
    return {
      met: measured.every(({ goal, ratio, problem, peak }) => !problem && !(ratio > goal) && peak <= PEAK),
    };
  } finally {
    server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

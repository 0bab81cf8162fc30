// How long a command takes from start to exit, as a multiple of `node -e 0` on the same machine at the same time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import { atMost } from './support/goals.mjs';
import { measureTogether } from './support/rounds.mjs';
import { startServer } from './support/server-process.mjs';
import { printTable } from './support/table.mjs';

export const summary = 'start to exit of small commands, as multiples of `node -e 0`';

const program = join(import.meta.dirname, '../../bin/hogctl.js');

const authority = join(import.meta.dirname, '../../test/support/certificates/authority.pem');

/** What a small command may take of memory beyond `node -e 0`, in MiB. */
const PEAK = 18;

const isNode20 = process.versions.node.startsWith('20.');

/** What one call over HTTP may cost, whatever it prints. Node 20 is slower with the parser of undici, and with TLS. */
const call = isNode20 ? 2.6 : 2.3;

/**
 * The budget: what each command may cost, if there is a goal for it. `expect` must stand in the output, so that a failing
 * command is never taken for a fast one.
 */
const budget = [
  ['--version', 1.1, /^\d+\.\d+\.\d+/],
  ['--help', 1.1, /insights/],
  ['persons --help', 1.1, /bulk-delete/],
  ['persons get --help', 1.1, /--distinct-id/],
  ['__complete zsh hogctl -p =', 1.2, /^bench\t/],
  ['__complete zsh hogctl insights get =', 1.2, /^shortId99\tInsight 99$/m],
  ['persons list --nonsense', undefined, /nonsense/, 2],
  ['auth list', undefined, /^/],
  ['runs list', undefined, /^/],
  ['completion bash', undefined, /complete/],
  ['persons get 42 -o json', call, /a-person-of-the-bench/],
  ['persons list', call, /a-person-of-the-bench/],
  ['insights list -o csv', call, /a-person-of-the-bench/],
  ['projects list -o json', call, /a-person-of-the-bench/],
  ['query "select 1" -o json', call, /./],
  ['api GET persons/', call, /a-person-of-the-bench/],
];

const commands = [
  { name: 'node -e 0', words: ['-e', '0'] },
  ...budget.map(([line, goal, expect, code]) => ({
    name: `hogctl ${line}`,
    words: [program, ...split(line)],
    goal,
    expect,
    code,
  })),
];

/** The first run after an installation: no code is kept yet. */
const first = (cache) => ({
  name: 'hogctl persons get 42, first run',
  words: [program, 'persons', 'get', '42', '-o', 'json'],
  goal: isNode20 ? 4.6 : 4,
  expect: /a-person-of-the-bench/,
  environment: { HOGCTL_CACHE_DIR: cache },
  prepare: () => rmSync(cache, { recursive: true, force: true }),
});

const bare = (name, ...words) => ({
  name,
  words: [join(import.meta.dirname, 'support/bare-node.cjs'), ...words],
  expect: /a-person-of-the-bench/,
});

const overTls = (origin) => ({
  name: 'hogctl persons get 42, over https',
  words: [program, 'persons', 'get', '42', '-o', 'json', '--host', origin, '--ca-file', authority],
  goal: isNode20 ? 4 : 2.8,
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
    version: 1,
    host: origin,
    project: '1',
    insights: Array.from({ length: 200 }, (_, index) => [`shortId${index}`, `Insight ${index}`]),
    properties: Array.from({ length: 500 }, (_, index) => `property_${index}`),
    columns: {},
  };
  const names = join(environment.HOGCTL_CACHE_DIR, 'completion');
  mkdirSync(names, { recursive: true });
  writeFileSync(join(names, `${new URL(origin).host.replace(':', '-')}-1.json`), JSON.stringify(known));
}

function toRow({ name, ratio, wall, peak, problem = '' }) {
  return {
    command: name,
    ms: wall.toFixed(1),
    ratio: ratio.toFixed(2),
    'peak MiB': peak.toFixed(1),
    problem,
  };
}

/** A command that failed meets no goal. The ratios are medians of the ratios of each round. */
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
        first(join(home, 'first')),
        bare('node:http alone, one request', server.origin),
        overTls(server.secureOrigin),
        bare('node:https alone, one request', server.secureOrigin, authority),
      ],
      environment,
      rounds,
      warmUp: 2,
    });
    printTable(measured.map(toRow));
    const [{ peak: least }, ...others] = measured;
    const small = others.filter(({ goal }) => goal !== undefined);
    return [
      ...small.map(({ name, ratio, goal, problem }) =>
        atMost(`${name}: x node -e 0`, problem === undefined ? ratio : Number.NaN, goal),
      ),
      atMost(
        'small command: peak beyond node -e 0, MiB',
        Math.max(...small.map(({ peak }) => peak)) - least,
        PEAK,
      ),
    ];
  } finally {
    server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

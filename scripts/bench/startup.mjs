// How long a command takes from start to exit, as a multiple of `node -e 0` on the same machine at the same time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import { measureTogether } from './support/rounds.mjs';
import { startServer } from './support/server-process.mjs';
import { printTable } from './support/table.mjs';

export const summary = 'start to exit of small commands, as multiples of `node -e 0`';

const program = join(import.meta.dirname, '../../bin/hogctl.js');

/** `expect` must stand in the output, so that a failing command is never taken for a fast one. */
const commands = [
  { name: 'node -e 0', words: ['-e', '0'] },
  { name: 'hogctl --version', words: [program, '--version'], goal: 1.1, expect: /^\d+\.\d+\.\d+/ },
  { name: 'hogctl persons --help', words: [program, 'persons', '--help'], goal: 1.35, expect: /bulk-delete/ },
  { name: 'hogctl --help', words: [program, '--help'], goal: 1.5, expect: /insights/ },
  {
    name: 'hogctl persons list --nonsense',
    words: [program, 'persons', 'list', '--nonsense'],
    goal: 1.35,
    code: 2,
    expect: /nonsense/,
  },
  {
    name: 'hogctl persons get 42 -o json',
    words: [program, 'persons', 'get', '42', '-o', 'json'],
    goal: 2.2,
    expect: /a-person-of-the-bench/,
  },
];

const person = {
  id: 42,
  uuid: '0190a5c6-0000-7000-8000-000000000042',
  name: 'a-person-of-the-bench',
  distinct_ids: ['a'],
  properties: { plan: 'pro' },
  created_at: '2026-01-02T03:04:05Z',
};

function toRow({ name, goal, ratio, wall, peak, problem }) {
  const verdict = problem ?? (ratio <= goal ? 'met' : 'not met');
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
    const environment = plainEnvironment({ home, origin: server.origin });
    const measured = measureTogether({ commands, environment, rounds, warmUp: 2 });
    printTable(measured.map(toRow));
    console.log(
      `node ${process.version}, ${rounds} rounds, medians; ratio: median of the ratios of each round`,
    );
    return { met: measured.every(({ goal, ratio, problem }) => !problem && !(ratio > goal)) };
  } finally {
    server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

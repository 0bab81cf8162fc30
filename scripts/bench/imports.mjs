// What each package and module of Node costs a program that does nothing but import it: the reason for all that is loaded
// late. Packages are taken as they are installed; the built program carries smaller and compiled copies of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './support/environment.mjs';
import { measureTogether } from './support/rounds.mjs';
import { printTable } from './support/table.mjs';

export const summary = 'what each import costs, as multiples of `node -e 0`';

/** With what they are for; none is loaded by a command that does not do that. */
const imports = [
  ['commander', 'every command but --version, help and Tab'],
  ['undici', 'requests'],
  ['lossless-json', 'numbers that JavaScript would round'],
  ['chalk', 'colour on a terminal'],
  ['cli-table3', 'tables with a frame'],
  ['string-width', 'tables with more than ASCII'],
  ['csv-parse', 'ids from a CSV file'],
  ['conf', 'storing a project'],
  ['diff', 'differences of definitions'],
  ['d3-scale', 'charts as pictures'],
  ['d3-shape', 'charts as pictures'],
  ['@duckdb/node-api', 'the sandbox'],
  ['node:net', 'requests'],
  ['node:tls', 'requests over https'],
  ['node:crypto', 'requests over https, and records of deletions'],
  ['node:http', 'the sandbox'],
  ['node:zlib', 'packed answers'],
  ['node:child_process', 'sandbox exec'],
  ['node:readline', 'questions'],
];

const module = (text) => ['--input-type=module', '-e', text];

/** Prints the table. There is no goal: what counts is what commands cost, which `startup` measures. */
export async function run({ rounds = 15 }) {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-bench-'));
  try {
    const measured = measureTogether({
      commands: [
        { name: 'node -e 0', words: ['-e', '0'] },
        { name: 'an empty module', words: module('') },
        ...imports.map(([name]) => ({ name, words: module(`import '${name}'`) })),
      ],
      environment: plainEnvironment({ home, origin: 'http://127.0.0.1:9' }),
      rounds,
      warmUp: 2,
    });
    const uses = new Map(imports);
    printTable(
      measured.map(({ name, wall, ratio, peak, problem }) => ({
        import: name,
        ms: wall.toFixed(1),
        ratio: ratio.toFixed(2),
        'peak MiB': peak.toFixed(1),
        'loaded for': problem ?? uses.get(name) ?? '',
      })),
    );
    console.log(`node ${process.version}, ${rounds} rounds, medians; an empty module is part of each`);
    return { met: measured.every(({ problem }) => problem === undefined) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

// npm run bench -- [name…] [--rounds <n>]: each bench is a file beside this one that exports `summary` and `run`, which
// prints what it measured and returns what was to be reached. Without a name all of them run. The goals come last.
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { printTable } from './support/table.mjs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.mjs') && file !== 'index.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' } },
});
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const wanted = positionals.length === 0 ? names : positionals;
if (!wanted.every((name) => names.includes(name)) || (rounds !== undefined && !(rounds >= 1))) {
  console.error('usage: npm run bench -- [name...] [--rounds <n>]');
  for (const name of names) console.error(`${name.padEnd(12)} ${(await import(`./${name}.mjs`)).summary}`);
  process.exitCode = 2;
} else {
  const goals = [];
  for (const name of wanted) {
    const bench = await import(`./${name}.mjs`);
    console.log(`${name}: ${bench.summary}\n`);
    goals.push(...(await bench.run({ rounds })));
    console.log('');
  }
  printTable(goals);
  const load = loadavg().map((one) => one.toFixed(1));
  console.log(
    `\nnode ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}, load average ${load.join(' ')}`,
  );
  if (goals.some(({ verdict }) => verdict === 'NOT MET')) process.exitCode = 1;
}

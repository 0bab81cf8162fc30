// npm run bench -- [name] [--rounds <n>] [--full]: each bench is a file beside this one that exports `summary` and `run`.
// Without a name all of them run.
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.mjs') && file !== 'index.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();

async function list() {
  for (const name of names) {
    const { summary } = await import(`./${name}.mjs`);
    console.log(`${name.padEnd(12)} ${summary}`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, full: { type: 'boolean' } },
});
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const wanted = positionals.length === 0 ? names : positionals;
if (!wanted.every((name) => names.includes(name)) || (rounds !== undefined && !(rounds >= 1))) {
  console.error('usage: npm run bench -- [name] [--rounds <n>] [--full]');
  await list();
  process.exitCode = 2;
} else {
  for (const name of wanted) {
    if (wanted.length > 1) console.log(`\n${name}\n`);
    const bench = await import(`./${name}.mjs`);
    const { met } = await bench.run({ rounds, full: values.full });
    if (!met) process.exitCode = 1;
  }
}

// Tries the core of erasure in every small world, deeper than a test has time for: `npm run test:core [steps]
// [walks] [seed of chance]`. What it prints last stands in docs/security.md.
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = join(import.meta.dirname, '../test/unit/erasure/core');

async function load(file) {
  const entryPoints = [join(folder, file)];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: 'esm' });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

const { check, describeFault, newCount } = await load('check.ts');
const { mutants } = await load('mutants.ts');
const { larger, scenes } = await load('scenes.ts');

const [steps = 5, walks = 400, seed = 1] = process.argv.slice(2).map(Number);
const count = newCount();
const start = performance.now();
for (const { name } of [...scenes, ...larger]) {
  const only = new RegExp(`^${name.replace(/[.*+?^$()|[\]{}\\]/g, '\\$&')}$`);
  const fault = check({ steps, far: Math.min(steps, 4), walks, seed, only }, count);
  console.log(`${name}: ${count.states} states, ${count.steps} steps so far`);
  if (fault !== undefined) {
    console.error(describeFault(fault));
    process.exit(1);
  }
}
for (const [excused, times] of count.excused) console.log(`excused ${times}: ${excused}`);
const seconds = Math.round((performance.now() - start) / 1000);
const tried = `${count.states} states, ${count.steps} steps, ${walks} walks in each of ${scenes.length + larger.length} scenes`;
console.log(`no fault: ${tried}, ${count.proven} proven, ${mutants.length} faults to plant, ${seconds} s`);

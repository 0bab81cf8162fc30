import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Gives each command that src/commands/index.ts lacks a line at the end of its noun. The order of lines is that of the
// help, so lines that are there stay as they are.
const folder = join(import.meta.dirname, '../src/commands');
const index = join(folder, 'index.ts');
const before = readFileSync(index, 'utf8');
let table = before;

for (const path of readdirSync(folder, { recursive: true }).sort()) {
  const file = path.replaceAll('\\', '/');
  if (!/^[^/]+\/[^/]+\.ts$/.test(file) || table.includes(`'./${file}'`)) continue;
  const source = readFileSync(join(folder, path), 'utf8');
  const exported = /export const (\w+) = defineCommand\(/.exec(source)?.[1];
  if (exported === undefined) continue;
  const noun = file.split('/')[0];
  const group = new RegExp(`defineGroup\\('${noun}', (?:'[^']*'|"[^"]*"), \\{\\n?([^}]*?) *\\}\\)`).exec(
    table,
  );
  if (group === null) {
    console.error(`src/commands/index.ts has no group for src/commands/${file}: add this and run it again`);
    console.error(`  defineGroup('${noun}', 'What its commands do', {}),`);
    process.exit(1);
  }
  const lines = wordsOf(source).map((word) => lineOf(word, { file, exported }));
  const filled = `${group[0].slice(0, group[0].indexOf('{') + 1)}\n${group[1]}${lines.join('')}  })`;
  table = table.slice(0, group.index) + filled + table.slice(group.index + group[0].length);
}
if (table !== before) writeFileSync(index, table);

/** The name of a command and its aliases. */
function wordsOf(source) {
  const name = /^ {2}name: '([^']+)'/m.exec(source)?.[1];
  const aliases = /^ {2}aliases: \[([^\]]*)\]/m.exec(source)?.[1] ?? '';
  return [name, ...Array.from(aliases.matchAll(/'([^']+)'/g), ([, alias]) => alias)];
}

/** As the formatter would break it. */
function lineOf(word, { file, exported }) {
  const key = `    ${/^\w+$/.test(word) ? word : `'${word}'`}: async () =>`;
  const value = `(await import('./${file}')).${exported},\n`;
  return `${key} ${value}`.length <= 111 ? `${key} ${value}` : `${key}\n      ${value}`;
}

// Reads a stack of the built program on standard input, as --debug shows it, and writes it with the lines of src that it
// leads to. The maps are those of the last `npm run build`, so check out what the stack is of and build that first.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, normalize } from 'node:path';

const folder = join(import.meta.dirname, '../dist');
const maps = new Map();

function mapOf(name) {
  const path = join(folder, `${name}.map`);
  if (!maps.has(name) && existsSync(path))
    maps.set(name, new SourceMap(JSON.parse(readFileSync(path, 'utf8'))));
  return maps.get(name);
}

function sourceOf(place, name, line, column) {
  const { originalSource, originalLine } = mapOf(name)?.findEntry(line - 1, column - 1) ?? {};
  return originalSource === undefined ? place : `${normalize(originalSource)}:${originalLine + 1}`;
}

const stack = readFileSync(0, 'utf8');
const place = /[^\s()]*\b([\w-]+\.cjs):(\d+):(\d+)/g;
process.stdout.write(
  stack.replace(place, (all, name, line, column) => sourceOf(all, name, Number(line), Number(column))),
);

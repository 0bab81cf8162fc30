import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('a stack of the built program leads to a line of src', () => {
  const lines = readFileSync(join(root, 'dist/program.cjs'), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('unexpected: $')) + 1;
  const column = (lines[line - 1]?.indexOf('unexpected: $') ?? 0) + 1;
  const stack = `Error: x\n    at printError (/a b/dist/program.cjs:${line}:${column})\n    at node:fs:1:1\n`;
  const told = execFileSync(process.execPath, ['scripts/where.mjs'], {
    cwd: root,
    input: stack,
    encoding: 'utf8',
  });
  const [, source, number] = /at printError \((?:.* )?(src\/cli\/run\.ts):(\d+)\)/.exec(told) ?? [];
  expect(source, told).toBe('src/cli/run.ts');
  expect(readFileSync(join(root, source ?? ''), 'utf8').split('\n')[Number(number) - 1]).toContain(
    'unexpected: $',
  );
  expect(told).toContain('at node:fs:1:1');
});

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Each rule with a source that breaks it. */
const planted = [
  ['lint/suspicious/noExplicitAny', 'export const a = (b: any): string => b.c;'],
  ['lint/suspicious/noConsole', 'console.log(1);'],
  ['lint/style/noNonNullAssertion', 'export const a = (b?: string): string => b!;'],
  ['lint/style/noDefaultExport', 'export default 1;'],
  ['lint/style/noNestedTernary', 'export const a = (b: number): number => (b > 1 ? 1 : b > 0 ? 2 : 3);'],
  ['lint/correctness/noUnusedVariables', 'const a = 1;'],
  ['lint/complexity/noExcessiveLinesPerFunction', `export function a(): void {\n${'  b();\n'.repeat(60)}}`],
] as const;

describe('the linter', () => {
  let folder = '';
  let found: readonly string[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hogctl-linter-'));
    copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'));
    mkdirSync(join(folder, 'src/http'), { recursive: true });
    for (const [index, [, code]] of planted.entries()) {
      writeFileSync(join(folder, `src/http/planted-${index}.ts`), code);
    }
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const child = spawnSync(process.execPath, [biome, 'lint', '--reporter=github', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    found = child.stdout.split('\n');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(planted.map(([rule], index) => [rule, index] as const))(
    'enforces %s in the sources',
    (rule, index) => {
      const errors = found.filter(
        (line) => line.startsWith('::error') && line.includes(`planted-${index}.ts`),
      );
      expect(errors.join('\n')).toContain(`title=${rule},`);
    },
  );
});

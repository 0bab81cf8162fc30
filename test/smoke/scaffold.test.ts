import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
let tree: string;
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'hogctl-tree-'));
  for (const path of ['src', 'test', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(join(root, path), join(tree, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
});
afterAll(() => rmSync(tree, { recursive: true }));

const run = (script: string, ...words: readonly string[]) =>
  execFileSync(process.execPath, [join(tree, 'scripts', script), ...words], { encoding: 'utf8' });
const read = (path: string) => readFileSync(join(tree, path), 'utf8');

describe('npm run new', { timeout: 120_000 }, () => {
  it('writes commands that compile, with all that belongs to them', () => {
    const told = run('new.mjs', 'batch-exports', 'list', '--like', 'cohorts', 'list');
    run('new.mjs', 'batch-exports', 'get', '--like', 'cohorts', 'get');
    run('list-commands.mjs');
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { stdout, status } = spawnSync(tsc, ['-p', tree], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
    expect(told).toContain('Then: npm run generate && npx vitest run test/e2e/batch-exports.test.ts');
    expect(read('src/commands/index.ts')).toContain(
      "(await import('./batch-exports/get.ts')).getBatchExport",
    );
    // With what `--server-format` refuses beside it.
    expect(read('src/commands/batch-exports/list.ts')).toContain('options: { all: allOption },');
    expect(read('src/service/platform.ts')).toContain("path: '/batch_exports/:id/'");
    expect(read('src/service/endpoint.ts')).toContain("'batch_export:read'");
    expect(read('package.json')).toContain('"man/hogctl-batch-exports.1"');
    expect(read('test/e2e/batch-exports.test.ts')).toContain("'batch-exports list'");
    expect(told).toContain('- the list of what the first version offers, in CHANGELOG.md');
  });

  it('writes down the change once package.json names a repository', () => {
    const about = JSON.parse(read('package.json'));
    writeFileSync(
      join(tree, 'package.json'),
      JSON.stringify({ ...about, repository: 'https://example.org' }),
    );
    run('new.mjs', 'annotations', 'list', '--like', 'cohorts', 'list');
    expect(read('changes/annotations-list.md')).toBe('`annotations list`: list annotations.\n');
  });

  it.each([
    [['persons', 'list', '--like', 'cohorts', 'list'], 'is there already'],
    [['flags', 'list', '--like', 'persons', 'list'], 'is no list and no single read'],
    [['flags', 'list', '--like', 'flags', 'list'], 'there is no src/commands/flags/list.ts'],
    [['flags', 'list'], 'usage: '],
  ])('writes nothing for %j', (words, message) => {
    const { status, stderr } = spawnSync(process.execPath, [join(tree, 'scripts/new.mjs'), ...words], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
  });
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { man, scripts } from '../../package.json' with { type: 'json' };
import { groups } from '../../src/commands/index.ts';
import { SCRIPTS, SHELLS, type Shell } from '../../src/completion/scripts.ts';
import { CHECK_SCHEMA } from '../../src/insights/check-file.ts';
import { commandsDocument } from '../support/commands-document.ts';
import { manPages } from '../support/man-pages.ts';

const REMEDY = 'npm run generate writes it anew';

const root = join(import.meta.dirname, '../..');

const FILES: Readonly<Record<Shell, string>> = {
  bash: 'hogctl.bash',
  zsh: '_hogctl',
  fish: 'hogctl.fish',
  powershell: 'hogctl.ps1',
};

// `npm run generate` runs this file with -u, which writes what is expected here.
describe('the generated files are what the commands say', () => {
  it.each(SHELLS)('completion for %s', async (shell) => {
    await expect(SCRIPTS[shell]).toMatchFileSnapshot(`../../completions/${FILES[shell]}`, REMEDY);
  });

  it('docs/commands.md', async () => {
    await expect(await commandsDocument(groups)).toMatchFileSnapshot('../../docs/commands.md', REMEDY);
  });

  it('docs/checks.schema.json', async () => {
    const text = `${JSON.stringify(CHECK_SCHEMA, undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/checks.schema.json', REMEDY);
  });

  it('docs/licences.md', { timeout: 60_000 }, async () => {
    const script = join(root, 'scripts', 'build.mjs');
    const text = execFileSync(process.execPath, [script, '--licences'], { encoding: 'utf8' });
    await expect(text).toMatchFileSnapshot('../../docs/licences.md', REMEDY);
  });

  it.each(['hogctl', ...groups.map(({ name }) => `hogctl-${name}`)])('man/%s.1', async (name) => {
    await expect((await manPages(groups))[`${name}.1`]).toMatchFileSnapshot(`../../man/${name}.1`, REMEDY);
  });

  it('man holds no other pages', async () => {
    const pages = Object.keys(await manPages(groups));
    const surplus = readdirSync(join(root, 'man')).filter((page) => !pages.includes(page));
    expect(surplus, 'remove these files from man').toEqual([]);
  });

  it('package.json lists the pages', async () => {
    const pages = Object.keys(await manPages(groups)).sort();
    expect(man, 'mend the list "man" in package.json').toEqual(pages.map((page) => `man/${page}`));
  });
});

it('scripts in package.json name only what is there', () => {
  const paths = Object.values(scripts).flatMap(
    (line) => line.match(/(?<= )(?:scripts|test)\/[\w./-]+/g) ?? [],
  );
  const beginnings = paths.map((path) => [dirname(path), basename(path)] as const);
  const missing = beginnings.filter(
    ([folder, name]) => !readdirSync(join(root, folder)).some((entry) => entry.startsWith(name)),
  );
  expect(paths).toContain('scripts/build.mjs');
  expect(missing).toEqual([]);
});

describe('the table of commands', () => {
  it('names every file of a command', async () => {
    const table = readFileSync(join(root, 'src/commands/index.ts'), 'utf8');
    const files = readdirSync(join(root, 'src/commands'), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts'))
      .filter((path) => readFileSync(join(root, 'src/commands', path), 'utf8').includes('= defineCommand('));
    const unnamed = files.filter((path) => !table.includes(`'./${path}'`));
    expect(unnamed, 'npm run generate adds a line for each to src/commands/index.ts').toEqual([]);
  });
});

describe('npm run generate', () => {
  it('writes what every contract test here expects of a generated file', () => {
    const own = readdirSync(import.meta.dirname)
      .filter((name) =>
        readFileSync(join(import.meta.dirname, name), 'utf8').includes('toMatchFileSnapshot('),
      )
      .map((name) => `test/contract/${name}`);
    expect(scripts.generate).toBe(`node scripts/list-commands.mjs && vitest run ${own.join(' ')} -u`);
  });

  it.each(groups.filter(({ single }) => !single))('$name is found by names and aliases', async (group) => {
    const commands = await group.load();
    expect([...group.words].sort()).toEqual(
      commands.flatMap(({ name, aliases }) => [name, ...aliases]).sort(),
    );
    for (const command of commands)
      for (const word of [command.name, ...command.aliases]) expect(await group.find(word)).toBe(command);
  });
});

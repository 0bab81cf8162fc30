import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { man, scripts } from '../../package.json' with { type: 'json' };
import { groups } from '../../src/commands/index.ts';
import { SCRIPTS, SHELLS, type Shell } from '../../src/completion/scripts.ts';
import { checkSchema } from '../support/check-schema.ts';
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
    const text = `${JSON.stringify(checkSchema(), undefined, 2)}\n`;
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
  it('names every file of a command', () => {
    expect(unnamedFiles(), 'npm run generate adds a line for each to src/commands/index.ts').toEqual([]);
  });
});

describe('the script that adds commands to the table', () => {
  let folder: string;
  let index: string;
  let table: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hogctl-table-'));
    index = join(folder, 'src/commands/index.ts');
    cpSync(join(root, 'src/commands'), join(folder, 'src/commands'), { recursive: true });
    cpSync(join(root, 'scripts/list-commands.mjs'), join(folder, 'scripts/list-commands.mjs'));
    // What a new command still lacks is told above, and only there.
    for (const path of unnamedFiles()) rmSync(join(folder, 'src/commands', path));
    table = readFileSync(index, 'utf8');
  });
  const addCommands = () =>
    spawnSync(process.execPath, [join(folder, 'scripts/list-commands.mjs')], { encoding: 'utf8' });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['./cohorts/persons.ts', './persons/reset-distinct-id.ts', './insights/push.ts'])(
    'adds %s at the end of its noun, and changes nothing when run again',
    (file) => {
      writeFileSync(index, table.replace(new RegExp(`^.*'${file}'.*\\n`, 'm'), ''));
      for (let run = 0; run < 2; run += 1) {
        expect(addCommands().status).toBe(0);
        expect(readFileSync(index, 'utf8')).toBe(table);
      }
    },
  );

  it('names the line that a new noun needs, and fills it', () => {
    mkdirSync(join(folder, 'src/commands/notes'));
    const source = readFileSync(join(root, 'src/commands/persons/delete-property.ts'));
    writeFileSync(join(folder, 'src/commands/notes/delete-property.ts'), source);
    const asked = "  defineGroup('notes', 'What its commands do', {}),";
    const line = `  defineGroup('notes', "A project's notes", {}),`;
    const { status, stderr } = addCommands();
    expect(status).toBe(1);
    expect(stderr).toBe(
      `src/commands/index.ts has no group for src/commands/notes/delete-property.ts: add this and run it again\n${asked}\n`,
    );
    writeFileSync(index, table.replace(/^\];$/m, `${line}\n];`));
    expect(addCommands().status).toBe(0);
    const load = "async () => (await import('./notes/delete-property.ts')).deletePersonProperty";
    const filled = `${line.slice(0, -3)}\n    'delete-property': ${load},\n    unset: ${load},\n  }),\n];`;
    expect(readFileSync(index, 'utf8')).toContain(filled);
  });
});

/** The files of commands that the table does not name. */
function unnamedFiles(): readonly string[] {
  const table = readFileSync(join(root, 'src/commands/index.ts'), 'utf8');
  return readdirSync(join(root, 'src/commands'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !table.includes(`'./${path}'`))
    .filter((path) => readFileSync(join(root, 'src/commands', path), 'utf8').includes('= defineCommand('));
}

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

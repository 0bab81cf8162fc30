import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionTree } from '../../../../src/commands/completion/completion-tree.ts';
import { writeCompletion } from '../../../../src/commands/completion/write-completion.ts';
import { groups } from '../../../../src/commands/index.ts';
import { runProgram } from '../../../support/run-program.ts';
import { completeInBash, completeInFish, completeInZsh, hasShell, makeFolder } from './shells.ts';

const LINES = [
  ['a noun', 'hogctl proj', 'projects'],
  ['a verb', 'hogctl persons unse', 'unset'],
  ['a verb after a global option', 'hogctl -p shop persons spl', 'split'],
  ['a verb after an address', 'hogctl --host https://eu.example persons spl', 'split'],
  ['an option of an alias', 'hogctl persons set --stri', '--string'],
  ['a global option', 'hogctl persons list --spread', '--spreadsheet-safe'],
  ['a choice', 'hogctl persons list -o nd', 'ndjson'],
  ['a value that may be left out', 'hogctl insights get --refresh force_b', 'force_blocking'],
  [
    'an option after one whose value was left out',
    'hogctl insights get --refresh --require',
    '--require-result',
  ],
  ['a choice of an argument', 'hogctl completion install pow', 'powershell'],
  ['an option behind an argument', 'hogctl persons get 42 --spread', '--spreadsheet-safe'],
  ['a choice behind an argument', 'hogctl persons update 42 -o nd', 'ndjson'],
  ['a file', 'hogctl persons list --save peo', 'people.json'],
  ['a file behind an @', 'hogctl persons list --properties @peo', '@people.json'],
  ['a folder', 'hogctl persons bulk-delete --run-dir runs', 'runs-here'],
  ['the command whose help is wanted', 'hogctl help persons spl', 'split'],
  ['hogctl inside the sandbox', 'hogctl sandbox exec -- hogctl persons spl', 'split'],
] as const;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});
async function folderFor(...names: Parameters<typeof makeFolder>): Promise<string> {
  const folder = await makeFolder(...names);
  folders.push(folder);
  return folder;
}

describe.skipIf(!hasShell('bash'))('completion in bash', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await folderFor('bash', 'hogctl.bash');
  });

  it('is a script that bash accepts', () => {
    expect(spawnSync('bash', ['-n', 'hogctl.bash'], { cwd: folder, encoding: 'utf8' }).stderr).toBe('');
  });

  it.each(LINES)('completes %s', (_, line, expected) => {
    expect(completeInBash(folder, line)).toEqual([expected]);
  });

  it('gives back what follows the last = that bash split at', () => {
    expect(completeInBash(folder, 'hogctl persons list --output=nd')).toEqual(['ndjson']);
    expect(completeInBash(folder, 'hogctl persons list --output=')).toContain('csv');
  });

  it('offers nothing where any text may stand', () => {
    expect(completeInBash(folder, 'hogctl persons list --search peo')).toEqual([]);
    expect(completeInBash(folder, 'hogctl persons get ')).toEqual([]);
  });

  it('offers every noun and verb', async () => {
    const { nouns } = await completionTree(groups);
    expect(completeInBash(folder, 'hogctl ')).toEqual([...nouns.map(({ name }) => name), 'help']);
    for (const { name, leaves, isSingle } of nouns.filter((noun) => !noun.isSingle)) {
      const verbs = leaves.flatMap((leaf) => [leaf.name, ...leaf.aliases]);
      expect([isSingle, ...completeInBash(folder, `hogctl ${name} `)]).toEqual([false, ...verbs]);
    }
  });
});

describe.skipIf(!hasShell('fish'))('completion in fish', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await folderFor('fish', 'hogctl.fish');
  });

  it('is a script that fish accepts', () => {
    expect(spawnSync('fish', ['-n', 'hogctl.fish'], { cwd: folder, encoding: 'utf8' }).stderr).toBe('');
  });

  it.each(LINES)('completes %s', (_, line, expected) => {
    expect(completeInFish(folder, line).map((one) => one.replace(/\/$/, ''))).toEqual([expected]);
  });
});

describe.skipIf(!hasShell('zsh'))('completion in zsh', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await folderFor('zsh', '_hogctl');
  });

  it('is a script that zsh accepts', () => {
    expect(spawnSync('zsh', ['-n', '_hogctl'], { cwd: folder, encoding: 'utf8' }).stderr).toBe('');
  });

  it('completes the same', { timeout: 120_000 }, () => {
    const typed = completeInZsh(
      folder,
      LINES.map(([, line]) => line),
    );
    const expected = LINES.map(([, line, word]) => line.replace(/\S*$/, word));
    expect(typed.map((line) => line.replace(/[ /]$/, ''))).toEqual(expected);
  });
});

// PowerShell itself is not at hand, so what would make it refuse the whole script is looked for by hand.
describe('completion in PowerShell', () => {
  it('has balanced brackets, and no key twice in a table, in whatever case', async () => {
    const script = await writeCompletion('powershell', groups);
    const bare = script.replace(/'(?:[^']|'')*'/g, '').replace(/^ *#.*$/gm, '');
    expect(bare).not.toContain("'");
    for (const pair of ['{}', '()', '[]']) {
      const [open, close] = [...pair].map((letter) => bare.split(letter).length);
      expect([pair, open]).toEqual([pair, close]);
    }
    const tables = script.split(/^ {4}\$\w+ = @\{$/m).slice(1);
    for (const table of tables) {
      const keys = [...table.matchAll(/^ {8}'((?:[^']|'')*)' = /gm)].map(([, key = '']) => key.toLowerCase());
      expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    }
    expect(tables.length).toBe(5);
  });

  it('names every command and its options', async () => {
    const script = await writeCompletion('powershell', groups);
    const { nouns } = await completionTree(groups);
    for (const { path, flags } of nouns.flatMap((noun) => noun.leaves)) {
      const line = script.split('\n').find((one) => one.startsWith(`        '${path}' = @('-`)) ?? '';
      const missing = flags.filter(({ spellings }) => !line.includes(`'${spellings[0]}|`));
      expect([path, missing]).toEqual([path, []]);
    }
  });
});

describe('what completion is made from', () => {
  it('holds only words that no shell reads as anything else', async () => {
    const { nouns, globals, rootOnly } = await completionTree(groups);
    const leaves = nouns.flatMap((noun) => noun.leaves);
    const flags = [...globals, ...rootOnly, ...leaves.flatMap((leaf) => leaf.flags)];
    const words = [
      ...nouns.map(({ name }) => name),
      ...leaves.flatMap((leaf) => [leaf.name, ...leaf.aliases, ...leaf.words.words]),
      ...flags.flatMap(({ spellings, value }) => [...spellings, ...(value?.words ?? [])]),
    ];
    expect(words.filter((word) => !/^[\w.,+-]+$/.test(word))).toEqual([]);
    expect(flags.filter(({ description }) => description === '')).toEqual([]);
  });

  it('knows every option whose value is a path', async () => {
    const { nouns, globals } = await completionTree(groups);
    const flags = [...globals, ...nouns.flatMap((noun) => noun.leaves.flatMap((leaf) => leaf.flags))];
    const named = flags.filter(
      ({ spellings, value }) => value && /(-dir|-file|^--save|^--file|^--from)$/.test(spellings.at(-1) ?? ''),
    );
    expect(named.filter(({ value }) => value?.paths === 'none')).toEqual([]);
  });
});

describe('hogctl completion', () => {
  it('prints the script, and refuses a shell that it does not know', async () => {
    const known = await runProgram(['completion', 'fish']);
    expect(known.code).toBe(0);
    expect(known.stdout).toMatch(/^# Completion of hogctl for fish/);
    const unknown = await runProgram(['completion', 'tcsh']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('unknown command');
  });
});

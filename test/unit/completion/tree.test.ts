import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SCRIPTS } from '../../../src/completion/scripts.ts';
import type { Tree, TreeOption } from '../../../src/completion/tree.ts';
import { completionTree } from '../../../src/program.ts';
import { runProgram } from '../../support/run-program.ts';

describe('the tree of commands', () => {
  let tree: Tree;
  let options: readonly TreeOption[];
  beforeAll(async () => {
    tree = await completionTree();
    const commands = tree.nouns.flatMap((noun) => [...noun.commands, ...(noun.single ? [noun.single] : [])]);
    options = [...tree.options, ...tree.rootOptions, ...commands.flatMap((command) => command.options)];
  });

  it('holds only words that no shell reads as anything else', () => {
    const words = [
      ...tree.nouns.flatMap(({ name, commands }) => [name, ...commands.flatMap(({ names }) => names)]),
      ...options.flatMap(({ names, value }) => [...names, ...(value?.words ?? [])]),
      ...tree.topics.map(({ name }) => name),
    ];
    expect(words.filter((word) => !/^[\w.,+-]+$/.test(word))).toEqual([]);
    expect(options.filter(({ text }) => text === '')).toEqual([]);
  });

  it('knows every option whose value is a path', () => {
    const named = options.filter(
      ({ names, value }) => value && /(-dir|-file|^--save|^--file|^--from)$/.test(names.at(-1) ?? ''),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ value }) => value?.paths === undefined)).toEqual([]);
  });
});

describe('a script', () => {
  describe.each([
    ['bash', 'hogctl.bash'],
    ['zsh', '_hogctl'],
    ['fish', 'hogctl.fish'],
  ])('for %s', (shell, name) => {
    const hasShell = spawnSync(shell, ['-c', 'exit 0']).status === 0;
    it.skipIf(!hasShell)('is one that it accepts', () => {
      const file = join(import.meta.dirname, '../../../completions', name);
      const { status, stderr } = spawnSync(shell, ['-n', file], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
      });
      expect([status, stderr]).toEqual([0, '']);
    });
  });

  it('for PowerShell has balanced brackets and quotes', () => {
    const bare = SCRIPTS.powershell.replace(/'(?:[^']|'')*'/g, '').replace(/^ *#.*$/gm, '');
    expect(bare).not.toContain("'");
    for (const pair of ['{}', '()', '[]']) {
      const [open, close] = [...pair].map((letter) => bare.split(letter).length);
      expect([pair, open]).toEqual([pair, close]);
    }
  });

  it('is printed by hogctl completion, which refuses a shell that it does not know', async () => {
    const { code, stdout } = await runProgram(['completion', 'fish']);
    expect([code, stdout]).toEqual([0, SCRIPTS.fish]);
    const unknown = await runProgram(['completion', 'tcsh']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('unknown command')]);
  });
});

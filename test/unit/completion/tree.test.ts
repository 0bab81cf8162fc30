import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Option } from '../../../src/cli/command/options.ts';
import { flagOf, spellingsOf, takesValue } from '../../../src/cli/command/spelling.ts';
import { pathsOf } from '../../../src/completion/complete.ts';
import { SCRIPTS } from '../../../src/completion/scripts.ts';
import { optionsAt, type Tree } from '../../../src/completion/tree.ts';
import { completionTree } from '../../../src/program.ts';
import { runProgram } from '../../support/run-program.ts';

describe('the tree of commands', () => {
  let tree: Tree;
  let options: readonly (readonly [string, Option])[];
  beforeAll(async () => {
    tree = await completionTree();
    const places = tree.nouns.flatMap((noun) => noun.commands.map((command) => ({ noun, command })));
    const none = { noun: undefined, command: undefined };
    options = [none, ...places].flatMap((place) => Object.entries(optionsAt(place)));
  });

  it('holds only words that no shell reads as anything else', () => {
    const words = [
      ...tree.nouns.flatMap(({ name, commands }) => [
        name,
        ...commands.flatMap((command) => [command.name, ...command.aliases]),
      ]),
      ...options.flatMap(([name, option]) => [...spellingsOf(name, option), ...(option.choices ?? [])]),
      ...tree.topics.map(({ name }) => name),
    ];
    expect(words.filter((word) => !/^[\w.,+-]+$/.test(word))).toEqual([]);
    expect(options.filter(([, { description }]) => description === '')).toEqual([]);
  });

  it('knows every option whose value is a path', () => {
    const named = options.filter(
      ([name, option]) => takesValue(option) && /(-dir|-file|^--save|^--file|^--from)$/.test(flagOf(name)),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(([, option]) => pathsOf(option) === undefined)).toEqual([]);
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GLOBAL_OPTIONS } from '../../../src/cli/command/options.ts';
import { parseArguments } from '../../../src/cli/command/program.ts';
import type { ReadText } from '../../../src/cli/command/read-input.ts';
import { readCommandInput, readOptions } from '../../../src/cli/command/read-input.ts';
import { flagOf, optionUsage, takesValue } from '../../../src/cli/command/spelling.ts';
import { groups } from '../../../src/commands/index.ts';
import { splitWords } from '../../support/split-words.ts';
import { allLeaves, gathered, type Leaf, optionsOf, parse, value, withValue } from './command-leaves.ts';

/** Of each property and command; `HOGCTL_FUZZ=40` tries more. */
const numRuns = Number(process.env.HOGCTL_FUZZ ?? 3);

/** Stands for whatever files and standard input examples name. */
const fileless: ReadText = async () => '{"kind":"example"}';

describe('every command', async () => {
  for (const leaf of await allLeaves()) describe(leaf.path, () => holds(leaf));
});

function holds({ path, words, command }: Leaf): void {
  const { own, globals } = optionsOf(command);
  const every = [...withValue(own), ...withValue(globals)];
  const pair = fc.tuple(fc.constantFrom(...every.map(([name]) => name)), value);

  it('gives every option the very text that follows its sign, and changes no other', async () => {
    const property = fc.asyncProperty(fc.array(pair, { maxLength: 4 }), async (given) => {
      const parsed = await parse([...words, ...given.map(([name, text]) => `${flagOf(name)}=${text}`)]);
      expect(parsed.command).toBe(command);
      expect(parsed.options).toEqual(gathered(given, own));
      expect(parsed.globals).toEqual(gathered(given, globals));
      expect(parsed.words).toEqual([]);
    });
    await fc.assert(property, { numRuns });
  });

  it('gives an option the word after it, or refuses to', async () => {
    const spaced = every.filter(([, option]) => option.bare === undefined);
    const property = fc.asyncProperty(
      fc.constantFrom(...spaced.map(([name]) => name)),
      value,
      async (name, text) => {
        const line = [...words, flagOf(name), text];
        if (text.startsWith('--')) {
          await expect(parse(line)).rejects.toMatchObject({
            kind: 'usage',
            message: expect.stringContaining('needs a value'),
          });
          return;
        }
        const parsed = await parse(line);
        expect(parsed.options).toEqual(gathered([[name, text]], own));
        expect(parsed.globals).toEqual(gathered([[name, text]], globals));
      },
    );
    await fc.assert(property, { numRuns });
  });

  it('takes every word after -- for an argument', async () => {
    const property = fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 3 }), async (texts) => {
      const parsed = await parse([...words, '--', ...texts]);
      expect([parsed.words, parsed.options, parsed.globals]).toEqual([texts, {}, {}]);
    });
    await fc.assert(property, { numRuns });
  });

  it('takes global options before, between and after its words', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...withValue(globals).map(([name]) => name)),
      value,
      async (name, text) => {
        const word = `${flagOf(name)}=${text}`;
        const places = words.map((_, at) => [...words.slice(0, at), word, ...words.slice(at)]);
        for (const line of [...places, [...words, word]]) {
          const parsed = await parse(line);
          expect([parsed.command, parsed.globals, parsed.options]).toEqual([command, { [name]: [text] }, {}]);
        }
      },
    );
    await fc.assert(property, { numRuns });
  });

  it('takes global switches before, between and after its words', async () => {
    for (const [name, option] of Object.entries(globals).filter(([, one]) => !takesValue(one))) {
      const flag = option.type === 'boolean' ? flagOf(name).replace('--', '--no-') : flagOf(name);
      const places = words.map((_, at) => [...words.slice(0, at), flag, ...words.slice(at)]);
      for (const line of [...places, [...words, flag]]) {
        expect((await parse(line)).globals).toEqual({ [name]: option.type !== 'boolean' });
      }
    }
  });

  it('reads -o json in each of its spellings', async () => {
    for (const spelling of [
      ['-o', 'json'],
      ['-ojson'],
      ['-o=json'],
      ['--output', 'json'],
      ['--output=json'],
    ]) {
      expect((await parse([...words, ...spelling])).globals).toEqual({ output: ['json'] });
      expect((await parse([...spelling, ...words])).globals).toEqual({ output: ['json'] });
    }
  });

  it('refuses an option that it does not have, and a value for a switch', async () => {
    for (const word of ['--nope', '--nope=1', '-Z', '--yes=false', '--quiet=1']) {
      await expect(parse([...words, word])).rejects.toMatchObject({ kind: 'usage' });
    }
  });

  it('shows its help, with an example at least', async () => {
    const helps = [
      [...words, '--help'],
      [...words, '-h'],
      ['help', ...words],
      ['--help', ...words],
    ];
    for (const line of helps) {
      const parsed = await parseArguments(line, groups);
      expect(parsed).toMatchObject({ kind: 'help', wanted: true });
      expect(parsed).toHaveProperty('text', expect.stringContaining(`$ hogctl ${path}`));
    }
  });

  it('shows its help whatever options stand before and between its words', async () => {
    for (const asked of [
      [...words, '--help'],
      [...words, '-h'],
      ['help', ...words],
    ]) {
      const plain = await parseArguments(asked, groups);
      for (const given of [['-q'], ['--no-headers'], ['-p', 'persons'], ['--color=never'], ['--no-color']]) {
        for (const at of asked.keys()) {
          // What no command takes may have a value, so the word behind it is not read as one that asks.
          if (given[0] === '--no-color' && asked[at] === 'help') continue;
          const line = [...asked.slice(0, at), ...given, ...asked.slice(at)];
          expect(await parseArguments(line, groups), line.join(' ')).toEqual(plain);
        }
      }
    }
  });

  it('shows its help on one screen of 48 lines', async () => {
    const parsed = await parseArguments([...words, '--help'], groups);
    if (parsed.kind !== 'help') throw new Error('that is no help');
    const rows = parsed.text.trimEnd().split('\n');
    expect(rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / 80)), 0)).toBeLessThanOrEqual(
      48,
    );
  });

  it('shows every option with hogctl help, and its rare ones only there', async () => {
    const [short, all] = await Promise.all(
      [
        [...words, '--help'],
        ['help', ...words],
      ].map(async (line) => {
        const parsed = await parseArguments(line, groups);
        return parsed.kind === 'help' ? parsed.text.match(/(?<=^ {2}(?: {4}|-\w, ))--\S+/gm) : undefined;
      }),
    );
    const flags = Object.entries(own)
      .filter(([, option]) => !option.hidden)
      .map(([name, option]) => [
        name,
        optionUsage(name, option)
          .trim()
          .replace(/^-\w, /, '')
          .split(' ')[0],
      ]);
    expect(all ?? []).toEqual(flags.map(([, flag]) => flag));
    const common = flags.filter(([name]) => !command.rare.includes(name ?? '')).map(([, flag]) => flag);
    expect(short ?? []).toEqual(common);
    for (const name of command.rare) expect(Object.keys(own)).toContain(name);
  });

  it('shows its help in lines of 80 characters, but for what is copied', async () => {
    const parsed = await parseArguments([...words, '--help'], groups);
    if (parsed.kind !== 'help') throw new Error('that is no help');
    const lines = parsed.text.split('\n').filter((line) => !/^ {2}(\$|hogctl|[PI]\d)/.test(line));
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it.each(command.examples)('reads its example: %s', async (example) => {
    // What a shell takes for itself ends the words of the program.
    const line = splitWords(example.split(/ [<>|] ?/)[0] ?? '');
    const parsed = await parse(line);
    expect(parsed.command).toBe(command);
    await readOptions(GLOBAL_OPTIONS, parsed.globals, fileless);
    await readCommandInput(command, parsed, fileless);
  });
}

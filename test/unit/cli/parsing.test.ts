import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../src/cli/command/define-command.ts';
import { GLOBAL_OPTIONS } from '../../../src/cli/command/global-options.ts';
import { standIns } from '../../../src/cli/command/help.ts';
import { flagOf, type Option, type Options, takesValue } from '../../../src/cli/command/options.ts';
import type { Parsed } from '../../../src/cli/command/parsed.ts';
import { parseArguments } from '../../../src/cli/command/program.ts';
import { readCommandInput, readOptions } from '../../../src/cli/command/read-input.ts';
import type { ValueReaders } from '../../../src/cli/command/values.ts';
import { parseJson } from '../../../src/client/parse-json.ts';
import { groups } from '../../../src/commands/index.ts';
import { CliError } from '../../../src/errors.ts';
import { runProgram } from '../../support/run-program.ts';
import { splitWords } from '../../support/split-words.ts';

type Leaf = { readonly path: string; readonly words: readonly string[]; readonly command: Command };

const leaves: Leaf[] = await allLeaves();

async function allLeaves(): Promise<Leaf[]> {
  const found = groups.map(async (group) =>
    (await group.load()).map((command): Leaf => {
      const words = group.single ? [group.name] : [group.name, command.name];
      return { path: words.join(' '), words, command };
    }),
  );
  return (await Promise.all(found)).flat();
}

async function parse(words: readonly string[]): Promise<Extract<Parsed, { kind: 'command' }>> {
  const parsed = await parseArguments(words, groups);
  if (parsed.kind !== 'command') throw new Error(`${words.join(' ')} is not a command but ${parsed.kind}`);
  return parsed;
}

/** Values that have been taken for options, or for something else than values, by one tool or another. */
const HARD = [
  '-y',
  '-y9Kq',
  '-yq',
  '--yes',
  '-o',
  '-ojson',
  '-o=json',
  '=',
  '',
  '-',
  '--',
  '-p x',
  '-p',
  'x',
  '-h',
  '--help',
  '-V',
  '--version',
  '--no-headers',
  '--dry-run',
  '-q',
  '@',
  'true',
  'false',
  'null',
  '-7',
  '-7d',
  'help',
  'persons',
  'list',
  '-Ab12',
  '--=',
  '---',
  '-=',
  'a,b',
  ' ',
];

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HARD) },
  { weight: 1, arbitrary: fc.string() },
);

type Named = readonly [string, Option];

/** Options of a command and the global ones, without those that the command has under the same flag. */
function optionsOf(command: Command): { readonly own: Options; readonly globals: Options } {
  const own = { ...standIns(command), ...command.options };
  const taken = new Set(Object.keys(own).map(flagOf));
  const globals = Object.fromEntries(
    Object.entries(GLOBAL_OPTIONS).filter(([name]) => !taken.has(flagOf(name))),
  );
  return { own, globals };
}

function withValue(options: Options): readonly Named[] {
  return Object.entries(options).filter(([, option]) => takesValue(option) && option.type !== 'steps');
}

/** The texts that each option was given, in order. */
function gathered(given: readonly (readonly [string, string])[], options: Options) {
  const texts: Record<string, readonly string[]> = {};
  for (const [name, text] of given) if (name in options) texts[name] = [...(texts[name] ?? []), text];
  return texts;
}

describe.each(leaves)('$path', ({ path, words, command }) => {
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
    await fc.assert(property, { numRuns: 40 });
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
            message: expect.stringContaining('lacks a value'),
          });
          return;
        }
        const parsed = await parse(line);
        expect(parsed.options).toEqual(gathered([[name, text]], own));
        expect(parsed.globals).toEqual(gathered([[name, text]], globals));
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  it('takes every word after -- for an argument', async () => {
    const property = fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 3 }), async (texts) => {
      const parsed = await parse([...words, '--', ...texts]);
      expect([parsed.words, parsed.options, parsed.globals]).toEqual([texts, {}, {}]);
    });
    await fc.assert(property, { numRuns: 25 });
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
    await fc.assert(property, { numRuns: 10 });
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
      if (line[0] !== '--help')
        expect(parsed).toHaveProperty('text', expect.stringContaining(`$ hogctl ${path}`));
    }
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
});

/** Stands for whatever files and standard input examples name. */
const fileless: ValueReaders = { readText: async () => '{"kind":"example"}', parseJson };

describe('the program', () => {
  let persons: Leaf | undefined;
  beforeAll(() => {
    persons = leaves.find(({ path }) => path === 'persons list');
  });

  it('has commands to hold to all this', () => {
    expect(leaves.length).toBeGreaterThan(20);
    expect(persons).toBeDefined();
  });

  it.each(groups.filter(({ single }) => !single).map(({ name }) => name))(
    'ends the noun %s alone with exit code 2 and its help',
    async (name) => {
      const { code, stdout, stderr } = await runProgram([name]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`hogctl ${name} <command> [options]`);
      expect((await runProgram([name, '--help'])).code).toBe(0);
      expect((await runProgram([name, 'nope'])).code).toBe(2);
    },
  );

  it.each([
    ['persons list --yes=false', 2],
    ['persons list --nope', 2],
    ['persons list extra', 2],
    ['persons list -o xml', 2],
    ['persons list --limit', 2],
    ['persons lst', 2],
    ['person list', 2],
    ['--yes', 2],
    ['-p x', 2],
    ['--help', 0],
    ['', 0],
    ['--version', 0],
    ['-p x --version', 0],
    ['help', 0],
    ['help persons', 0],
    ['help persons list', 0],
    ['persons --help', 0],
  ])('ends "%s" with exit code %i', async (line, code) => {
    expect((await runProgram(splitWords(line))).code).toBe(code);
  });

  it.each(['-p --yes persons list', 'persons list --search --yes', 'persons list --save --'])(
    'says how to write a value that looks like an option: %s',
    async (line) => {
      const { code, stderr } = await runProgram(splitWords(line));
      expect(code).toBe(2);
      expect(stderr).toContain('if it is the value, write ');
    },
  );

  it('lets no value decide how to talk', async () => {
    const environment = { HOGCTL_API_KEY: 'phx_TESTONLY', HOGCTL_PROJECT: '1' };
    const { code, stderr } = await runProgram(['persons', 'list', '--search', '-ojson'], { environment });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
    await expect(parse(['persons', 'list', '--search', '-q'])).resolves.toMatchObject({ globals: {} });
  });

  it('throws nothing but usage errors, whatever the words', async () => {
    const word = fc.oneof(
      value,
      fc.constantFrom(
        'persons',
        'insights',
        'list',
        'get',
        'auth',
        'sandbox',
        'exec',
        '--limit',
        '--refresh',
        '-p',
      ),
    );
    const property = fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (line) => {
      try {
        await parseArguments(line, groups);
      } catch (failure) {
        expect(failure).toBeInstanceOf(CliError);
        expect(failure).toHaveProperty('kind', 'usage');
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

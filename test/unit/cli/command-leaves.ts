import fc from 'fast-check';
import type { Command } from '../../../src/cli/command/command.ts';
import { GLOBAL_OPTIONS, type Option, type Options, standIns } from '../../../src/cli/command/options.ts';
import { parseArguments } from '../../../src/cli/command/program.ts';
import { flagOf, takesValue } from '../../../src/cli/command/spelling.ts';
import { groups } from '../../../src/commands/index.ts';

export type Leaf = { readonly path: string; readonly words: readonly string[]; readonly command: Command };

/** Every command with the words that name it. */
export async function allLeaves(): Promise<Leaf[]> {
  const found = groups.map(async (group) =>
    (await group.load()).map((command): Leaf => {
      const words = group.single ? [group.name] : [group.name, command.name];
      return { path: words.join(' '), words, command };
    }),
  );
  return (await Promise.all(found)).flat();
}

/** What argv means if it names a command, its own options apart from the global ones. Throws if it asks for something else. */
export async function parse(words: readonly string[]) {
  const parsed = await parseArguments(words, groups);
  if (parsed.kind !== 'command') throw new Error(`${words.join(' ')} is not a command but ${parsed.kind}`);
  const given = Object.entries(parsed.options);
  const options = Object.fromEntries(given.filter(([name]) => !(name in GLOBAL_OPTIONS)));
  const globals = Object.fromEntries(given.filter(([name]) => name in GLOBAL_OPTIONS));
  return { ...parsed, options, globals };
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

export const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HARD) },
  { weight: 1, arbitrary: fc.string() },
);

type Named = readonly [string, Option];

/** Options of a command and the global ones, without those that the command has under the same flag. */
export function optionsOf(command: Command): { readonly own: Options; readonly globals: Options } {
  const own = { ...standIns(command), ...command.options };
  const taken = new Set(Object.keys(own).map(flagOf));
  const globals = Object.fromEntries(
    Object.entries(GLOBAL_OPTIONS).filter(([name]) => !taken.has(flagOf(name))),
  );
  return { own, globals };
}

export function withValue(options: Options): readonly Named[] {
  return Object.entries(options).filter(([, option]) => takesValue(option) && option.type !== 'steps');
}

/** The texts that each option was given, in order. */
export function gathered(given: readonly (readonly [string, string])[], options: Options) {
  const texts: Record<string, readonly string[]> = {};
  for (const [name, text] of given) if (name in options) texts[name] = [...(texts[name] ?? []), text];
  return texts;
}

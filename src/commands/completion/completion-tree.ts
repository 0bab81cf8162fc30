import type { Argument } from '../../cli/command/arguments.ts';
import { standIns } from '../../cli/command/arguments.ts';
import type { Command, Group } from '../../cli/command/groups.ts';
import { flagOf, GLOBAL_OPTIONS, type Option, type Options, takesValue } from '../../cli/command/options.ts';

/**
 * What can stand in a place of the command line: words, paths (`after-at`: files behind an `@`), and what the program
 * knows. `known` is what it is asked for: with `=` where a value follows, with `@` and the number of an argument, or `any`.
 */
export type Candidates = {
  readonly words: readonly string[];
  readonly paths: 'none' | 'files' | 'folders' | 'after-at';
  readonly known?: string;
};

export type Flag = {
  /** Every spelling, the short one first. */
  readonly spellings: readonly string[];
  readonly description: string;
  /** Absent for a switch. */
  readonly value?: Candidates;
  /** The flag may also stand alone, as `--refresh`. */
  readonly bare: boolean;
  readonly repeated: boolean;
};

export type Leaf = {
  readonly name: string;
  /** As typed after `hogctl`: `persons list`, or the noun alone. */
  readonly path: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly words: Candidates;
  readonly passThrough: boolean;
};

export type Noun = {
  readonly name: string;
  readonly summary: string;
  readonly isSingle: boolean;
  readonly leaves: readonly Leaf[];
};

/** The whole command line as data: what the scripts for each shell are written from. */
export type CompletionTree = {
  readonly nouns: readonly Noun[];
  /** Options of every command. */
  readonly globals: readonly Flag[];
  /** Options of the program alone, where no command is named. */
  readonly rootOnly: readonly Flag[];
};

/** Loads every group. Nothing is read but the declarations of the commands. */
export async function completionTree(groups: readonly Group[]): Promise<CompletionTree> {
  const nouns = await Promise.all(
    groups.map(async ({ name, summary, load, single = false }) => ({
      name,
      summary,
      isSingle: single,
      leaves: (await load()).map((command) => leafOf(command, single ? name : `${name} ${command.name}`)),
    })),
  );
  return {
    nouns,
    globals: [
      ...flagsOf(GLOBAL_OPTIONS),
      ...flagsOf({ help: { type: 'flag', short: 'h', description: 'Show help' } }),
    ],
    rootOnly: flagsOf({ version: { type: 'flag', short: 'V', description: 'Show the version' } }),
  };
}

function leafOf(command: Command, path: string): Leaf {
  return {
    name: command.name,
    path,
    aliases: command.aliases,
    summary: command.summary,
    flags: flagsOf({ ...standIns(command), ...command.options }),
    words: together(Object.values(command.arguments).map(argumentCandidates)),
    passThrough: command.passThrough,
  };
}

function flagsOf(options: Options): readonly Flag[] {
  return Object.entries(options)
    .filter(([, option]) => !option.hidden)
    .flatMap(([name, option]) => flagsOfOption(name, option));
}

const REPEATED = ['texts', 'repeated', 'integers', 'assignments', 'properties'];

function flagsOfOption(name: string, option: Option): readonly Flag[] {
  const flag = flagOf(name);
  const { description } = option;
  const once = { description, bare: false, repeated: false };
  if (option.type === 'boolean') {
    const no = { ...once, spellings: [flag.replace('--', '--no-')] };
    return option.negative ? [no] : [{ ...once, spellings: [flag] }, no];
  }
  const spellings = option.short ? [`-${option.short}`, flag] : [flag];
  if (!takesValue(option)) return [{ ...once, spellings }];
  return [
    {
      spellings,
      description,
      value: candidates(option),
      bare: option.bare !== undefined,
      repeated: REPEATED.includes(option.type),
    },
  ];
}

function argumentCandidates(argument: Argument, index: number): Candidates {
  const words = 'choices' in argument ? (argument.choices ?? []) : [];
  const known = knownArgument(argument, index);
  return { words, paths: pathsOf(argument), ...(known ? { known } : {}) };
}

function knownArgument(argument: Argument, index: number): string | undefined {
  if (argument.type === 'insights') return 'insight@any';
  if (argument.type === 'insight') return `insight@${index}`;
  return 'known' in argument && argument.known ? `${argument.known}@${index}` : undefined;
}

function candidates(option: Option): Candidates {
  const hasValue = option.type === 'assignments' || option.type === 'properties';
  return {
    words: option.choices ?? [],
    paths: pathsOf(option),
    ...(option.known ? { known: `${option.known}${hasValue ? '=' : ''}` } : {}),
  };
}

/** An option says by its type or its placeholder that its value is a path. */
function pathsOf({ type, placeholder = '', description = '' }: Described): Candidates['paths'] {
  if (type === 'json' || type === 'object' || /@file/.test(`${placeholder} ${description}`))
    return 'after-at';
  if (/^(folder|directory|dir)$/.test(placeholder)) return 'folders';
  return /\bfile$/.test(placeholder) || /^file\b/i.test(description) ? 'files' : 'none';
}

type Described = {
  readonly type: string;
  readonly placeholder?: string;
  readonly description?: string;
};

function together(all: readonly Candidates[]): Candidates {
  const known = all.find((one) => one.known !== undefined)?.known;
  return {
    words: all.flatMap(({ words }) => words),
    paths: all.find(({ paths }) => paths !== 'none')?.paths ?? 'none',
    ...(known ? { known } : {}),
  };
}

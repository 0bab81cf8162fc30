import type { Command, Group } from '../cli/command/command.ts';
import { TOPICS } from '../cli/command/help.ts';
import {
  type Argument,
  flagOf,
  GLOBAL_OPTIONS,
  type Option,
  type Options,
  STAND_INS,
  takesValue,
} from '../cli/command/options.ts';

/** What can stand in one place of the command line. */
export type Value = {
  readonly words?: readonly string[];
  /** `after-at`: files behind an `@`. */
  readonly paths?: 'files' | 'folders' | 'after-at';
  /** Names of stored projects, of runs, or from the completion cache. */
  readonly offers?: Option['offers'];
  /** Whether several can stand there, with commas. */
  readonly isList?: true;
  /** Whether `=` and a value follow. */
  readonly isKey?: true;
};

export type TreeOption = {
  /** Every spelling, the short one first. */
  readonly names: readonly string[];
  readonly text: string;
  /** Absent for a switch. */
  readonly value?: Value;
  /** The value may be left out, as in `--refresh`. */
  readonly bare?: true;
  readonly repeated?: true;
  /** It replaces an argument, as `--email` replaces a person. */
  readonly standsIn?: true;
};

export type TreeCommand = {
  /** The name, then aliases. */
  readonly names: readonly string[];
  readonly text: string;
  readonly options: readonly TreeOption[];
  readonly arguments: readonly Value[];
  /** Whether the last argument takes several words. */
  readonly many?: true;
  readonly passThrough?: true;
};

export type TreeNoun = {
  readonly name: string;
  readonly text: string;
  /** A noun that is a command itself. */
  readonly single?: TreeCommand;
  readonly commands: readonly TreeCommand[];
};

/** The whole command line as data. The build writes it down, so that Tab loads no command. */
export type Tree = {
  readonly nouns: readonly TreeNoun[];
  /** What only `help` explains. */
  readonly topics: readonly { readonly name: string; readonly text: string }[];
  /** Options of every command. */
  readonly options: readonly TreeOption[];
  /** Options that stand before every noun. */
  readonly rootOptions: readonly TreeOption[];
};

export async function completionTree(groups: readonly Group[]): Promise<Tree> {
  const nouns = await Promise.all(
    groups.map(async ({ name, summary: text, load, single }) => {
      const commands = (await load()).map(commandOf);
      const [first] = commands;
      return single && first ? { name, text, single: first, commands: [] } : { name, text, commands };
    }),
  );
  const help: Options = { help: { type: 'flag', short: 'h', description: 'Show help' } };
  return {
    nouns,
    topics: TOPICS.map(({ name, summary: text }) => ({ name, text })),
    options: optionsOf({ ...GLOBAL_OPTIONS, ...help }),
    rootOptions: optionsOf({ version: { type: 'flag', short: 'V', description: 'Show the version' } }),
  };
}

function commandOf(command: Command): TreeCommand {
  const all = Object.values(command.arguments);
  const last = all.at(-1)?.type;
  const standIns = all.flatMap(({ type }) =>
    type === 'person' || type === 'insight' ? optionsOf(STAND_INS[type]) : [],
  );
  return {
    names: [command.name, ...command.aliases],
    text: command.summary,
    options: [
      ...standIns.map((option) => ({ ...option, standsIn: true as const })),
      ...optionsOf(command.options),
    ],
    arguments: all.map(argumentValue),
    ...(last === 'words' || last === 'insights' ? { many: true } : {}),
    ...(command.passThrough ? { passThrough: true } : {}),
  };
}

function optionsOf(options: Options): readonly TreeOption[] {
  return Object.entries(options)
    .filter(([, option]) => !option.hidden)
    .flatMap(([name, option]) => spellingsOf(name, option));
}

const REPEATED = ['texts', 'repeated', 'integers', 'assignments', 'fields', 'properties', 'steps'];

function spellingsOf(name: string, option: Option): readonly TreeOption[] {
  const flag = flagOf(name);
  const text = option.description;
  if (option.type === 'boolean') {
    const no = { names: [flag.replace('--', '--no-')], text };
    return option.negative ? [no] : [{ names: [flag], text }, no];
  }
  const names = option.short ? [`-${option.short}`, flag] : [flag];
  if (!takesValue(option)) return [{ names, text }];
  const marks = {
    ...(option.bare === undefined ? {} : { bare: true as const }),
    ...(REPEATED.includes(option.type) ? { repeated: true as const } : {}),
  };
  return [{ names, text, value: describeValue(option), ...marks }];
}

function argumentValue(argument: Argument): Value {
  if (argument.type === 'insight' || argument.type === 'insights') return { offers: 'insight' };
  return argument.type === 'person' || argument.type === 'words' ? {} : describeValue(argument);
}

function describeValue(option: Option): Value {
  const paths = pathsOf(option);
  return {
    ...(option.choices === undefined ? {} : { words: option.choices }),
    ...(paths === undefined ? {} : { paths }),
    ...(option.offers === undefined ? {} : { offers: option.offers }),
    ...(option.type === 'texts' ? { isList: true } : {}),
    ...(option.type === 'assignments' || option.type === 'properties' ? { isKey: true } : {}),
  };
}

/** An option says by its type or its placeholder that its value is a path. */
function pathsOf({ type, placeholder = '', description }: Option): Value['paths'] {
  if (type === 'json' || type === 'object' || /@file/.test(`${placeholder} ${description}`))
    return 'after-at';
  if (/^(folder|directory|dir)$/.test(placeholder)) return 'folders';
  return /\bfile$/.test(placeholder) || /^file\b/i.test(description) ? 'files' : undefined;
}

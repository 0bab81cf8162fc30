import type { Command } from './cli/command/command.ts';
import {
  ABOUT_OPTIONS,
  type Argument,
  flagOf,
  GLOBAL_OPTIONS,
  type Option,
  type Options,
  type SpecialFormat,
  standIns,
  takesValue,
} from './cli/command/options.ts';
import { parseArguments } from './cli/command/program.ts';
import { TOPICS } from './cli/command/topics.ts';
import { groups } from './commands/index.ts';
import { type Tree, type TreeCommand, type TreeOption, type Value, writeTree } from './completion/tree.ts';

/** All that the build makes one file of. `main.ts` loads it, and the sandbox takes the errors from it. */
export { run } from './cli/run.ts';
export * from './errors.ts';
export { openSystem } from './system/open-system.ts';
export { groups };

/** What --help shows for each noun and command, each with the words that ask for it before it, between form feeds. */
export async function helpTexts(): Promise<string> {
  const lines = [[], ...(await Promise.all(groups.map(linesOf))).flat()];
  const texts = lines.map(async (line) => {
    const [short, all] = await Promise.all([helpOf([...line, '--help']), helpOf(['help', ...line])]);
    const words = line.join(' ');
    return `\f${words}\n${short}${all === short ? '' : `\fhelp ${words}\n${all}`}`;
  });
  return `${(await Promise.all(texts)).join('')}\f`;
}

async function helpOf(line: readonly string[]): Promise<string> {
  const parsed = await parseArguments(line, groups);
  if (parsed.kind !== 'help') throw new Error(`${line.join(' ')} is no help`);
  return parsed.text;
}

async function linesOf({ name, single, load }: (typeof groups)[number]): Promise<readonly string[][]> {
  const commands = single ? [] : await load();
  const verbs = commands.flatMap((command) => [command.name, ...command.aliases]);
  return [[name], ...verbs.map((verb) => [name, verb])];
}

/** What Tab is answered from. */
export const treeText = async (): Promise<string> => writeTree(await completionTree());

/** The whole command line as data. */
export async function completionTree(): Promise<Tree> {
  const nouns = await Promise.all(
    groups.map(async ({ name, summary: text, load, single }) => {
      const commands = (await load()).map(commandOf);
      const [first] = commands;
      return single && first ? { name, text, single: first, commands: [] } : { name, text, commands };
    }),
  );
  const { help, version } = ABOUT_OPTIONS;
  return {
    nouns,
    topics: TOPICS.map(({ name, summary: text }) => ({ name, text })),
    options: optionsOf({ ...GLOBAL_OPTIONS, help }),
    rootOptions: optionsOf({ version }),
  };
}

function commandOf(command: Command): TreeCommand {
  const all = Object.values(command.arguments);
  const last = all.at(-1)?.type;
  return {
    names: [command.name, ...command.aliases],
    text: command.summary,
    options: [
      ...optionsOf(standIns(command)).map((option) => ({ ...option, standsIn: true as const })),
      ...optionsOf(command.options),
      ...(command.special === undefined ? [] : optionsOf(outputWith(command.special))),
    ],
    arguments: all.map(argumentValue),
    ...(last === 'words' || last === 'insights' ? { many: true } : {}),
    ...(command.passThrough ? { passThrough: true } : {}),
  };
}

/** `--output` of a command that knows one format more. */
function outputWith(format: SpecialFormat): Options {
  const { output } = GLOBAL_OPTIONS;
  return { output: { ...output, choices: [...output.choices, format] } };
}

function optionsOf(options: Options): readonly TreeOption[] {
  return Object.entries(options)
    .filter(([, option]) => !option.hidden)
    .flatMap(([name, option]) => spellingsOf(name, option));
}

const REPEATED = ['files', 'texts', 'repeated', 'integers', 'assignments', 'fields', 'properties', 'steps'];

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

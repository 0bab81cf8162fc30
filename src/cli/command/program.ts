import { CommanderError, Command as Parser, Option as ParserOption } from 'commander';
import { CliError, choicesFor, closest, usageError } from '../../errors.ts';
import type { Command, Group } from './command.ts';
import {
  describeCommand,
  describeGroup,
  describeRoot,
  HELP_FLAGS,
  HELP_STYLE,
  helpOnHelp,
  topicHelp,
} from './help.ts';
import { ABOUT_OPTIONS, GLOBAL_OPTIONS, type Option, type Options, standIns } from './options.ts';
import type { RawInput, RawOptions } from './read-input.ts';
import {
  flagOf,
  optionText,
  optionUsage,
  spellingsOf,
  splitOption,
  takesValue,
  wantsValue,
} from './spelling.ts';
import { TOPICS } from './topics.ts';
import { collectSteps } from './values.ts';

/** What argv asks for. */
export type Parsed =
  | { readonly kind: 'help'; readonly text: string; readonly wanted: boolean }
  | { readonly kind: 'version' }
  | ({
      readonly kind: 'command';
      readonly command: Command;
      /** As typed after `hogctl`, an alias as the name it stands for. */
      readonly path: string;
    } & RawInput);

/** Parses argv (without node and script). Throws a usage error if it does not parse. */
export async function parseArguments(argv: readonly string[], groups: readonly Group[]): Promise<Parsed> {
  const { names, rest, ...asked } = scan(argv, groups);
  const [noun, verb = ''] = names;
  if (asked.version) return { kind: 'version' };
  if (asked.wantsAll && noun === 'help') return { kind: 'help', text: helpOnHelp(), wanted: true };
  const topic = asked.wantsAll && TOPICS.find(({ name }) => name === noun);
  if (topic) return { kind: 'help', text: topicHelp(topic), wanted: true };
  const group = groups.find(({ name }) => name === noun);
  const command = await group?.find(verb);
  const commands = group && command === undefined ? await group.load() : [];
  const unknown = command ? [] : names.slice(group ? 1 : 0);
  const named: Named = { groups, group, command, commands, ...asked };
  try {
    return parseLine(wordsFor(unknown, rest, asked), named);
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code !== 'commander.help') {
      const siblings = (await group?.load()) ?? [];
      throw parserError(failure, { noun, group, command, siblings });
    }
    if (asked.output === 'json' || asked.output === 'ndjson') throw lacksCommand(noun);
    return { kind: 'help', text: failure.message, wanted: argv.length === 0 };
  }
}

/** The help of what is not there is an error like any other use of it. */
function wordsFor(
  unknown: readonly string[],
  rest: readonly string[],
  { help, wantsAll, isStrange }: Asked,
): readonly string[] {
  if (unknown.length > 0) return [...unknown, ...rest.filter((word) => word !== '-h' && word !== '--help')];
  return wantsAll || (help && isStrange) ? ['--help'] : rest;
}

/** What the words of a line name. */
type Named = Asked & {
  readonly groups: readonly Group[];
  readonly group: Group | undefined;
  readonly command: Command | undefined;
  /** All commands of the noun, if none of them is named. */
  readonly commands: readonly Command[];
};

/** Values stay values because only one parser sees the words, with every option that can stand there. */
function parseLine(words: readonly string[], named: Named): Parsed {
  const { command, group, wantsAll } = named;
  let text = '';
  const collect = (part: string) => (text += part);
  const root = new Parser('hogctl')
    .exitOverride()
    .configureOutput({ writeOut: collect, writeErr: collect, outputError: () => {} })
    .configureHelp(HELP_STYLE)
    .helpOption(HELP_FLAGS, 'Show this help')
    .helpCommand(false)
    .enablePositionalOptions();
  const parser = parserFor(root, named);
  const own = command ? { ...standIns(command), ...command.options } : {};
  for (const option of parserOptions(GLOBAL_OPTIONS)) parser.addOption(option.hideHelp());
  for (const option of parserOptions(own)) parser.addOption(option);
  if (command) {
    parser.argument('[words...]').passThroughOptions(command.passThrough);
    if (wantsAll || named.help) describeCommand(parser, command, { wantsAll });
  }
  const options = { ...GLOBAL_OPTIONS, ...own };
  try {
    // The words that follow the name of a command that passes them through are another program's.
    parser.parse(rewrite(words, options, { isWhole: command?.passThrough !== true }), { from: 'user' });
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code === 'commander.helpDisplayed') return { kind: 'help', text, wanted: true };
    if (failure.code === 'commander.help') failure.message = text;
    throw failure;
  }
  if (group === undefined || command === undefined) throw lacksCommand(group?.name);
  const path = group.single ? group.name : `${group.name} ${command.name}`;
  return { kind: 'command', command, path, options: givenTo(parser, options), words: parser.args };
}

/** The parser of what is named, below those of the words before it, with the words that can follow. */
function parserFor(root: Parser, { groups, group, command, commands }: Named): Parser {
  if (group === undefined) {
    describeRoot(root);
    for (const { name, summary } of groups) root.command(name).summary(summary);
    return root;
  }
  const noun = root.command(group.name).helpCommand(false);
  if (command) return group.single ? noun : noun.command(command.name).aliases([...command.aliases]);
  describeGroup(noun, group, commands);
  for (const { name, aliases, summary } of commands)
    noun
      .command(name)
      .aliases([...aliases])
      .summary(summary);
  return noun;
}

const collectTexts = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];

function parserOptions(options: Options): readonly ParserOption[] {
  const steps: string[] = [];
  return Object.entries(options).flatMap(([name, option]) => {
    // Under our name, not one made of its flag; and as help shows it, which may stand for two options.
    const attributeName = () => name;
    const flags = optionUsage(name, option).trim();
    const plain = new ParserOption(flags.replace('[no-]', ''), optionText(option));
    const added = Object.assign(plain, { flags, attributeName }).hideHelp(option.hidden === true);
    // A flag is a fact, also if it is spelt `--no-except`.
    if (option.type === 'flag') added.negate = false;
    if (option.type === 'boolean') {
      const [plainly = '', no = ''] = spellingsOf(name, option);
      const other = new ParserOption(option.negative ? plainly : no).hideHelp();
      return [added, Object.assign(other, { attributeName })];
    }
    const collect = option.type === 'steps' ? collectSteps(steps, flagOf(name)) : collectTexts;
    return takesValue(option) ? [added.argParser(collect)] : [added];
  });
}

/** What was given for these options; the parser's own defaults were not given. */
function givenTo(parser: Parser, options: Options): RawOptions {
  const given = Object.keys(options).filter((name) => parser.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(given.map((name) => [name, parser.getOptionValue(name)]));
}

function lacksCommand(noun: string | undefined): CliError {
  return usageError(
    noun === undefined ? 'a command is missing' : `a command is missing after ${noun}`,
    `${noun === undefined ? 'hogctl' : `hogctl ${noun}`} --help lists the commands`,
  );
}

type Failed = Pick<Named, 'group' | 'command'> & {
  readonly noun: string | undefined;
  /** The commands of the group. */
  readonly siblings: readonly Command[];
};

/** Says what the parser found wrong as every other usage error is said. */
function parserError(failure: CommanderError, failed: Failed): CliError {
  const [message = '', ...more] = failure.message.replace(/^error: /, '').split('\n');
  const meant = more.join(' ').replace(/^\(Did (.*)\)$/, 'did $1');
  const hint = meant || otherHint(failure.code, message, failed);
  return new CliError('usage', message, { hint, cause: failure });
}

function otherHint(code: string, message: string, failed: Failed): string {
  const { group, noun = '' } = failed;
  if (code === 'commander.unknownCommand') {
    const topic = TOPICS.find(({ name }) => name.startsWith(noun.slice(0, 3)));
    if (group) return `hogctl ${group.name} --help lists the commands`;
    return topic ? `hogctl help ${topic.name} explains it` : 'hogctl --help lists the commands';
  }
  if (code !== 'commander.unknownOption') return SEE_HELP;
  const [, flag = ''] = /'(--?[^'=]*)/.exec(message) ?? [];
  if (!flag.startsWith('--'))
    return 'if a value begins with a hyphen, write --option=value, or put an argument after --';
  return hintForFlag(flag, failed);
}

/** The parser suggests only what the help of the command shows. */
function hintForFlag(flag: string, { group, command, siblings }: Failed): string {
  const takes = (options: Options) => Object.keys(options).map(flagOf);
  const own = [...takes(ALWAYS), ...takes(command?.options ?? {})];
  const near = flag.length > 5 ? closest(flag, takes(ALWAYS)) : undefined;
  const meant = near ?? OTHER_WORDS[flag]?.find((one) => own.includes(one));
  if (meant !== undefined) return `did you mean ${meant}?`;
  const takers = siblings.filter(({ options }) => takes(options).includes(flag)).map(({ name }) => name);
  return takers.length === 0 || takers.length > 3
    ? SEE_HELP
    : `${takers.map((name) => `hogctl ${group?.name} ${name}`).join(' and ')} ${takers.length === 1 ? 'takes' : 'take'} it`;
}

const SEE_HELP = 'add --help to see the options and arguments';

/** Words of other programs, and of earlier help, for options of ours. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  '--fields': ['--columns'],
  '--select': ['--columns'],
  '--format': ['--output'],
  '--out': ['--save'],
  '--file': ['--from', '--save'],
  '--since': ['--date-from'],
  '--until': ['--date-to'],
  '--skip-odd': ['--odd'],
  '--allow-odd-ids': ['--odd'],
};

/** What is asked for beside a command. */
type Asked = {
  /** Whether help may be asked for: `-h` can be a value. */
  readonly help: boolean;
  /** Whether the word `help` asks, which shows the rare options too. */
  readonly wantsAll: boolean;
  readonly version: boolean;
  /** Whether an option stands before the name that not every command takes. */
  readonly isStrange: boolean;
  readonly output: string | undefined;
  readonly quiet: boolean;
};

/** What argv says before it is parsed. */
export type Scan = Asked & {
  /** The noun and the verb. */
  readonly names: readonly string[];
  /** All other words. */
  readonly rest: readonly string[];
};

/** The options that may stand before the name of a command. */
const ALWAYS = { ...GLOBAL_OPTIONS, ...ABOUT_OPTIONS };

/**
 * Finds the words that name the command, among global options and their values. An option of another kind ends the name:
 * the word behind it may be its value. If help is asked for, that does no harm.
 */
export function scan(argv: readonly string[], groups: readonly Group[]): Scan {
  const names: string[] = [];
  const rest: string[] = [];
  const asked = { help: false, wantsAll: false, version: false, isStrange: false, quiet: false };
  let output: string | undefined;
  let sure: number | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') {
      rest.push(...argv.slice(at));
      break;
    }
    const isNaming = names.length < 2 && !groups.some(({ name, single }) => single && name === names[0]);
    if (isNaming && !word.startsWith('-')) {
      if (word !== 'help' || asked.wantsAll) names.push(word);
      else asked.wantsAll = true;
      continue;
    }
    rest.push(word);
    if (!word.startsWith('-')) continue;
    const spelt = splitOption(ALWAYS, word);
    if (wantsValue(spelt) && at + 1 < argv.length) rest.push(argv[++at] ?? '');
    if (spelt === undefined && isNaming) sure ??= names.length;
    if (spelt?.name === 'output') output = spelt.value ?? argv[at];
    if (spelt?.name === 'version' && names.length === 0) asked.version = true;
    if (spelt?.name === 'help') asked.help = true;
    if (spelt?.name === 'quiet') asked.quiet = true;
  }
  const isSure = sure === undefined || asked.help || asked.wantsAll;
  return {
    ...asked,
    isStrange: sure !== undefined,
    output,
    names: isSure ? names : names.slice(0, sure),
    rest,
  };
}

/**
 * Makes words unmistakable for the parser: a bare `--refresh` gets its value, `-o=json` loses its sign, and a spaced value
 * that begins with `--` is refused, since it may be a forgotten value. Throws a usage error for that. If the words are not
 * whole, those from the first that is no option are left as they are.
 */
function rewrite(
  words: readonly string[],
  options: Options,
  { isWhole }: { readonly isWhole: boolean },
): readonly string[] {
  const rewritten: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--' || !(isWhole || word.startsWith('-'))) return [...rewritten, ...words.slice(at)];
    const spelt = splitOption(options, word);
    const next = words[at + 1];
    if (!wantsValue(spelt)) {
      rewritten.push(word.replace(/^-([a-z])=/, '-$1'));
    } else if (spelt.option.bare === undefined) {
      rewritten.push(word, ...spacedValue(word, next));
      at += 1;
    } else {
      const given = next !== undefined && isChoice(spelt.option, next, word);
      rewritten.push(`${word}=${given ? next : spelt.option.bare}`);
      if (given) at += 1;
    }
  }
  return rewritten;
}

function spacedValue(word: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (!value.startsWith('--')) return [value];
  throw usageError(
    `${word} needs a value, but "${value}" looks like an option`,
    `if it is the value, write ${word}=${value}`,
  );
}

/** A word that resembles a mode is a mistyped mode, not the next argument. */
function isChoice(option: Option, word: string, flag: string): boolean {
  const choices = option.choices ?? [];
  if (choices.includes(word)) return true;
  const resembles =
    /^[a-z]+([_-][a-z]+)+$/.test(word) ||
    (/^[a-z]{3,}$/.test(word) && choices.some((choice) => choice.startsWith(word.slice(0, 3)))) ||
    closest(word, choices) !== undefined;
  if (!resembles) return false;
  throw usageError(
    `invalid value "${word}" for ${flag}`,
    `${choicesFor(word, choices)}; without a value it is ${option.bare}`,
  );
}

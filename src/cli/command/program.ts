import { CommanderError, Command as Parser, Option as ParserOption } from 'commander';
import { CliError, choicesFor, closest, usageError } from '../../errors.ts';
import { VERSION } from '../version.ts';
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
import {
  flagOf,
  GLOBAL_OPTIONS,
  type Option,
  type Options,
  optionText,
  optionUsage,
  standIns,
  takesValue,
} from './options.ts';
import type { RawOptions } from './read-input.ts';
import { TOPICS } from './topics.ts';
import { collectSteps } from './values.ts';

/** What argv asks for. */
export type Parsed =
  | { readonly kind: 'help'; readonly text: string; readonly wanted: boolean }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: Command;
      /** As typed after `hogctl`, an alias as the name it stands for. */
      readonly path: string;
      readonly globals: RawOptions;
      readonly options: RawOptions;
      readonly words: readonly string[];
    };

/** Parses argv (without node and script). Throws a usage error if it does not parse. */
export async function parseArguments(argv: readonly string[], groups: readonly Group[]): Promise<Parsed> {
  if (argv[0] === 'help' && argv[1] === 'help') return { kind: 'help', text: helpOnHelp(), wanted: true };
  const asked = asHelp(argv, groups);
  const wantsAll = asked !== argv;
  const { words, help, output } = scan(asked);
  const [noun, verb = ''] = words;
  const topic = argv[0] === 'help' && TOPICS.find(({ name }) => name === noun);
  if (topic) return { kind: 'help', text: topicHelp(topic), wanted: true };
  const group = groups.find(({ name }) => name === noun);
  const command = await group?.find(verb);
  // The help of what is not there is an error like any other use of it.
  const isUnknown = noun !== undefined && command === undefined && (group === undefined || verb !== '');
  const line = isUnknown ? asked.filter((word) => word !== '-h' && word !== '--help') : asked;
  // What a mistyped verb and the help of a noun name are all commands of the noun.
  const siblings = group && (command === undefined || help) ? await group.load() : [];
  const wantsHelp = help || command === undefined;
  const named: Named = { groups, group, command, siblings, wantsHelp, wantsAll };
  try {
    return await parseLine(line, named);
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code !== 'commander.help') throw parserError(failure, { line, noun, ...named });
    const wantsJson = output === 'json' || output === 'ndjson';
    if (wantsJson) throw lacksCommand(noun);
    return { kind: 'help', text: failure.message, wanted: argv.length === 0 };
  }
}

/** `help persons list` and `persons help list` are `persons list --help`, and show its rare options too. */
function asHelp(argv: readonly string[], groups: readonly Group[]): readonly string[] {
  if (argv[0] === 'help') return [...argv.slice(1), '--help'];
  const isNoun = groups.some(({ name, single }) => name === argv[0] && !single);
  return isNoun && argv[1] === 'help' ? [argv[0] ?? '', ...argv.slice(2), '--help'] : argv;
}

/** What the words of a line name. */
type Named = {
  readonly groups: readonly Group[];
  readonly group: Group | undefined;
  readonly command: Command | undefined;
  /** The commands to register beside it. */
  readonly siblings: readonly Command[];
  /** Whether help may be shown, so that it must be known. */
  readonly wantsHelp: boolean;
  /** Whether help shows the rare options too. */
  readonly wantsAll: boolean;
};

/**
 * Values stay values because options are looked for only up to the next subcommand, and because the global ones are
 * registered with the program, the noun and the command alike.
 */
async function parseLine(line: readonly string[], named: Named): Promise<Parsed> {
  const { command, group } = named;
  let parsed: Parsed | undefined;
  let text = '';
  const collect = (part: string) => (text += part);
  const root = new Parser('hogctl')
    .exitOverride()
    .configureOutput({ writeOut: collect, writeErr: collect, outputError: () => {} })
    .configureHelp(HELP_STYLE)
    .helpOption(HELP_FLAGS, 'Show this help')
    .helpCommand(false)
    .version(VERSION, '-V, --version', 'Show the version')
    .enablePositionalOptions();
  const own = command ? ownOptions(command) : {};
  registerGroups(root, named, (parser) => {
    if (!group || !command) return;
    const path = group.single ? group.name : `${group.name} ${command.name}`;
    const globals = givenAnywhere(parser, GLOBAL_OPTIONS);
    parsed = { kind: 'command', command, path, globals, options: givenTo(parser, own), words: parser.args };
  });
  // The words that follow the name of a command that passes them through are another program's.
  const mostWords = command?.passThrough ? 2 : undefined;
  try {
    await root.parseAsync(rewrite(line, own, mostWords), { from: 'user' });
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code === 'commander.version') return { kind: 'version' };
    if (failure.code === 'commander.helpDisplayed') return { kind: 'help', text, wanted: true };
    if (failure.code === 'commander.help') failure.message = text;
    throw failure;
  }
  if (parsed === undefined) throw lacksCommand(group?.name);
  return parsed;
}

function registerGroups(root: Parser, named: Named, keep: Leaf['keep']): void {
  const { groups, group, command, siblings, wantsHelp } = named;
  const addLeaf = (parser: Parser, leaf: Command) => addCommand(parser, leaf, { ...named, keep });
  const globals = parserOptions(GLOBAL_OPTIONS).map((option) => option.hideHelp());
  for (const option of globals) root.addOption(option);
  if (wantsHelp) describeRoot(root);
  // Other nouns are only for help and hints.
  for (const one of wantsHelp ? groups : groups.filter((each) => each === group)) {
    const noun = root.command(one.name).summary(one.summary).helpCommand(false);
    if (one !== group) continue;
    for (const option of globals) noun.addOption(option);
    if (one.single && command) {
      addLeaf(noun, command);
      continue;
    }
    if (wantsHelp) describeGroup(noun, one, siblings);
    for (const sibling of new Set(command ? [command, ...siblings] : siblings)) {
      const verb = noun
        .command(sibling.name)
        .aliases([...sibling.aliases])
        .summary(sibling.summary);
      for (const option of globals) verb.addOption(option);
      if (sibling === command) addLeaf(verb, command);
    }
  }
}

type Leaf = Pick<Named, 'wantsHelp' | 'wantsAll'> & { readonly keep: (parser: Parser) => void };

function addCommand(parser: Parser, command: Command, { wantsHelp, wantsAll, keep }: Leaf): void {
  for (const option of parserOptions(ownOptions(command))) parser.addOption(option);
  parser.argument('[words...]');
  if (command.passThrough) parser.passThroughOptions();
  if (wantsHelp) describeCommand(parser, command, { wantsAll });
  parser.action(() => keep(parser));
}

function ownOptions(command: Command): Options {
  return { ...standIns(command), ...command.options };
}

const collectTexts = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];

function parserOptions(options: Options): readonly ParserOption[] {
  const steps: string[] = [];
  return Object.entries(options).flatMap(([name, option]) => {
    const flags = optionUsage(name, option).trim();
    const added = new ParserOption(flags.replace('[no-]', ''), optionText(option));
    added.hideHelp(option.hidden === true);
    // As help shows it: it may stand for two options.
    added.flags = flags;
    if (option.type === 'boolean' && !option.negative)
      return [added, new ParserOption(flagOf(name).replace('--', '--no-')).hideHelp()];
    const collect = option.type === 'steps' ? collectSteps(steps, flagOf(name)) : collectTexts;
    return takesValue(option) ? [added.argParser(collect)] : [added];
  });
}

/** What was given for these options to the command itself; the parser's own defaults were not given. */
function givenTo(parser: Parser, options: Options): RawOptions {
  const found: Record<string, boolean | readonly string[]> = {};
  for (const name of Object.keys(options)) {
    // As the parser names it after its flag.
    const attribute = name
      .replace(/^\$/, '')
      .replace(/[_-](.)/g, (_, letter: string) => letter.toUpperCase());
    const source = parser.getOptionValueSource(attribute);
    if (source !== undefined && source !== 'default') found[name] = parser.getOptionValue(attribute);
  }
  return found;
}

/** The same for the command, its noun and the program; what is nearest to the command wins. */
function givenAnywhere(parser: Parser, options: Options): RawOptions {
  const above = parser.parent ? givenAnywhere(parser.parent, options) : {};
  return { ...above, ...givenTo(parser, options) };
}

function lacksCommand(noun: string | undefined): CliError {
  return usageError(
    noun === undefined ? 'a command is missing' : `a command is missing after ${noun}`,
    `${noun === undefined ? 'hogctl' : `hogctl ${noun}`} --help lists the commands`,
  );
}

type Failed = Named & { readonly line: readonly string[]; readonly noun: string | undefined };

/** Says what the parser found wrong as every other usage error is said. */
function parserError(failure: CommanderError, failed: Failed): CliError {
  const [message = '', ...more] = failure.message.replace(/^error: /, '').split('\n');
  const meant = more.join(' ').replace(/^\(Did (.*)\)$/, 'did $1');
  const hint = meant || otherHint(failure.code, message, failed);
  return new CliError('usage', message, { hint, cause: failure });
}

function otherHint(code: string, message: string, { line, group, noun = '' }: Failed): string {
  if (code === 'commander.unknownCommand') {
    const topic = TOPICS.find(({ name }) => name.startsWith(noun.slice(0, 3)));
    if (group) return `hogctl ${group.name} --help lists the commands`;
    return topic ? `hogctl help ${topic.name} explains it` : 'hogctl --help lists the commands';
  }
  if (code !== 'commander.unknownOption') return 'add --help to see the options and arguments';
  // The parser suggests only what the help of the command shows.
  const [, flag = ''] = /'(--[^']*)'/.exec(message) ?? [];
  const meant = flag.length > 5 ? closest(flag, Object.keys(GLOBAL_OPTIONS).map(flagOf)) : undefined;
  if (meant !== undefined) return `did you mean ${meant}?`;
  return line.some((word) => /^-[^-]/.test(word))
    ? 'if a value begins with a hyphen, write --option=value, or put an argument after --'
    : 'add --help to see the options and arguments';
}

/** What argv says before it is parsed: which command, and how errors are to be printed. */
export type Scan = {
  /** The words that name the command, at most two. */
  readonly words: readonly string[];
  readonly output: string | undefined;
  readonly quiet: boolean;
  readonly help: boolean;
};

/** Finds the command's words, skipping global options and their values. */
export function scan(argv: readonly string[]): Scan {
  const spelt = spellings(GLOBAL_OPTIONS);
  const words: string[] = [];
  let output: string | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const word = lastOption(argv[at] ?? '', spelt);
    if (word === '--') break;
    const option = spelt.get(word);
    if (option && takesValue(option)) at += 1;
    output = outputFrom(word, argv[at]) ?? output;
    if (!word.startsWith('-') && words.length < 2) words.push(word);
  }
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  return {
    words,
    output,
    quiet: own.includes('-q') || own.includes('--quiet'),
    // Switches may be written together.
    help: own.some((word) => word === '--help' || /^-\w*h/.test(word)),
  };
}

/** Switches may be written together with an option behind them, as in `-qo json`: that option. Else the word. */
function lastOption(word: string, spelt: ReadonlyMap<string, Option>): string {
  if (!/^-[^-]/.test(word)) return word;
  for (let at = 1; at < word.length; at += 1) {
    const option = spelt.get(`-${word[at]}`);
    if (!option) return word;
    if (takesValue(option)) return `-${word.slice(at)}`;
  }
  return word;
}

function outputFrom(word: string, value: string | undefined): string | undefined {
  if (word === '-o' || word === '--output') return value;
  return /^(?:-o=?|--output=)(\w+)$/.exec(word)?.[1];
}

function spellings(options: Options): Map<string, Option> {
  const spelt = new Map<string, Option>();
  for (const [name, option] of Object.entries(options)) {
    spelt.set(flagOf(name), option);
    if (option.short) spelt.set(`-${option.short}`, option);
  }
  return spelt;
}

/**
 * Makes argv unmistakable for the parser: a bare `--refresh` gets its value, `-o=json` loses its sign, and a spaced value
 * that begins with `--` is refused, since it may be a forgotten value. Throws a usage error for that. What follows
 * `most` words that are no options is left as it is.
 */
function rewrite(argv: readonly string[], options: Options, most = Infinity): readonly string[] {
  let words = 0;
  const spelt = spellings({ ...GLOBAL_OPTIONS, ...options });
  const rewritten: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) words += 1;
    if (word === '--' || words > most) return [...rewritten, ...argv.slice(at)];
    const option = spelt.get(word);
    const next = argv[at + 1];
    if (option?.bare !== undefined) {
      const given = next !== undefined && isChoice(option, next, word);
      rewritten.push(`${word}=${given ? next : option.bare}`);
      if (given) at += 1;
    } else if (option && takesValue(option)) {
      rewritten.push(word, ...spacedValue(word, next));
      at += 1;
    } else {
      rewritten.push(word.replace(/^-([a-z])=/, '-$1'));
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

import { CommanderError, Command as Parser, Option as ParserOption } from 'commander';
import { CliError, usageError } from '../../errors.ts';
import type { Command, Group } from './define-command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { commandHelp, groupHelp, rootHelp, standIns, useHelp } from './help.ts';
import { flagOf, type Option, type Options, takesValue } from './options.ts';
import { rewrite, scan } from './scan.ts';
import { collectSteps } from './step-words.ts';

/** Texts of options by our names: true or false for switches, every text given for the others. */
export type RawOptions = { readonly [name: string]: boolean | readonly string[] };

/** What argv asks for. */
export type Parsed =
  | { readonly kind: 'help'; readonly text: string; readonly wanted: boolean }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly globals: RawOptions;
      readonly options: RawOptions;
      readonly words: readonly string[];
    };

/**
 * Parses argv (without node and script). Registers only the group that argv names, since each option costs start-up.
 * Throws a usage error for whatever does not parse.
 */
export async function parseArguments(argv: readonly string[], groups: readonly Group[]): Promise<Parsed> {
  const line = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const { words, help } = scan(line);
  if (line.includes('--version') && words.length === 0) return { kind: 'version' };
  const group = groups.find(({ name }) => name === words[0]);
  if (!group) return withoutGroup({ words, groups, line });
  const commands = await group.load();
  const command = group.single ? commands[0] : commands.find((one) => isNamed(one, words[1]));
  if (!command && words[1] === undefined)
    return { kind: 'help', text: groupHelp(group, commands), wanted: help };
  const options = command ? { ...standIns(command), ...command.options } : {};
  // The words that follow the name of a command that passes them through are another program's.
  const most = command?.passThrough ? 2 : undefined;
  return runParser({ line: rewrite(line, options, most), group, commands });
}

function isNamed(command: Command, word: string | undefined): boolean {
  return word !== undefined && (command.name === word || command.aliases.includes(word));
}

function withoutGroup(found: {
  words: readonly string[];
  groups: readonly Group[];
  line: readonly string[];
}): Parsed {
  const { words, groups, line } = found;
  const [word] = words;
  if (word !== undefined) {
    throw usageError(
      `there is no command "${word}"`,
      suggestion(
        word,
        groups.map(({ name }) => name),
      ),
    );
  }
  const unknown = line.find((one) => /^-/.test(one) && !['-h', '--help'].includes(one));
  if (unknown && !line.includes('-h') && !line.includes('--help')) {
    throw usageError(`a command is missing before ${unknown}`, 'hogctl --help lists the commands');
  }
  return { kind: 'help', text: rootHelp(groups), wanted: true };
}

function suggestion(word: string, names: readonly string[]): string {
  const start = names.find((name) => name.startsWith(word.slice(0, 3)));
  return start ? `did you mean ${start}?` : 'hogctl --help lists the commands';
}

async function runParser(input: {
  line: readonly string[];
  group: Group;
  commands: readonly Command[];
}): Promise<Parsed> {
  const { line, group, commands } = input;
  let parsed: Parsed | undefined;
  const keep = (found: Parsed) => {
    parsed = found;
  };
  const root = quiet(new Parser('hogctl')).enablePositionalOptions();
  const noun = addOptions(quiet(root.command(group.name)), GLOBAL_OPTIONS);
  if (group.single && commands[0]) {
    addLeaf({ parser: noun, path: group.name, command: commands[0], keep, isNoun: true });
  } else {
    noun.enablePositionalOptions();
    useHelp(noun, () => groupHelp(group, commands));
    for (const command of commands) {
      const parser = quiet(noun.command(command.name)).aliases([...command.aliases]);
      addLeaf({ parser, path: `${group.name} ${command.name}`, command, keep, isNoun: false });
    }
  }
  addOptions(root, GLOBAL_OPTIONS);
  let text = '';
  const collect = (parser: Parser) =>
    parser.configureOutput({ writeOut: (part) => (text += part), writeErr: () => {} });
  for (const parser of [root, noun, ...noun.commands]) collect(parser);
  try {
    await root.parseAsync(line, { from: 'user' });
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code === 'commander.helpDisplayed') return { kind: 'help', text, wanted: true };
    throw parserError(failure, line);
  }
  // The parser either throws or runs an action, and every action keeps what it found.
  return parsed ?? { kind: 'help', text: groupHelp(group, commands), wanted: false };
}

type Leaf = {
  parser: Parser;
  path: string;
  command: Command;
  keep: (found: Parsed) => void;
  isNoun: boolean;
};

function addLeaf({ parser, path, command, keep, isNoun }: Leaf): void {
  if (!isNoun) addOptions(parser, GLOBAL_OPTIONS);
  const own = { ...standIns(command), ...command.options };
  addOptions(parser, own);
  parser.argument('[words...]');
  if (command.passThrough) parser.passThroughOptions();
  useHelp(parser, () => commandHelp(path, command));
  parser.action(() => {
    keep({
      kind: 'command',
      command,
      globals: given(parser, GLOBAL_OPTIONS),
      options: given(parser, own, { nearest: true }),
      words: parser.args,
    });
  });
}

function quiet(parser: Parser): Parser {
  return parser
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .helpCommand(false)
    .allowExcessArguments(true);
}

const collectTexts = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];

function addOptions(parser: Parser, options: Options): Parser {
  const steps: string[] = [];
  for (const [name, option] of Object.entries(options)) {
    const collect = option.type === 'steps' ? collectSteps(steps, flagOf(name)) : collectTexts;
    for (const flags of spellings(name, option)) {
      const added = new ParserOption(flags, option.description);
      parser.addOption(takesValue(option) ? added.argParser(collect) : added);
    }
  }
  return parser;
}

function spellings(name: string, option: Option): readonly string[] {
  const short = option.short ? `-${option.short}, ` : '';
  const flag = flagOf(name);
  if (takesValue(option)) return [`${short}${flag} <value>`];
  const no = flag.replace('--', '--no-');
  if (option.negative) return [no];
  return option.type === 'boolean' ? [flag, no] : [`${short}${flag}`];
}

/** What was given for these options, nearest to the command first; defaults of the parser are nobody's wish. */
function given(leaf: Parser, options: Options, { nearest = false } = {}): RawOptions {
  const found: Record<string, boolean | readonly string[]> = {};
  for (const name of Object.keys(options)) {
    const attribute = attributeOf(name);
    for (let parser: Parser | null = leaf; parser; parser = nearest ? null : parser.parent) {
      const source = parser.getOptionValueSource(attribute);
      if (source === undefined || source === 'default') continue;
      found[name] = parser.getOptionValue(attribute);
      break;
    }
  }
  return found;
}

function attributeOf(name: string): string {
  return flagOf(name)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function parserError(failure: CommanderError, line: readonly string[]): CliError {
  const [message = '', ...more] = failure.message.replace(/^error: /, '').split('\n');
  const hyphen = failure.code === 'commander.unknownOption' && line.some((word) => /^-[^-]/.test(word));
  const forHyphen = 'a value that begins with a hyphen is written --option=value, an argument after --';
  const hint = more.join(' ').replace(/^\(|\)$/g, '') || (hyphen ? forHyphen : undefined);
  return new CliError('usage', message, { hint: hint ?? '--help shows what it takes', cause: failure });
}

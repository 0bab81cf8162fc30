import { CommanderError, Command as Parser, Option as ParserOption } from 'commander';
import { CliError } from '../../errors.ts';
import type { Command } from './define-command.ts';
import type { Group } from './define-group.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { commandHelp, groupHelp, standIns, useHelp } from './help.ts';
import { flagOf, type Option, type Options, takesValue } from './options.ts';
import type { Parsed, RawOptions } from './parsed.ts';
import { collectSteps } from './step-words.ts';

/** A line that names a noun and a verb. */
export type Line = {
  readonly line: readonly string[];
  readonly group: Group;
  /** The command that the line names, if there is one of that name. */
  readonly command: Command | undefined;
};

/** Tells whether an option is to be registered. */
type Wanted = (flag: string, option: Option) => boolean;

/**
 * Parses a line with the options of its command. Each option costs start-up, so only those are registered that the line
 * may spell; a line that does not parse is parsed again with all, which can then be suggested. Throws a usage error for
 * whatever does not parse.
 */
export async function runParser(line: Line): Promise<Parsed> {
  try {
    return await parseLine(line, speltIn(line.line));
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
  }
  try {
    return await parseLine(line, () => true);
  } catch (failure) {
    throw failure instanceof CommanderError ? parserError(failure, line.line) : failure;
  }
}

/** Short options may stand together in one word, so one such word may spell any of them. */
function speltIn(line: readonly string[]): Wanted {
  const words = new Set(line.map((word) => word.split('=', 1)[0]));
  const hasShort = line.some((word) => /^-[^-]/.test(word));
  return (flag, { short }) =>
    words.has(flag) || words.has(flag.replace('--', '--no-')) || (hasShort && short !== undefined);
}

async function parseLine({ line, group, command }: Line, wanted: Wanted): Promise<Parsed> {
  let parsed: Parsed | undefined;
  const keep = (found: Parsed) => {
    parsed = found;
  };
  const root = quiet(new Parser('hogctl')).enablePositionalOptions();
  const noun = addOptions(quiet(root.command(group.name)), GLOBAL_OPTIONS, wanted);
  if (group.single && command) {
    addLeaf({ parser: noun, path: group.name, command, keep, wanted });
  } else {
    noun.enablePositionalOptions();
    useHelp(noun, () => groupHelp(group));
    for (const { name, aliases } of group.outline.verbs) {
      if (command && name !== command.name) continue;
      const parser = addOptions(quiet(noun.command(name)).aliases([...aliases]), GLOBAL_OPTIONS, wanted);
      if (command) addLeaf({ parser, path: `${group.name} ${name}`, command, keep, wanted });
    }
  }
  addOptions(root, GLOBAL_OPTIONS, wanted);
  let text = '';
  const collect = (parser: Parser) =>
    parser.configureOutput({ writeOut: (part) => (text += part), writeErr: () => {} });
  for (const parser of [root, noun, ...noun.commands]) collect(parser);
  try {
    await root.parseAsync(line, { from: 'user' });
  } catch (failure) {
    if (!(failure instanceof CommanderError)) throw failure;
    if (failure.code === 'commander.helpDisplayed') return { kind: 'help', text, wanted: true };
    throw failure;
  }
  // The parser either throws or runs an action, and every action keeps what it found.
  return parsed ?? { kind: 'help', text: groupHelp(group), wanted: false };
}

type Leaf = {
  parser: Parser;
  path: string;
  command: Command;
  keep: (found: Parsed) => void;
  wanted: Wanted;
};

function addLeaf({ parser, path, command, keep, wanted }: Leaf): void {
  const own = { ...standIns(command), ...command.options };
  addOptions(parser, own, wanted);
  parser.argument('[words...]');
  if (command.passThrough) parser.passThroughOptions();
  useHelp(parser, () => commandHelp(path, command));
  parser.action(() => {
    keep({
      kind: 'command',
      command,
      path,
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

function addOptions(parser: Parser, options: Options, wanted: Wanted): Parser {
  const steps: string[] = [];
  for (const [name, option] of Object.entries(options)) {
    if (!wanted(flagOf(name), option)) continue;
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
  const meant = more.join(' ').replace(/^\(Did (.*)\)$/, 'did $1');
  const hint = meant || (hyphen ? forHyphen : undefined);
  return new CliError('usage', message, { hint: hint ?? '--help shows what it takes', cause: failure });
}

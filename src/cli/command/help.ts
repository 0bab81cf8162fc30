import {
  Help,
  type HelpConfiguration,
  type Command as Parser,
  Argument as ParserArgument,
  Option as ParserOption,
} from 'commander';
import { counted } from '../../errors.ts';
import type { Command, Group } from './command.ts';
import { argumentUsage } from './spelling.ts';
import { TOPICS, type Topic } from './topics.ts';

/** Longer lines are hard to read, and what is generated from help must not depend on a terminal. */
const WIDTH = 80;

/** It is shown by the program and the nouns; the help of a command is about its own options. */
export const HELP_FLAGS = '-h, --help';

/** How the parser writes help. */
export const HELP_STYLE: HelpConfiguration = {
  helpWidth: WIDTH,
  minWidthToWrap: 30,
  optionTerm: ({ short, flags }) => (short ? flags : `    ${flags}`),
  subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
};

const GLOBALS_LINE = 'hogctl help options shows the options that every command takes.';

/**
 * The help of one command: what it does, examples, arguments, options. So that `--help` fits a screen, rare options,
 * later paragraphs and further examples are left to `hogctl help <command>`.
 */
export function describeCommand(
  parser: Parser,
  command: Command,
  { wantsAll }: { readonly wantsAll: boolean },
): void {
  const words = Object.entries(command.arguments).map(([name, argument]) => argumentUsage(name, argument));
  // What follows the words of another program is its own.
  parser.usage((command.passThrough ? ['[options] --', ...words] : [...words, '[options]']).join(' '));
  parser.addHelpOption(new ParserOption(HELP_FLAGS).hideHelp());
  // Headings say what is meant, and leave less room.
  const isShort = command.headings.length > 0 && !wantsAll;
  parser.configureHelp({ ...HELP_STYLE, visibleArguments: () => (isShort ? [] : explained(command)) });
  for (const [title, names] of command.headings)
    for (const option of parser.options)
      if (names.includes(option.attributeName())) option.helpGroup(`${title}:`);
  const texts = command.description?.split('\n\n') ?? [];
  const { examples } = command;
  const [mostTexts, mostExamples] = wantsAll ? [texts.length, examples.length] : [1, isShort ? 2 : 5];
  before(parser, [command.summary, ...texts.slice(0, mostTexts)], examples.slice(0, mostExamples));
  const rare = wantsAll ? 0 : hideRare(parser, command);
  const more = rare > 0 ? `shows ${counted(rare, 'more option')}` : 'says more';
  const saysMore = rare > 0 || texts.length > mostTexts || examples.length > mostExamples;
  const rows = scopeLines(command);
  const after = [
    ...(rows.length > 0 ? ['\nNeeds:', ...rows, ''] : ['']),
    ...(saysMore ? [`hogctl help ${pathOf(parser)} ${more}.`] : []),
    GLOBALS_LINE,
  ];
  parser.addHelpText('after', after.join('\n'));
}

/** Hides the rare options, and says how many there are. */
function hideRare(parser: Parser, { rare }: Command): number {
  for (const option of parser.options) if (rare.includes(option.attributeName())) option.hideHelp();
  return rare.length;
}

/** The words that name the command after `hogctl`. */
function pathOf(parser: Parser): string {
  return parser.parent?.parent ? `${pathOf(parser.parent)} ${parser.name()}` : parser.name();
}

/** The help of a noun: its verbs, which the parser lists. */
export function describeGroup(parser: Parser, { name, summary }: Group, commands: readonly Command[]): void {
  parser.usage('<command> [options]');
  before(parser, [summary], commands[0]?.examples.slice(0, 1) ?? []);
  const more = `hogctl ${name} <command> --help shows the options and examples of one command.`;
  parser.addHelpText('after', `\n${more}`);
}

/** The help of the whole program, short enough for a screen of 24 lines: its nouns, which the parser lists, and topics. */
export function describeRoot(parser: Parser): void {
  parser.usage('<command> [options]');
  parser.configureHelp({ ...HELP_STYLE, visibleOptions: () => [] });
  before(
    parser,
    ['Operate a PostHog project: persons, erasure with proof, insights.'],
    ['sandbox exec -- hogctl persons list', 'auth login --host eu --project 12345'],
  );
  parser.commandsGroup('Commands (hogctl <command> --help shows more):');
  parser.addHelpText('after', `\nTopics: hogctl help ${TOPICS.map(({ name }) => name).join('|')}`);
}

/** What there is to read beside the help of commands. */
export function helpOnHelp(): string {
  const lines = [
    'hogctl <command> --help shows examples, arguments and options of a command.',
    'hogctl help <command> shows its rare options too.',
    '',
    'Topics:',
    ...table(TOPICS.map(({ name, summary }) => [`help ${name}`, summary])),
    '',
    'No account yet? hogctl sandbox start runs the service on this computer.',
  ];
  return `${lines.join('\n')}\n`;
}

export function topicHelp({ text, rows }: Topic): string {
  return `${text.replace('{rows}', () => table(rows()).join('\n'))}\n`;
}

function before(parser: Parser, texts: readonly (string | undefined)[], examples: readonly string[]): void {
  const told = texts.flatMap((text) => (text === undefined ? [] : [wrapped(text), '']));
  const lines = [...told, ...(examples.length > 0 ? ['Examples:', ...exampleLines(examples), ''] : [])];
  parser.addHelpText('before', lines.join('\n'));
}

function exampleLines(examples: readonly string[]): readonly string[] {
  return examples.map((example) => `  $ hogctl ${example}`);
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const help = writer();
  return rows.map(([left, right]) => help.formatItem(left, width, right, help));
}

function wrapped(text: string): string {
  return writer().boxWrap(text.replace(/\s+/g, ' '), WIDTH);
}

/** The parser's own way to write two columns and to break lines. */
function writer(): Help {
  return Object.assign(new Help(), HELP_STYLE);
}

function explained(command: Command): ParserArgument[] {
  return Object.entries(command.arguments)
    .filter(([, { description }]) => description !== undefined)
    .map(([name, argument]) => new ParserArgument(argumentUsage(name, argument), argument.description));
}

function scopeLines(command: Command): readonly string[] {
  return command.endpoints
    .filter((row) => /^[PI]\d+$/.test(row.id))
    .map((row) => {
      const scopes = row.scopes.length > 0 ? row.scopes : (row.live?.scopes ?? []);
      return `  ${row.method} ${row.path}${scopes.length > 0 ? `  scope ${scopes.join(' and ')}` : ''}`;
    });
}

import type { Command as Parser } from 'commander';
import { argumentUsage, STAND_INS } from './arguments.ts';
import type { CommandEntry, GroupEntry } from './catalogue.ts';
import type { Group } from './define-group.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { INDENT, sections, table, WIDTH } from './help-layout.ts';
import { TOPICS, type Topic, type TopicPart } from './help-topics.ts';
import { flagOf, type Option, type Options, takesValue } from './options.ts';
import { wrapWords } from './wrap-words.ts';

/** The help of one command: what it does, examples, arguments, options. */
export function commandHelp(path: string, command: CommandEntry): string {
  const options = { ...standIns(command), ...command.options };
  return sections([
    [
      undefined,
      [command.summary, ...(command.description ? ['', ...wrapWords(command.description, WIDTH)] : [])],
    ],
    ['Examples', command.examples.map((example) => `${INDENT}$ hogctl ${example}`)],
    ['Usage', [`${INDENT}hogctl ${usage(path, command)}`]],
    ['Arguments', argumentLines(command)],
    ['Options', optionLines(options)],
    [
      'Global options',
      optionLines({ ...GLOBAL_OPTIONS, help: { type: 'flag', short: 'h', description: 'Show this help' } }),
    ],
    ['Needs', scopeLines(command)],
  ]);
}

/** The help of a noun: its verbs. */
export function groupHelp({ name, summary, outline }: Group): string {
  return sections([
    [undefined, [summary]],
    ['Examples', [`${INDENT}$ hogctl ${outline.example}`]],
    ['Usage', [`${INDENT}hogctl ${name} <command> [options]`]],
    ['Commands', table(outline.verbs.map((verb) => [[verb.name, ...verb.aliases].join(', '), verb.summary]))],
    [undefined, [`hogctl ${name} <command> --help shows the options and examples of one command.`]],
  ]);
}

/** The help of the whole program: its nouns. */
export function rootHelp(groups: readonly GroupEntry[]): string {
  return sections([
    [undefined, ['Operate a PostHog project: persons, erasure with proof, insights.']],
    [
      'Examples',
      [
        'sandbox exec -- hogctl persons list',
        'auth login --host eu --project 12345',
        'persons bulk-delete --from people.csv --as distinct-ids',
      ].map((example) => `${INDENT}$ hogctl ${example}`),
    ],
    ['Usage', [`${INDENT}hogctl <command> [options]`]],
    ['Commands', table(groups.map((group) => [group.name, group.summary]))],
    ['Topics', table(TOPICS.map(({ name, summary }) => [`help ${name}`, summary]))],
    [
      'Global options',
      optionLines({
        ...GLOBAL_OPTIONS,
        help: { type: 'flag', short: 'h', description: 'Show help' },
        version: { type: 'flag', short: 'V', description: 'Show the version' },
      }),
    ],
    [
      undefined,
      [
        'hogctl <command> --help shows more.',
        'No account yet? hogctl sandbox start runs the service on this computer.',
      ],
    ],
  ]);
}

/** The text of a topic, which is about no one command. */
export function topicHelp({ summary, parts }: Topic): string {
  return sections([
    [undefined, [`${summary}.`]],
    ...parts.map((part) => [part.title, partLines(part)] as const),
  ]);
}

function partLines({ examples = [], rows = [], text = [] }: TopicPart): readonly string[] {
  const sentences = text.flatMap((one, at) => [...(at === 0 ? [] : ['']), ...wrapWords(one, WIDTH)]);
  return [...examples.map((example) => `${INDENT}$ hogctl ${example}`), ...table(rows), ...sentences];
}

/** Gives the parser our text for `--help`. */
export function useHelp(parser: Parser, text: () => string): void {
  parser.helpInformation = text;
}

function usage(path: string, command: CommandEntry): string {
  const words = Object.entries(command.arguments).map(([name, argument]) => argumentUsage(name, argument));
  // What follows the words of another program is its own.
  return (command.passThrough ? [path, '[options] --', ...words] : [path, ...words, '[options]']).join(' ');
}

/** `--distinct-id` and the like, where the command takes a person or an insight. */
export function standIns(command: CommandEntry): Options {
  const options: Record<string, Option> = {};
  for (const argument of Object.values(command.arguments)) {
    if (argument.type === 'person' || argument.type === 'insight')
      Object.assign(options, STAND_INS[argument.type]);
  }
  return options;
}

function scopeLines(command: CommandEntry): readonly string[] {
  const lines = command.endpoints
    .filter((row) => /^[PI]\d+$/.test(row.id))
    .map((row) => {
      const scopes = row.scopes.length > 0 ? row.scopes : (row.live?.scopes ?? []);
      return `${INDENT}${row.id}  ${row.method} ${row.path}${scopes.length > 0 ? `  scope ${scopes.join(' and ')}` : ''}`;
    });
  return lines;
}

/** Arguments that say more than their name does. */
function argumentLines(command: CommandEntry): readonly string[] {
  const rows = Object.entries(command.arguments).flatMap(([name, argument]) =>
    argument.description ? [[argumentUsage(name, argument), argument.description] as const] : [],
  );
  return table(rows);
}

function optionLines(options: Options): readonly string[] {
  const visible = Object.entries(options).filter(([, option]) => !option.hidden);
  return table(visible.map(([name, option]) => [optionUsage(name, option), optionText(option)]));
}

/** What an option says of itself: description, choices, what to use instead. */
export function optionText(option: Option): string {
  const deprecated = option.deprecated ? ` (deprecated: use ${option.deprecated})` : '';
  const choices =
    option.choices && !option.description.includes(option.choices[0] ?? '')
      ? `: ${option.choices.join(', ')}`
      : '';
  return `${option.description}${choices}${deprecated}`;
}

/** How an option is written, with its short form or the room for one. */
export function optionUsage(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '    ';
  const flag = flagOf(name);
  if (option.type === 'boolean') {
    return `${short}${flag.replace('--', option.negative ? '--no-' : '--[no-]')}`;
  }
  if (!takesValue(option)) return `${short}${flag}`;
  const placeholder = option.placeholder ?? DEFAULT_PLACEHOLDERS[option.type] ?? 'text';
  const value = option.bare === undefined ? `<${placeholder}>` : `[${placeholder}]`;
  return `${short}${flag} ${value}${isRepeated(option) ? '...' : ''}`;
}

const DEFAULT_PLACEHOLDERS: Readonly<Record<string, string>> = {
  integer: 'n',
  number: 'n',
  integers: 'n,n',
  texts: 'a,b',
  json: 'json',
  object: 'json',
  date: 'date',
  'person-id': 'id',
  assignments: 'key=value',
  fields: 'key=value',
  properties: 'expr',
};

function isRepeated(option: Option): boolean {
  return ['repeated', 'assignments', 'fields', 'properties'].includes(option.type);
}

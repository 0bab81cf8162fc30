import { usageError } from '../../errors.ts';
import {
  type Argument,
  type Arguments,
  argumentUsage,
  type InsightReference,
  type PersonReference,
  STAND_INS,
} from './arguments.ts';
import type { Command } from './groups.ts';
import { flagOf, type GlobalOptions, type Option, type Options } from './options.ts';
import { readPersonId, readValue, type ValueReaders } from './values.ts';

/** Texts of options by our names: true or false for switches, every text given for the others. */
export type RawOptions = { readonly [name: string]: boolean | readonly string[] };

export type RawInput = { readonly options: RawOptions; readonly words: readonly string[] };

/**
 * Turns texts into the typed input of a command: options by name, arguments in order, a person or insight from its
 * argument or the option that stands in for it. Throws a usage error before anything is sent.
 */
export async function readCommandInput(command: Command, raw: RawInput, readers: ValueReaders) {
  refuseTwoStandardInputs(raw);
  const options = await readOptions(command.options, raw.options, readers);
  const values = await readArguments(command.arguments, raw, readers);
  return { ...options, ...values };
}

/** The values of options by name; what was not given is absent. */
export async function readOptions(options: Options, raw: RawOptions, readers: ValueReaders) {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const texts = raw[name];
    if (texts === undefined) continue;
    if (option.once) refuseSecond(flagOf(name), texts);
    values[name] =
      typeof texts === 'boolean' ? texts : await readValue({ option, name: flagOf(name) }, texts, readers);
  }
  return values;
}

function refuseSecond(flag: string, texts: RawOptions[string] | undefined): void {
  if (!Array.isArray(texts) || texts.length < 2) return;
  throw usageError(`${flag} was given ${texts.length} times`, 'it takes one value; nothing was sent');
}

function refuseTwoStandardInputs({ options, words }: RawInput): void {
  const texts = [...Object.values(options).filter((texts) => typeof texts !== 'boolean'), words].flat();
  if (texts.filter((text) => text === '-').length > 1) {
    throw usageError(
      'standard input can be read only once, and two values are -',
      'put one of them in a file',
    );
  }
}

async function readArguments(expected: Arguments, raw: RawInput, readers: ValueReaders) {
  const values: Record<string, unknown> = {};
  const rest = [...raw.words];
  for (const [name, argument] of Object.entries(expected)) {
    const standIn = standInValue(argument, raw.options);
    values[name] =
      standIn ?? (await readArgument({ name, argument, rest, readers, laterNeeds: needed(expected, name) }));
  }
  if (rest.length > 0) {
    throw usageError(`there is one argument too many: "${rest[0]}"`, expectation(expected));
  }
  return values;
}

/** How many arguments must be left over for those after `name`. */
function needed(expected: Arguments, name: string): number {
  const names = Object.keys(expected);
  const later = names.slice(names.indexOf(name) + 1).map((one) => expected[one]);
  return later.filter((argument) => argument && !('optional' in argument && argument.optional)).length;
}

function standInValue(
  argument: Argument,
  options: RawOptions,
): PersonReference | InsightReference | undefined {
  if (argument.type !== 'person' && argument.type !== 'insight') return undefined;
  const texts = Object.keys(STAND_INS[argument.type]).flatMap((name) => {
    const value = options[name];
    refuseSecond(`--${name}`, value);
    return Array.isArray(value) ? [[name, value.at(-1)] as const] : [];
  });
  const [first, second] = texts;
  if (second)
    throw usageError(`--${first?.[0]} and --${second[0]} both name the ${argument.type}`, 'give one of them');
  if (!first) return undefined;
  const [name, text = ''] = first;
  if (text === '') throw usageError(`--${name} is empty`);
  if (name === 'email') return { email: text };
  return name === 'distinct-id' ? { distinctId: text } : { shortId: readShortId(text) };
}

type Position = {
  readonly name: string;
  readonly argument: Argument;
  readonly rest: string[];
  readonly readers: ValueReaders;
  readonly laterNeeds: number;
};

async function readArgument({ name, argument, rest, readers, laterNeeds }: Position): Promise<unknown> {
  const optional = 'optional' in argument && argument.optional === true;
  if (argument.type === 'words' || argument.type === 'insights') {
    const words = rest.splice(0);
    if (words.length === 0 && !optional) throw missing(name, argument);
    return argument.type === 'words' ? words : words.map(readInsight);
  }
  if (optional && rest.length <= laterNeeds) return undefined;
  const text = rest.shift();
  if (text === undefined) throw missing(name, argument);
  if (argument.type === 'person') return { id: readPersonId(text) };
  if (argument.type === 'insight') return readInsight(text);
  // The two kinds with their own reading are gone, so what is left is an option's description.
  return readValue({ option: argument as Option, name: `<${name}>` }, [text], readers);
}

function missing(name: string, argument: Argument) {
  const standIns =
    argument.type === 'person' || argument.type === 'insight' ? Object.keys(STAND_INS[argument.type]) : [];
  const others = standIns.map((one) => `--${one}`).join(' or ');
  return usageError(
    `${argumentUsage(name, argument)} is missing`,
    others ? `give an id, or ${others}` : '--help shows what it takes',
  );
}

function expectation(expected: Arguments): string {
  const words = Object.entries(expected).map(([name, argument]) => argumentUsage(name, argument));
  return words.length > 0 ? `it takes ${words.join(' ')}` : 'it takes options only';
}

function readInsight(text: string): InsightReference {
  return /^\d+$/.test(text) ? { id: text } : { shortId: readShortId(text) };
}

function readShortId(text: string): string {
  if (/^[A-Za-z0-9]{1,32}$/.test(text)) return text;
  throw usageError(
    `"${text}" is neither an insight id nor a short id`,
    "the short id is the last part of the insight's address",
  );
}

/**
 * Throws a usage error for what has no effect on an answer that is passed on as it came: it is one page, whose rows
 * are not read.
 */
export function checkServerFormat(
  { serverFormat, columns, headers, spreadsheetSafe }: GlobalOptions,
  { all, paginate }: RawOptions,
): void {
  if (serverFormat === undefined) return;
  const unused = [
    ...(all === true ? ['--all'] : []),
    ...(paginate === true ? ['--paginate'] : []),
    ...(columns === undefined ? [] : ['--columns']),
    ...(headers === false ? ['--no-headers'] : []),
    ...(spreadsheetSafe === true ? ['--spreadsheet-safe'] : []),
  ];
  if (unused.length === 0) return;
  throw usageError(
    `--server-format passes one answer on as it came, so ${unused.join(' and ')} would do nothing`,
    'take -o csv or -o json in its place, which obey every option',
  );
}

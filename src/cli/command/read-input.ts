import { choicesFor, usageError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/kinds.ts';
import { parseJson } from '../../json/text.ts';
import { type Duration, inMilliseconds, readDuration } from '../../semantics/calendar.ts';
import { readTime } from '../../semantics/service-time.ts';
import type { Command } from './command.ts';
import {
  type Argument,
  type Arguments,
  type GivenNode,
  type InsightReference,
  type NamedInsight,
  type Option,
  type Options,
  type PersonReference,
  standInsOf,
} from './options.ts';
import { argumentUsage, flagOf } from './spelling.ts';
import { readAssignments, readFields, readPersonId, readPropertyFilter, readStepWord } from './values.ts';

/** Texts of options by our names: true or false for switches, every text given for the others. */
export type RawOptions = { readonly [name: string]: boolean | readonly string[] };

export type RawInput = { readonly options: RawOptions; readonly words: readonly string[] };

/**
 * Turns texts into the typed input of a command: options by name, arguments in order, a person or insight from its
 * argument or the option that stands in for it. Throws a usage error before anything is sent.
 */
export async function readCommandInput(command: Command, raw: RawInput, readText: ReadText) {
  refuseTwoStandardInputs(raw);
  refuseWithoutFile(command.options, raw.options);
  const options = await readOptions(command.options, raw.options, readText);
  const values = await readArguments(command, raw, readText);
  return { ...options, ...values };
}

/** The values of options by name; what was not given is absent. */
export async function readOptions(options: Options, raw: RawOptions, readText: ReadText) {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const texts = raw[name];
    if (texts === undefined) continue;
    if (option.once) refuseSecond(flagOf(name), texts);
    values[name] =
      typeof texts === 'boolean' ? texts : await readValue({ option, name: flagOf(name) }, texts, readText);
  }
  return values;
}

function refuseSecond(flag: string, texts: RawOptions[string] | undefined): void {
  if (!Array.isArray(texts) || texts.length < 2) return;
  throw usageError(`${flag} was given ${texts.length} times`, 'give it once; nothing was sent');
}

function refuseTwoStandardInputs({ options, words }: RawInput): void {
  const texts = [...Object.values(options).filter((texts) => typeof texts !== 'boolean'), words].flat();
  if (texts.filter((text) => text === '-').length > 1) {
    throw usageError(
      'standard input can be read only once, but two values are -',
      'put one of them into a file',
    );
  }
}

/** What says how a file is read would do nothing without it. */
function refuseWithoutFile(options: Options, raw: RawOptions): void {
  for (const [name, { of: file }] of Object.entries(options)) {
    if (file === undefined || raw[name] === undefined || raw[file] !== undefined) continue;
    const orPipe = options[file]?.reads === undefined ? '' : `, or ${flagOf(file)} - for standard input`;
    throw usageError(`${flagOf(name)} needs ${flagOf(file)}`, `add ${flagOf(file)} <file>${orPipe}`);
  }
}

async function readArguments(
  { arguments: expected, options }: Pick<Command, 'arguments' | 'options'>,
  raw: RawInput,
  readText: ReadText,
) {
  const values: Record<string, unknown> = {};
  const rest = [...raw.words];
  const all = Object.entries(expected);
  for (const [at, [name, argument]] of all.entries()) {
    const laterNeeds = all.slice(at + 1).filter(([, { optional }]) => !optional).length;
    const standIn = standInValue(argument, raw.options);
    values[name] = standIn ?? (await readArgument({ name, argument, rest, readText, laterNeeds }));
  }
  const [more] = rest;
  if (more !== undefined)
    throw usageError(
      `unexpected argument "${more}"`,
      meantOption(more, options) ?? expectation(expected, raw),
    );
  return values;
}

function standInValue(
  argument: Argument,
  options: RawOptions,
): PersonReference | InsightReference | undefined {
  const texts = Object.keys(standInsOf(argument)).flatMap((name) => {
    const value = options[name];
    refuseSecond(`--${name}`, value);
    return Array.isArray(value) ? [[name, value.at(-1)] as const] : [];
  });
  const [first, second] = texts;
  if (second)
    throw usageError(`--${first?.[0]} and --${second[0]} both give the ${argument.type}`, 'give one of them');
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
  readonly readText: ReadText;
  /** How many words must be left over for the arguments behind it. */
  readonly laterNeeds: number;
};

async function readArgument({ name, argument, rest, readText, laterNeeds }: Position): Promise<unknown> {
  const { optional } = argument;
  if (argument.type === 'words' || argument.type === 'insights') {
    const words = rest.splice(0);
    if (words.length === 0 && !optional) throw missing(name, argument);
    return argument.type === 'words' ? words : words.map(readInsight);
  }
  if (optional && rest.length <= laterNeeds) return undefined;
  const text = rest.shift();
  if (text === undefined) throw missing(name, argument);
  if (argument.type === 'person') return { id: readPersonId(text) };
  if (argument.type === 'insight') return argument.byName ? readNamedInsight(text) : readInsight(text);
  return readValue({ option: argument, name: `<${name}>` }, [text], readText);
}

function missing(name: string, argument: Argument) {
  const others = Object.keys(standInsOf(argument))
    .map((one) => `--${one}`)
    .join(' or ');
  return usageError(
    `${argumentUsage(name, argument)} is missing`,
    others ? `give an id, or ${others}` : 'add --help to see the options and arguments',
  );
}

/** What `plan=x` was most likely meant to be: `--set plan=x`, or `--property plan=x`; and an address. */
function meantOption(word: string, options: Options): string | undefined {
  if (word.includes('@') && 'emails' in options) return `did you mean --emails ${word}?`;
  if (!/^[\w$.-]+=/.test(word)) return undefined;
  const pairs = ['assignments', 'properties'];
  const [found] =
    Object.entries(options).find(([, { type, hidden }]) => pairs.includes(type) && !hidden) ?? [];
  return found && `did you mean ${flagOf(found)} ${word}?`;
}

function expectation(expected: Arguments, { options }: RawInput): string {
  for (const [name, argument] of Object.entries(expected)) {
    const standIn = Object.keys(standInsOf(argument)).find((one) => options[one] !== undefined);
    if (standIn) return `--${standIn} gives the ${argumentUsage(name, argument)}: leave out one of the two`;
  }
  const words = Object.entries(expected).map(([name, argument]) => argumentUsage(name, argument));
  return words.length > 0 ? `this command takes ${words.join(' ')}` : 'this command takes only options';
}

function readInsight(text: string): InsightReference {
  return /^\d+$/.test(text) ? { id: text } : { shortId: readShortId(text) };
}

/** Short ids are one word of letters and digits, which a name may be, too. */
function readNamedInsight(text: string): NamedInsight {
  if (/^\d+$/.test(text) || text.trim() === '') return readInsight(text);
  return SHORT_ID.test(text) ? { shortId: text, orName: true } : { name: text };
}

const SHORT_ID = /^[A-Za-z0-9]{1,32}$/;

function readShortId(text: string): string {
  if (SHORT_ID.test(text)) return text;
  throw usageError(
    `"${text}" is neither an insight id nor a short id`,
    "copy the short id from the end of the insight's URL",
  );
}

/** Reads the text of a file, or of standard input for `-`. */
export type ReadText = (source: string) => Promise<string>;

type Named = { readonly option: Option; readonly name: string };

/**
 * Turns the texts given for one option or argument into its value.
 * `name` is how the person spelt it (`--limit`, `<key>`). Throws a usage error that says what is wanted.
 */
async function readValue(named: Named, texts: readonly string[], readText: ReadText): Promise<unknown> {
  const last = texts.at(-1) ?? '';
  switch (named.option.type) {
    case 'file':
      return readFileName(named, last);
    case 'files':
      return texts.map((text) => readFileName(named, text));
    case 'texts':
      return chosen(named, splitList(named, noStandardInput(named, texts)));
    case 'repeated':
      return noStandardInput(named, texts).map((text) => notEmpty(named, text));
    case 'integers':
      return splitList(named, texts).map((text) => readNumber(named, text));
    case 'integer':
    case 'number':
      return readNumber(named, last);
    case 'json':
      return (await readJson(named, last, readText)).value;
    case 'node':
      return readJson(named, last, readText);
    case 'object':
      return readObject(named, last, readText);
    case 'date':
      return readDate(named, last);
    case 'time':
      return readTimeText(named, last);
    case 'person-id':
      return readPersonId(last);
    case 'content':
      return readContent(named, last, readText);
    case 'fields':
      return readFields(named.name, texts);
    case 'assignments':
      return readAssignments(named.name, texts);
    case 'properties':
      return texts.map(readPropertyFilter);
    case 'duration':
      return readLength(named, last);
    case 'steps':
      return texts.map(readStepWord);
    default:
      return chosen(named, noStandardInput(named, [notEmpty(named, last)]))[0];
  }
}

function readFileName(named: Named, text: string): string {
  if (text !== '-' || named.option.reads === 'standard input') return notEmpty(named, text);
  throw usageError(`${named.name} takes the name of a file, not -`, 'write ./- for a file of that name');
}

/** People who type a lone `-` mean standard input, so it is never taken for a value. */
function noStandardInput({ name }: Named, texts: readonly string[]): readonly string[] {
  if (!texts.includes('-')) return texts;
  throw usageError(
    `${name} does not read standard input`,
    'use a file; only --from and options that take JSON read standard input',
  );
}

/** Splits at commas, trims nothing, drops empty pieces: `a,b` and `a` `b` are the same list. */
function splitList(named: Named, texts: readonly string[]): readonly string[] {
  const pieces = texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
  if (pieces.length === 0) throw emptyError(named);
  return pieces;
}

function emptyError({ option, name }: Named) {
  const hint = typeof option.empty === 'string' ? option.empty : 'give it a value, or leave it out';
  return usageError(`${name} is empty`, hint);
}

function chosen({ option, name }: Named, texts: readonly string[]): readonly string[] {
  const wrong = option.choices && texts.find((text) => !option.choices?.includes(text));
  if (wrong === undefined) return texts;
  const choices = choicesFor(wrong, option.choices ?? []);
  const isFile = name === '--output' && /^(?:html?|svg|md|parquet|zip)$/i.test(wrong);
  const hint = isFile ? `${choices}; what can be saved as ${wrong} is, with --save <name>.${wrong}` : choices;
  throw usageError(`invalid value "${wrong}" for ${name}`, hint);
}

function notEmpty(named: Named, text: string): string {
  if (text === '' && named.option.empty !== true) throw emptyError(named);
  return text;
}

function readNumber({ option, name }: Named, text: string): number {
  const isWhole = option.type !== 'number';
  if (!(isWhole ? /^-?\d{1,15}$/ : /^-?\d+(\.\d+)?$/).test(text))
    throw usageError(`${name} takes a ${isWhole ? 'whole ' : ''}number, not "${text}"`);
  const value = Number(text);
  const { minimum = value, maximum = value } = option;
  if (value < minimum) throw usageError(`${name} must be at least ${minimum}, not ${value}`);
  if (value > maximum) throw usageError(`${name} must be at most ${maximum}, not ${value}`);
  return value;
}

function readLength({ option, name }: Named, text: string): Duration {
  const length = readDuration(name, text, option);
  if (option.minimum === undefined || inMilliseconds(length) >= option.minimum * 1000) return length;
  throw usageError(`${name} must be at least ${option.minimum} s, not "${text}"`);
}

/** What stands on the command line, in `@file`, or on `-`, and the name of the file. */
async function readGiven(text: string, readText: ReadText): Promise<{ content: string; source?: string }> {
  if (text === '-') return { content: await readText('-'), source: 'standard input' };
  return text.startsWith('@')
    ? { content: await readText(text.slice(1)), source: text.slice(1) }
    : { content: text };
}

async function readContent(named: Named, text: string, readText: ReadText): Promise<string> {
  const { content } = await readGiven(text, readText);
  if (content.trim() === '') throw emptyError(named);
  return content;
}

async function readJson(named: Named, text: string, readText: ReadText): Promise<GivenNode> {
  const { content, source } = await readGiven(text, readText);
  const where = source === undefined ? 'the JSON' : `the JSON in ${source}`;
  if (content.trim() === '') throw usageError(`${named.name}: ${where} is empty`, 'give a JSON value');
  try {
    return { value: parseJson(content), text: content, source };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(
      `${named.name}: ${where} is not valid, ${cause.message}`,
      'give JSON, @file for a file, or - for standard input',
    );
  }
}

async function readObject(named: Named, text: string, readText: ReadText): Promise<JsonObject> {
  const { value } = await readJson(named, text, readText);
  if (isObject(value)) return value;
  throw usageError(`${named.name} takes a JSON object such as {"plan":"pro"}`);
}

function readTimeText({ name }: Named, text: string): string {
  if (readTime(text) !== undefined) return text;
  throw usageError(`${name} takes a time, not "${text}"`, 'write it as in 2026-03-01T12:00:00Z');
}

const RELATIVE_DATE = /^(-\d{1,4}[hdwmqy](Start|End)?|[hdwmqy](Start|End)|all)$/;

function readDate({ name }: Named, text: string): string {
  if (RELATIVE_DATE.test(text)) return text;
  const absolute = /^(\d{4}-\d{2}-\d{2})(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text);
  const day = absolute?.[1];
  if (day && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)) return text;
  throw usageError(`${name} takes a date, not "${text}"`, 'write YYYY-MM-DD, or -7d, -1m, mStart, yStart');
}

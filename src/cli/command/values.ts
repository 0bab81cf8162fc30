import { usageError } from '../../errors.ts';
import { isExactNumber, type Json, type JsonObject } from '../../json/kinds.ts';
import { readDuration } from '../../service/duration.ts';
import type { Option } from './options.ts';
import { readPropertyFilter, readStepWord } from './property-filter.ts';
import { readFields, typedValue } from './typed-value.ts';

/** Reads the text behind `@file` and `-`; parses JSON without losing digits. */
export type ValueReaders = {
  readText(source: string): Promise<string>;
  parseJson(text: string): Promise<Json>;
};

type Named = { readonly option: Option; readonly name: string };

/**
 * Turns the texts given for one option or argument into its value.
 * `name` is how the person spelt it (`--limit`, `<key>`). Throws a usage error that says what is wanted.
 */
export async function readValue(
  named: Named,
  texts: readonly string[],
  readers: ValueReaders,
): Promise<unknown> {
  const last = texts.at(-1) ?? '';
  switch (named.option.type) {
    case 'file':
      return readFileName(named, last);
    case 'texts':
      return chosen(named, splitList(named, noStandardInput(named, texts)));
    case 'repeated':
      return noStandardInput(named, texts).map((text) => notEmpty(named, text));
    case 'integers':
      return splitList(named, texts).map((text) => readInteger(named, text));
    case 'integer':
      return readInteger(named, last);
    case 'number':
      return readNumber(named, last);
    case 'json':
      return readJson(named, last, readers);
    case 'object':
      return readObject(named, last, readers);
    case 'date':
      return readDate(named, last);
    case 'person-id':
      return readPersonId(last);
    case 'content':
      return readContent(named, last, readers);
    case 'fields':
      return readFields(named.name, texts);
    case 'assignments':
      return readAssignments(named, texts);
    case 'properties':
      return texts.map(readPropertyFilter);
    case 'duration':
      return readDuration(named.name, last);
    case 'steps':
      return texts.map(readStepWord);
    default:
      return chosen(named, noStandardInput(named, [notEmpty(named, last)]))[0];
  }
}

function readFileName(named: Named, text: string): string {
  if (text !== '-' || named.option.reads === 'standard input') return notEmpty(named, text);
  throw usageError(`${named.name} wants the name of a file, not -`, 'a file of that name is written ./-');
}

/** People who type a lone `-` mean standard input, so it is never taken for a value. */
function noStandardInput({ name }: Named, texts: readonly string[]): readonly string[] {
  if (!texts.includes('-')) return texts;
  throw usageError(
    `${name} does not read standard input`,
    'the options that do are --from - and those that take JSON',
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
  throw usageError(`${name} does not know "${wrong}"`, `it takes ${option.choices?.join(', ')}`);
}

function notEmpty(named: Named, text: string): string {
  if (text === '' && named.option.empty !== true) throw emptyError(named);
  return text;
}

function readInteger(named: Named, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw usageError(`${named.name} wants a whole number, not "${text}"`);
  return withinBounds(named, Number(text));
}

function readNumber(named: Named, text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw usageError(`${named.name} wants a number, not "${text}"`);
  return withinBounds(named, Number(text));
}

function withinBounds({ option, name }: Named, value: number): number {
  if (option.minimum !== undefined && value < option.minimum) {
    throw usageError(`${name} wants at least ${option.minimum}, not ${value}`);
  }
  if (option.maximum !== undefined && value > option.maximum) {
    throw usageError(`${name} wants at most ${option.maximum}, not ${value}`);
  }
  return value;
}

async function readContent(named: Named, text: string, readers: ValueReaders): Promise<string> {
  const fromFile = text === '-' || text.startsWith('@');
  const content = fromFile ? await readers.readText(text === '-' ? '-' : text.slice(1)) : text;
  if (content.trim() === '') throw emptyError(named);
  return content;
}

async function readJson(named: Named, text: string, readers: ValueReaders): Promise<Json> {
  const fromFile = text === '-' || text.startsWith('@');
  const source = text === '-' ? '-' : text.slice(1);
  const content = fromFile ? await readers.readText(source) : text;
  const where = fromFile ? `the JSON in ${text === '-' ? 'standard input' : source}` : 'the JSON';
  if (content.trim() === '') throw usageError(`${named.name}: ${where} is empty`, 'nothing was sent');
  try {
    return await readers.parseJson(content);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(
      `${named.name}: ${where} is not valid, ${cause.message}`,
      'give JSON, @file for a file, or - for standard input',
    );
  }
}

async function readObject(named: Named, text: string, readers: ValueReaders): Promise<JsonObject> {
  const value = await readJson(named, text, readers);
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
  if (!isObject) throw usageError(`${named.name} wants a JSON object such as {"plan":"pro"}`);
  // An object that is neither a list nor a number is a JSON object; the compiler cannot narrow it through the list check.
  return value as JsonObject;
}

const RELATIVE_DATE = /^(-\d{1,4}[hdwmqy](Start|End)?|[hdwmqy](Start|End)|all)$/;

function readDate({ name }: Named, text: string): string {
  if (RELATIVE_DATE.test(text)) return text;
  const absolute = /^(\d{4}-\d{2}-\d{2})(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text);
  const day = absolute?.[1];
  if (day && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)) return text;
  throw usageError(`${name} wants a date, not "${text}"`, 'write YYYY-MM-DD, or -7d, -1m, mStart, yStart');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A person id is an integer or a UUID; anything else is most likely a distinct id. */
export function readPersonId(text: string): string {
  if (/^\d{1,20}$/.test(text) || UUID.test(text)) return text;
  throw usageError(
    `"${text}" is not a person id, which is an integer or a UUID`,
    `if it is a distinct id, write --distinct-id=${text.startsWith('-') || !/\s/.test(text) ? text : `"${text}"`}`,
  );
}

function readAssignments({ name }: Named, texts: readonly string[]): JsonObject {
  const entries = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw usageError(`${name} wants key=value, not "${text}"`);
    const key = text.slice(0, at);
    const nullHint = `use unset to delete a property, or --properties '{${JSON.stringify(key)}:null}' to send null`;
    return [key, typedValue(text.slice(at + 1), nullHint)] as const;
  });
  return Object.fromEntries(entries);
}

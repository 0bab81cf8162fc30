import { isUtf8 } from 'node:buffer';
import { CliError, excerpt } from '../errors.ts';
import { asObject, isList, isNumber, isObject, isTooDeep, type Json, ownValue } from '../json/kinds.ts';
import { describeFault, parseJson, parsePageText, parseText, TooDeep } from '../json/text.ts';
import { type Endpoint, rowName } from '../service/endpoint.ts';
import { answerShapes, type Shape } from '../service/schemas.ts';
import type { Answer } from './exchange.ts';
import { inDoubt, type RequestContext, UNKNOWN_HINT, viaProxy } from './network-error.ts';
import type { FetchedPage } from './pages.ts';

/** A 2xx answer as a value, or why its body is none; `again`: it broke off, so another try may bring it whole. */
export type Reading<T> = { readonly value: T } | Unread;

type Unread = { readonly error: CliError; readonly again: boolean };

export type Reader<T> = (answer: Answer) => Promise<Reading<T>>;

export type Expected = {
  readonly row: Pick<Endpoint, 'effect' | 'emptyBody'> & Partial<Pick<Endpoint, 'response'>>;
  readonly where: RequestContext;
};

/**
 * Reads one JSON value of the shape that commands rely on, every number with its own digits; undefined for an empty body
 * if the row allows it.
 */
export function jsonReader(expected: Expected): Reader<Json | undefined> {
  const { emptyBody, response } = expected.row;
  return readerOf(expected, (answer) => {
    if (isEmpty(answer) && emptyBody === 'allowed') return undefined;
    const value = parseBody(answer, parseJson);
    return checkShape(value, response && answerShapes[response]);
  });
}

/** Reads one page of a list, an envelope with `results` or a bare array. */
export function pageReader(expected: Expected): Reader<FetchedPage> {
  return readerOf(expected, (answer) => pageOf(parseBody(answer, parsePageText)));
}

/** Takes the bytes as they are, unless they are a web page: no operation answers with one. */
export function rawReader(expected: Expected): Reader<Answer> {
  return readerOf(expected, (answer) => {
    refuseWebPage(answer);
    return answer;
  });
}

/** What a reader throws says why the body is no answer; another try may bring one that broke off whole. */
function readerOf<T>(expected: Expected, read: (answer: Answer) => T): Reader<T> {
  return async (answer) => {
    try {
      return { value: read(answer) };
    } catch (cause) {
      const isBroken = cause instanceof SyntaxError && !(cause instanceof TooDeep);
      const error = invalid(answer, expected, faultOf(answer, cause), cause);
      return { error, again: isBroken && !isWhole(answer) };
    }
  };
}

function faultOf(answer: Answer, cause: unknown): string {
  if (cause instanceof TooDeep) return `the answer is too deep: ${cause.message}`;
  if (cause instanceof TypeError || cause instanceof RangeError) return cause.message;
  const text = textOf(answer);
  const isJson = /^\s*[[{"]/.test(text.slice(0, 64));
  return isJson ? `the answer is broken JSON, ${describeFault(text)}` : 'the answer is not JSON';
}

/** The value of a body. Throws a TypeError for one that is empty, a web page, or holds bytes that are no characters. */
function parseBody(answer: Answer, parse: (text: string) => Json): Json {
  if (isEmpty(answer)) throw new TypeError('the answer is empty');
  refuseWebPage(answer);
  const value = parse(textOf(answer));
  if (isUtf8(answer.bytes)) return value;
  // What those bytes were meant to be is not known.
  const row = damagedRow(answer.bytes);
  throw new TypeError(row === undefined ? 'the answer is not UTF-8' : `the row ${row} is not UTF-8`);
}

function refuseWebPage({ bytes }: Answer): void {
  if (/^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 64)))
    throw new TypeError('the answer is a web page, not what was asked for');
}

function textOf({ bytes }: Answer): string {
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

function pageOf(value: Json): FetchedPage {
  const { results, ...envelope } = isList(value) ? { results: value } : (asObject(value) ?? {});
  if (!isList(results)) throw new TypeError('the answer has no list of results');
  const deep = results.filter((row) => isTooDeep(row));
  const rows = deep.length === 0 ? results : results.filter((row) => !deep.includes(row));
  return { envelope, rows, tooDeep: deep.map((row) => rowName(row) ?? 'one without an id') };
}

function isEmpty({ status, bytes }: Answer): boolean {
  return status === 204 || bytes.length === 0;
}

/** Whether the service said where the body ends: else it ends with the connection, wherever that breaks off. */
function isWhole({ headers }: Answer): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': packing } = headers;
  return length !== undefined || transfer !== undefined || packing !== undefined;
}

/** The uuid or id of the first row that is not UTF-8; undefined if none has one. */
function damagedRow(bytes: Buffer): string | undefined {
  // A character for each byte, so that rows are found though some bytes are no characters. Escapes stay plain ASCII.
  const text = bytes.toString('latin1').replace(/\\(.)/gs, (pair, next) => (next === 'u' ? 'u' : pair));
  const value = parseText(text.replace(/^\xef\xbb\xbf/, ''));
  const rows = isList(value) ? value : asObject(value)?.results;
  if (!isList(rows)) return undefined;
  const damaged = rows.find((row) => !isUtf8(Buffer.from(JSON.stringify(row), 'latin1')));
  const name = damaged === undefined ? undefined : rowName(damaged);
  return name === undefined ? undefined : Buffer.from(name, 'latin1').toString('utf8');
}

/**
 * An answer of 2xx that is not what was asked for. A write is done as far as one can tell, yet nothing says what came
 * of it.
 */
function invalid(answer: Answer, { row, where }: Expected, what: string, cause: unknown): CliError {
  const type = excerpt(where.redact(answer.headers['content-type'] ?? 'no content type'), 100);
  const place = `(status ${answer.status}, ${type}, from ${where.host})`;
  const kind = row.effect === 'write' ? 'partial' : 'unavailable';
  return new CliError(kind, `${what} ${place}${viaProxy(where.proxy)}`, {
    hint: hintFor(what, row.effect),
    status: answer.status,
    outcome: inDoubt(row.effect),
    cause,
  });
}

function hintFor(what: string, effect: Endpoint['effect']): string {
  if (what.includes('web page')) {
    const page =
      'a sign-in page or a gateway may have answered: check the network, and the base URL of the service';
    return effect === 'write' ? `${page}; ${UNKNOWN_HINT}` : page;
  }
  if (effect === 'write') return UNKNOWN_HINT;
  if (what.includes('too deep')) return 'ask for less, without the deeply nested value';
  return 'check the base URL of the service, and the proxies before it';
}

/** Returns the value if it has the shape that commands rely on. Throws a TypeError that names the field otherwise. */
export function checkShape(value: Json, shape: Shape | undefined): Json {
  if (shape !== undefined) check(value, shape, 'the answer');
  return value;
}

function check(value: Json | undefined, shape: Shape, place: string): void {
  if (typeof shape === 'string') {
    if (!isSimple(value, shape)) throw misfit(place);
    return;
  }
  if ('listOf' in shape) {
    if (!isList(value)) throw misfit(place);
    for (const item of value) check(item, shape.listOf, `an item of ${place}`);
    return;
  }
  if (!isObject(value)) throw misfit(place);
  if ('recordOf' in shape) {
    for (const item of Object.values(value)) check(item, shape.recordOf, `an item of ${place}`);
    return;
  }
  for (const name of shape.needs ?? [])
    if ((ownValue(value, name) ?? null) === null) throw misfit(`"${name}" in ${place}`);
  for (const [name, expected] of Object.entries(shape.fields)) {
    const field = ownValue(value, name);
    if (field !== undefined && field !== null) check(field, expected, `"${name}" in ${place}`);
  }
}

function isSimple(value: Json | undefined, shape: 'text' | 'texts' | 'id'): boolean {
  if (shape === 'texts') return isList(value) && value.every((item) => typeof item === 'string');
  return typeof value === 'string' || (shape === 'id' && isNumber(value));
}

function misfit(place: string): TypeError {
  return new TypeError(`${place} is not what the service documents`);
}

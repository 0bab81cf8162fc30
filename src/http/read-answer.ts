import { isUtf8 } from 'node:buffer';
import { CliError, excerpt, type Outcome } from '../errors.ts';
import { asObject, isList, isNumber, isObject, isTooDeep, type Json, ownValue } from '../json/kinds.ts';
import { describeFault, parseJson, parsePageText, parseText, TooDeep } from '../json/text.ts';
import { rowName } from '../service/answer.ts';
import type { Endpoint } from '../service/endpoint.ts';
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
  return async (answer) => {
    const problem = problemOf(answer, expected);
    if (problem !== undefined) return problem;
    if (isEmpty(answer)) return { value: undefined };
    const { response } = expected.row;
    return parsed(answer, expected, () =>
      checkShape(parseJson(textOf(answer)), response && answerShapes[response]),
    );
  };
}

/** Reads one page of a list, an envelope with `results` or a bare array. */
export function pageReader(expected: Expected): Reader<FetchedPage> {
  const { emptyBody: _, ...row } = expected.row;
  return async (answer) => {
    const problem = problemOf(answer, { ...expected, row });
    return problem ?? parsed(answer, expected, () => pageOf(parsePageText(textOf(answer))));
  };
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

/** Takes the bytes as they are, unless they are a web page: no operation answers with one. */
export function rawReader(expected: Expected): Reader<Answer> {
  return async (answer) => (isWebPage(answer) ? webPage(answer, expected) : { value: answer });
}

function isEmpty({ status, bytes }: Answer): boolean {
  return status === 204 || bytes.length === 0;
}

function parsed<T>(answer: Answer, expected: Expected, parse: () => T): Reading<T> {
  try {
    const value = parse();
    // What bytes that are no characters were meant to be is not known.
    return isUtf8(answer.bytes) ? { value } : notUtf8(answer, expected);
  } catch (cause) {
    if (cause instanceof TooDeep)
      return {
        error: invalid(answer, expected, `the answer is too deep: ${cause.message}`, cause),
        again: false,
      };
    if (cause instanceof TypeError || cause instanceof RangeError)
      return { error: invalid(answer, expected, cause.message, cause), again: false };
    const text = textOf(answer);
    const what = /^\s*[[{"]/.test(text.slice(0, 64))
      ? `the answer is broken JSON, ${describeFault(text)}`
      : 'the answer is not JSON';
    return { error: invalid(answer, expected, what, cause), again: !isWhole(answer) };
  }
}

/** Whether the service said where the body ends: else it ends with the connection, wherever that breaks off. */
function isWhole({ headers }: Answer): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': packing } = headers;
  return length !== undefined || transfer !== undefined || packing !== undefined;
}

/** JSON with a text of bytes that are no characters. */
function notUtf8(answer: Answer, expected: Expected): Unread {
  const row = damagedRow(answer.bytes);
  const what = row === undefined ? 'the answer is not UTF-8' : `the row ${row} is not UTF-8`;
  return { error: invalid(answer, expected, what), again: false };
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

function problemOf(answer: Answer, expected: Expected): Reading<never> | undefined {
  if (isEmpty(answer)) {
    if (expected.row.emptyBody === 'allowed') return undefined;
    return { error: invalid(answer, expected, 'the answer is empty'), again: false };
  }
  return isWebPage(answer) ? webPage(answer, expected) : undefined;
}

function isWebPage({ bytes }: Answer): boolean {
  return /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 64));
}

function webPage(answer: Answer, expected: Expected): Reading<never> {
  return {
    error: invalid(answer, expected, 'the answer is a web page, not what was asked for'),
    again: false,
  };
}

/**
 * An answer of 2xx that is not what was asked for. A write is done as far as one can tell, yet nothing says what came
 * of it.
 */
function invalid(answer: Answer, { row, where }: Expected, what: string, cause?: unknown): CliError {
  const type = excerpt(where.redact(answer.headers['content-type'] ?? 'no content type'), 100);
  const outcome: Outcome = inDoubt(row.effect);
  const place = `(status ${answer.status}, ${type}, from ${where.host})`;
  return new CliError(
    row.effect === 'write' ? 'partial' : 'unavailable',
    `${what} ${place}${viaProxy(where.proxy)}`,
    {
      hint: hintFor(what, row.effect),
      status: answer.status,
      outcome,
      cause,
    },
  );
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

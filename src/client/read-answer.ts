import { isUtf8 } from 'node:buffer';
import type { Endpoint } from '../api/endpoint.ts';
import { answerShapes } from '../api/shapes.ts';
import { CliError, type Outcome } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { parseJson, TooDeep } from '../json/parse.ts';
import { checkShape } from './check-shape.ts';
import { damagedRow } from './damaged-row.ts';
import type { Answer } from './exchange.ts';
import { type ParsedPage, parsePage } from './parse-page.ts';
import { inDoubt, UNKNOWN_HINT, viaProxy, type Whereabouts } from './whereabouts.ts';

/** A 2xx answer as a value, or why its body is none; `again`: it broke off, so another try may bring it whole. */
export type Reading<T> = { readonly value: T } | Unread;
type Unread = { readonly error: CliError; readonly again: boolean };

export type Reader<T> = (answer: Answer) => Promise<Reading<T>>;

export type Expected = {
  readonly row: Pick<Endpoint, 'effect' | 'emptyBody'> & Partial<Pick<Endpoint, 'response'>>;
  readonly where: Whereabouts;
};

/**
 * Reads one JSON value of the shape that commands rely on, every number with its own digits; undefined for an empty body
 * where the row allows it.
 */
export function jsonReader(expected: Expected): Reader<Json | undefined> {
  return async (answer) => {
    const problem = problemOf(answer, expected);
    if (problem !== undefined) return problem;
    if (isEmpty(answer)) return { value: undefined };
    const { response } = expected.row;
    return parsed(answer, expected, async () => ({
      value: checkShape(
        parseJson(answer.bytes.toString('utf8').replace(/^\uFEFF/, '')),
        response && answerShapes[response],
      ),
    }));
  };
}

/** Reads one page of a list. */
export function pageReader(expected: Expected): Reader<ParsedPage & { readonly bytes: Buffer }> {
  const row = { ...expected.row, emptyBody: 'never' } as const;
  return async (answer) => {
    const problem = problemOf(answer, { ...expected, row });
    if (problem !== undefined) return problem;
    return parsed(answer, expected, async () => {
      const page = await parsePage(answer.bytes);
      return { value: { ...page, bytes: answer.bytes }, isScanned: page.map !== undefined };
    });
  };
}

/** Takes the bytes as they are, unless they are a web page: no operation answers with one. */
export function rawReader(expected: Expected): Reader<Answer> {
  return async (answer) => (isWebPage(answer) ? webPage(answer, expected) : { value: answer });
}

function isEmpty({ status, bytes }: Answer): boolean {
  return status === 204 || bytes.length === 0;
}

type Parsing<T> = () => Promise<{ readonly value: T; readonly isScanned?: boolean }>;

async function parsed<T>(answer: Answer, expected: Expected, parse: Parsing<T>): Promise<Reading<T>> {
  try {
    const { value, isScanned = false } = await parse();
    // Some ways of writing would pass such bytes on, others replace them: no reader of either knows what was there.
    return isScanned || isUtf8(answer.bytes) ? { value } : notUtf8(answer, expected);
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof TooDeep)
      return { error: misfit(answer, expected, cause.message, cause), again: false };
    const started = /^\s*[[{"]/.test(answer.bytes.toString('latin1', 0, 64));
    if (started) return broken(answer, expected, cause);
    return { error: misfit(answer, expected, 'the answer is not JSON', cause), again: false };
  }
}

/** JSON with a text of bytes that are no characters. */
export function notUtf8(answer: Answer, expected: Expected): Unread {
  const row = damagedRow(answer.bytes);
  const what = row === undefined ? 'the answer is not UTF-8' : `the row ${row} is not UTF-8`;
  return { error: misfit(answer, expected, what), again: false };
}

/** JSON that began and went wrong. */
export function broken(answer: Answer, expected: Expected, cause: unknown): Unread {
  return {
    error: misfit(answer, expected, 'the answer is broken JSON or was cut short', cause),
    again: true,
  };
}

function problemOf(answer: Answer, expected: Expected): Reading<never> | undefined {
  if (isEmpty(answer)) {
    if (expected.row.emptyBody === 'allowed') return undefined;
    return { error: misfit(answer, expected, 'the answer is empty'), again: false };
  }
  return isWebPage(answer) ? webPage(answer, expected) : undefined;
}

function isWebPage({ bytes }: Answer): boolean {
  return /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 64));
}

function webPage(answer: Answer, expected: Expected): Reading<never> {
  return {
    error: misfit(answer, expected, 'the answer is a web page, not what was asked for'),
    again: false,
  };
}

/**
 * An answer of 2xx that is not what was asked for. A write is done as far as one can tell, yet nothing says what came
 * of it.
 */
export function misfit(answer: Answer, { row, where }: Expected, what: string, cause?: unknown): CliError {
  const type = answer.headers['content-type'] ?? 'no content type';
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
    const page = 'a sign-in page or gateway answered, or the host is not the base address of the service';
    return effect === 'write' ? `${page}; ${UNKNOWN_HINT}` : page;
  }
  return effect === 'write' ? UNKNOWN_HINT : 'try again later, or check the base address of the service';
}

import { CliError, changed, excerpt } from '../errors.ts';
import type { Endpoint } from '../service/endpoint.ts';
import { toAnswerError } from './answer-error.ts';
import type { WireRequest } from './build-request.ts';
import type { ClientSettings } from './client.ts';
import type { Answer, Attempt } from './exchange.ts';
import { isBeforeSending, mayEndOtherwise, type NetworkFailure } from './failure.ts';
import { type RequestContext, seconds, toNetworkError } from './network-error.ts';
import type { Reader } from './read-answer.ts';

/** Everything that sending one request to its end needs, tries and waits included. */
export type Connection = Pick<
  ClientSettings,
  'now' | 'wait' | 'random' | 'note' | 'signal' | 'waitSignal'
> & {
  readonly origin: string;
  readonly where: RequestContext;
  readonly timeout: number;
  readonly retries: number;
  readonly attempt: (request: WireRequest) => Promise<Attempt>;
};

/** Why a request came to nothing, and whether it is worth another try. */
type Failure = {
  readonly error: CliError;
  readonly again: boolean;
  readonly retryAfter?: string | undefined;
};

/** An answer, the address that it leads to, or why it is none. */
type Judged<T> = { readonly value: T } | { readonly target: string } | Failure;

/**
 * Sends a request until it is answered, as often as its effect allows: a 429 and a connection that never came are
 * known not to have run, so every request is sent again; after a lost answer or a failing gateway only what reads is.
 * Throws a CliError that says whether the work may have been done.
 */
export async function send<T>(wire: WireRequest, reader: Reader<T>, connection: Connection): Promise<T> {
  let request = wire;
  let hops = 0;
  let waited = 0;
  for (let failures = 0; ; ) {
    if (connection.signal?.aborted) {
      throw new CliError('interrupted', `interrupted before a request to ${connection.where.host}`, {
        outcome: 'not-done',
      });
    }
    const judged = await judge(await connection.attempt(request), { request, hops, connection, reader });
    if ('value' in judged) return judged.value;
    if ('target' in judged) {
      request = { ...request, target: judged.target };
      hops += 1;
      continue;
    }
    failures += 1;
    if (!judged.again || failures > connection.retries) throw judged.error;
    waited += await pause(judged, { failures, waited, effect: wire.effect }, connection);
  }
}

type Judging<T> = {
  readonly request: WireRequest;
  readonly hops: number;
  readonly connection: Connection;
  readonly reader: Reader<T>;
};

async function judge<T>(attempt: Attempt, judging: Judging<T>): Promise<Judged<T>> {
  const { where, timeout } = judging.connection;
  const { effect } = judging.request;
  if ('failure' in attempt) {
    const error = toNetworkError(attempt.failure, { effect, where, timeout });
    return { error, again: isRepeatable(attempt.failure, effect) };
  }
  const { answer } = attempt;
  if (answer.status >= 200 && answer.status < 300) {
    const reading = await judging.reader(answer);
    return 'value' in reading ? reading : { ...reading, again: reading.again && effect === 'read' };
  }
  const redirect = redirectOf(answer, judging);
  if (redirect !== undefined) return redirect;
  const error = toAnswerError(answer, { effect, where });
  return {
    error,
    again: isWorthRepeating(answer.status, effect) && !isOwnLimit(error),
    retryAfter: answer.headers['retry-after'],
  };
}

function isRepeatable(failure: NetworkFailure, effect: Endpoint['effect']): boolean {
  return mayEndOtherwise(failure) && (isBeforeSending(failure) || effect === 'read');
}

function isWorthRepeating(status: number, effect: Endpoint['effect']): boolean {
  return status === 429 || (effect === 'read' && [500, 502, 503, 504].includes(status));
}

/** A 504 in the service's own words is its limit of time or memory for a query, which the same again would meet again. */
function isOwnLimit({ status, answer }: CliError): boolean {
  return status === 504 && typeof answer === 'object' && answer !== null && 'type' in answer;
}

type Pausing = Pick<WireRequest, 'effect'> & {
  readonly failures: number;
  /** Milliseconds so far. */
  readonly waited: number;
};

/** Says why, and waits before another try; how long, in milliseconds. Throws if that is too long or is interrupted. */
async function pause(
  failure: Failure,
  { failures, waited, effect }: Pausing,
  connection: Connection,
): Promise<number> {
  const signals = [connection.signal, connection.waitSignal].filter((signal) => signal !== undefined);
  const stopIfAsked = () => {
    if (!signals.some(({ aborted }) => aborted)) return;
    throw changed(failure.error, {
      kind: 'interrupted',
      message: `interrupted while waiting: ${failure.error.message}`,
    });
  };
  const milliseconds = waitTime({ ...connection, failures, retryAfter: failure.retryAfter });
  const isDeletion = effect === 'destroy';
  const longest = isDeletion ? LONGEST_BEFORE_DELETION : LONGEST_WAIT;
  if (milliseconds > longest - (isDeletion ? waited : 0)) {
    const asked = failure.retryAfter && `; the service asks to wait ${seconds(milliseconds)}`;
    throw changed(failure.error, {
      message: `${failure.error.message}${asked ?? ''}`,
      hint: `hogctl waits at most ${seconds(longest)}${isDeletion ? ' in all' : ''}; try again after that time`,
    });
  }
  stopIfAsked();
  connection.note(
    `${failure.error.message}; trying again in ${seconds(milliseconds)} (${failures} of ${connection.retries})`,
  );
  try {
    await connection.wait(milliseconds, AbortSignal.any(signals));
  } catch (cause) {
    stopIfAsked();
    throw cause;
  }
  stopIfAsked();
  return milliseconds;
}

const MOST_HOPS = 3;

/**
 * Where an answer of 3xx leads, or the error that it is; undefined for every other answer. Reads are followed on the same
 * origin, since the key goes nowhere else, and only if the method stays what it is; writes never.
 */
function redirectOf<T>(
  { status, headers: { location } }: Answer,
  { request, hops, connection: { origin, where } }: Judging<T>,
): { readonly target: string } | Failure | undefined {
  const here = `${origin}${request.target}`;
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, here))
    return undefined;
  const to = new URL(location, here);
  const keepsMethod = request.method === 'GET' || status === 307 || status === 308;
  if (request.effect === 'read' && keepsMethod && to.origin === origin && hops < MOST_HOPS)
    return { target: `${to.pathname}${to.search}` };
  const looping = to.origin === origin && hops >= MOST_HOPS;
  const address = excerpt(where.redact(`${to.origin}${to.pathname}`), 200);
  const what = looping ? `${where.host} redirects in circles, last to` : `${where.host} redirects to`;
  return {
    again: false,
    error: new CliError(looping ? 'unavailable' : 'refused', `${what} ${address} (status ${status})`, {
      hint: looping
        ? 'check the host'
        : `if that is the URL of the service, use it as the host: the key is only sent to ${where.host}`,
      status,
      outcome: 'not-done',
    }),
  };
}

const FIRST_MILLISECONDS = 1000;

const LONGEST_BACKOFF = 30_000;

/** The longest wait that a service may ask for with Retry-After; beyond it the command gives up and says so. */
const LONGEST_WAIT = 10 * 60_000;

/** In all: by then the people who were looked up may be others. */
const LONGEST_BEFORE_DELETION = 5 * 60_000;

export type Waiting = {
  /** How many tries failed so far, from 1. */
  readonly failures: number;
  /** The Retry-After header, if there was one. */
  readonly retryAfter: string | undefined;
  readonly now: () => number;
  readonly random: () => number;
};

/**
 * Milliseconds to wait before the next try: what Retry-After says, in seconds or as a date, plus up to half a second
 * so that several programs do not come back together; else a growing wait, each between half and the whole of twice
 * the one before. Dates in the past and values that are neither count as absent.
 */
export function waitTime({ failures, retryAfter, now, random }: Waiting): number {
  const asked = parseRetryAfter(retryAfter, now());
  if (asked !== undefined) return asked + Math.round(random() * 500);
  const ceiling = Math.min(FIRST_MILLISECONDS * 2 ** (failures - 1), LONGEST_BACKOFF);
  return Math.round(ceiling * (0.5 + random() / 2));
}

/** Milliseconds from now, undefined for what is absent, past or no time at all. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Only the forms that HTTP knows, which name the day of the week: `Date.parse` reads "-5" as a year. */
function httpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text) ? Date.parse(text) : Number.NaN;
}

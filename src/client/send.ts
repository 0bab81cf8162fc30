import type { Endpoint } from '../api/endpoint.ts';
import { CliError, changed } from '../errors.ts';
import type { WireRequest } from './build-request.ts';
import type { Answer, Attempt } from './exchange.ts';
import { followRedirect, redirectOf } from './follow-redirect.ts';
import { isBeforeSending, type Loss, type LossReason } from './loss.ts';
import type { Reader } from './read-answer.ts';
import { toAnswerError } from './to-answer-error.ts';
import { seconds, toNetworkError } from './to-network-error.ts';
import { LONGEST_WAIT, waitTime } from './wait-time.ts';
import { inDoubt, type Whereabouts } from './whereabouts.ts';

/** Everything that sending one request to its end needs, tries and waits included. */
export type Line = {
  readonly origin: string;
  readonly where: Whereabouts;
  readonly timeout: number;
  readonly retries: number;
  readonly attempt: (request: WireRequest) => Promise<Attempt>;
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  readonly note: (text: string) => void;
  /** Told each time before a request is sent again whose answer was lost, so that it may have run twice. */
  readonly onLost?: (() => void) | undefined;
  readonly signal: AbortSignal | undefined;
  /** Ends waits alone: what is in flight goes on. */
  readonly waitSignal?: AbortSignal | undefined;
};

/** Why a request came to nothing, and whether it is worth another try. */
type Failure = {
  readonly error: CliError;
  readonly again: boolean;
  readonly retryAfter?: string | undefined;
};
type Verdict<T> = { readonly value: T } | { readonly target: string } | { readonly failure: Failure };

/**
 * Sends a request until it is answered, as often as its effect allows: a 429 and a connection that never came are
 * known not to have run, so every request is sent again; lost answers and failing gateways only where a second time
 * does no harm. Throws a CliError that says whether the work may have been done.
 */
export async function send<T>(wire: WireRequest, reader: Reader<T>, line: Line): Promise<T> {
  let request = wire;
  let hops = 0;
  let doubt = false;
  for (let failures = 0; ; ) {
    if (line.signal?.aborted) {
      throw new CliError('interrupted', `interrupted before a request to ${line.where.host}`, {
        outcome: doubt ? 'unknown' : 'not-done',
      });
    }
    const verdict = judge(await line.attempt(request), { request, hops, line });
    const settled = 'answer' in verdict ? await readWith(reader, verdict.answer, request.effect) : verdict;
    if ('value' in settled) return settled.value;
    if ('target' in settled) {
      request = { ...request, target: settled.target };
      hops += 1;
      continue;
    }
    const { failure } = settled;
    doubt ||= failure.error.outcome === 'unknown';
    failures += 1;
    const error = doubt ? inUnknown(failure.error) : failure.error;
    if (!failure.again || failures > line.retries) throw error;
    await pause({ ...failure, error }, failures, line);
    if (failure.error.outcome === 'unknown') line.onLost?.();
  }
}

type Judging = { readonly request: WireRequest; readonly hops: number; readonly line: Line };

function judge(
  attempt: Attempt,
  { request, hops, line }: Judging,
): { readonly answer: Answer } | Exclude<Verdict<never>, { value: never }> {
  const { where, origin } = line;
  const { effect } = request;
  if ('loss' in attempt) return { failure: failureOf(attempt.loss, effect, line) };
  const { answer } = attempt;
  if (answer.status >= 200 && answer.status < 300) return { answer };
  const to = redirectOf(answer, { request, origin });
  if (to !== undefined) {
    const followed = followRedirect(answer, to, { request, origin, where, hops });
    return 'target' in followed ? followed : { failure: { error: followed.error, again: false } };
  }
  const error = toAnswerError(answer, { effect, where });
  return {
    failure: {
      error,
      again: isWorthRepeating(answer.status, effect),
      retryAfter: answer.headers['retry-after'],
    },
  };
}

/** What a lost answer means for a request with this effect. */
function failureOf(loss: Loss, effect: Endpoint['effect'], { where, timeout }: Line): Failure {
  const error = toNetworkError(loss, { effect, where, timeout });
  return { error, again: isRepeatable(loss.reason, effect) };
}

async function readWith<T>(
  reader: Reader<T>,
  answer: Answer,
  effect: Endpoint['effect'],
): Promise<Verdict<T>> {
  const reading = await reader(answer);
  if ('value' in reading) return reading;
  return { failure: { error: reading.error, again: reading.again && effect !== 'write' } };
}

function isRepeatable(reason: LossReason, effect: Endpoint['effect']): boolean {
  if (reason === 'refused' || reason === 'unreachable') return true;
  return !isBeforeSending(reason) && (reason === 'lost' || reason === 'cut') && effect !== 'write';
}

function isWorthRepeating(status: number, effect: Endpoint['effect']): boolean {
  return status === 429 || (effect !== 'write' && [500, 502, 503, 504].includes(status));
}

/** Says why, and waits before another try. Throws where the wait is too long or is interrupted. */
async function pause(failure: Failure, failures: number, line: Line): Promise<void> {
  const signals = [line.signal, line.waitSignal].filter((signal) => signal !== undefined);
  const stopIfAsked = () => {
    if (!signals.some(({ aborted }) => aborted)) return;
    throw changed(failure.error, {
      kind: 'interrupted',
      message: `interrupted while waiting: ${failure.error.message}`,
    });
  };
  const milliseconds = waitTime({
    failures,
    retryAfter: failure.retryAfter,
    now: line.now,
    random: line.random,
  });
  if (milliseconds > LONGEST_WAIT) {
    throw changed(failure.error, {
      message: `${failure.error.message}; it asks to come back in ${seconds(milliseconds)}`,
      hint: `waits of more than ${seconds(LONGEST_WAIT)} are left to you: try again then`,
    });
  }
  stopIfAsked();
  line.note(
    `${failure.error.message}; trying again in ${seconds(milliseconds)} (${failures} of ${line.retries})`,
  );
  try {
    await line.wait(milliseconds, AbortSignal.any(signals));
  } catch (cause) {
    stopIfAsked();
    throw cause;
  }
  stopIfAsked();
}

/** An earlier try may have done the work, whatever the last one says. */
function inUnknown(error: CliError): CliError {
  return error.outcome === 'unknown' ? error : changed(error, { outcome: inDoubt('destroy') });
}

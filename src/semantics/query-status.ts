import { CliError, excerpt, usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import type { QueryStatus } from '../service/schemas.ts';
import type { Progress, Told } from '../system/output.ts';
import type { System } from '../system/system.ts';
import { field } from './answer.ts';
import { type Duration, inMilliseconds } from './calendar.ts';

/** `forgotten`: the service knows the query no more. `closed`: this key may not ask. `cause` is the answer that said so. */
export type QueryState =
  | { readonly state: 'running'; readonly status: QueryStatus }
  | { readonly state: 'done'; readonly status: QueryStatus }
  | { readonly state: 'failed'; readonly status: QueryStatus; readonly cause?: CliError }
  | { readonly state: 'forgotten' | 'closed'; readonly cause: CliError };

/** How far a query is, by what the service answers to that. A failed one is told by a 200, and by a 400 or 500. */
export async function readQueryState(
  asked: Promise<{ readonly query_status: QueryStatus }>,
): Promise<QueryState> {
  try {
    const { query_status: status } = await asked;
    if (status.error === true) return { state: 'failed', status };
    return status.complete === false ? { state: 'running', status } : { state: 'done', status };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const status = failedStatus(failure.answer);
    if (status !== undefined) return { state: 'failed', status, cause: failure };
    if (failure.status === 403) return { state: 'closed', cause: failure };
    if (failure.status === 404) return { state: 'forgotten', cause: failure };
    throw failure;
  }
}

function failedStatus(answer: unknown): QueryStatus | undefined {
  // The body of an error is JSON, and has no type of its own.
  const status = field(answer as Json | undefined, 'query_status');
  return field(status, 'error') === true ? (status as QueryStatus) : undefined;
}

export function reasonOf({ error_message: message }: QueryStatus): string {
  return typeof message === 'string' && message !== '' ? `: ${excerpt(message)}` : '';
}

/** `reason` is what the service said, behind a colon. */
export function queryFailed(reason: string): CliError {
  return new CliError('refused', `the query failed${reason}`, {
    hint: 'correct the query; if the message names no mistake, try again later, or with fewer rows',
  });
}

const FIRST_PAUSE = 500;

const LONGEST_PAUSE = 10_000;

const SECOND = 1000;

type Polling<Found> = Pick<System, 'now' | 'wait'> & {
  /** Asks once; `see` takes the last answer, if there was one. */
  readonly ask: (see: (status: QueryStatus | undefined) => void) => Promise<Found | undefined>;
  readonly progress: Pick<Progress, 'follow' | 'isLive' | 'end'>;
  /** Milliseconds. */
  readonly atMost: number;
  readonly signal: AbortSignal;
};

/** Asks ever more seldom until something is found; undefined once the time is up. */
export async function askUntil<Found>(polling: Polling<Found>): Promise<Found | undefined> {
  const { ask, progress, atMost, signal, now, wait } = polling;
  let told: Told | undefined;
  const see = (status: QueryStatus | undefined) => {
    told = status && toldBy(status);
    progress.follow(told);
  };
  // On a terminal the time goes on between two answers of the service.
  const every = progress.isLive ? SECOND : Number.POSITIVE_INFINITY;
  const started = now();
  let paused = 0;
  try {
    for (let next = FIRST_PAUSE; ; next = Math.min(next * 1.5, LONGEST_PAUSE)) {
      // Time spent on requests counts too, and a clock that was set back does not make it endless.
      const left = atMost - Math.max(now() - started, paused);
      if (left <= 0) return undefined;
      const pause = Math.min(next, left);
      for (let rest = pause; rest > 0; rest -= every) {
        await wait(Math.min(rest, every), signal);
        // Figures are as old as the answer that told them, and a line that stays says what is new.
        if (rest > every && told === undefined) progress.follow(undefined);
      }
      paused += pause;
      const found = await ask(see);
      if (found !== undefined) return found;
    }
  } finally {
    progress.end();
  }
}

/** Rows are counted from zero once the query has begun; the estimate is missing or too low at times. */
function toldBy({ query_progress: progress }: QueryStatus): Told | undefined {
  const { rows_read: read, estimated_rows_total: estimated } = progress ?? {};
  if (typeof read !== 'number' || read <= 0) return undefined;
  return { done: read, total: typeof estimated === 'number' && estimated >= read ? estimated : undefined };
}

const LONGEST_WAIT = 300;

/** Seconds to wait at most, undefined without `--wait`. Throws a usage error for a limit without it. */
export function readWait(
  wait: boolean | undefined,
  { waitTimeout }: { readonly waitTimeout?: Duration | undefined },
): number | undefined {
  if (wait) return waitTimeout === undefined ? LONGEST_WAIT : inMilliseconds(waitTimeout) / 1000;
  if (waitTimeout === undefined) return undefined;
  throw usageError('--wait-timeout needs --wait', 'add --wait');
}

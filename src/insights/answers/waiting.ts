import type { Options } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, excerpt, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { field, readState } from '../../semantics/answer.ts';
import { type Duration, inMilliseconds } from '../../semantics/calendar.ts';
import { platform } from '../../service/platform.ts';
import type { QueryAnswer, QueryStatus } from '../../service/schemas.ts';
import type { Told } from '../../system/output.ts';

/** `forgotten`: the service knows the query no more. `closed`: this key may not ask. `cause` is the answer that said so. */
export type QueryState =
  | { readonly state: 'running'; readonly status: QueryStatus }
  | { readonly state: 'done'; readonly status: QueryStatus }
  | { readonly state: 'failed'; readonly status: QueryStatus; readonly cause?: CliError }
  | { readonly state: 'forgotten' | 'closed'; readonly cause: CliError };

/** Asks once how far a query is. A failed one is told by a 200, and by a 400 or 500 with its status in the body. */
export async function askQuery(id: string, context: Context): Promise<QueryState> {
  const client = await context.client();
  try {
    const { query_status: status } = await client.call(platform.queryStatus, {
      query_id: id,
      show_progress: true,
    });
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

export function reasonOf({ error_message: message }: QueryStatus): string {
  return typeof message === 'string' && message !== '' ? `: ${excerpt(message)}` : '';
}

function failedStatus(answer: unknown): QueryStatus | undefined {
  // The body of an error is JSON, and has no type of its own.
  const status = field(answer as Json | undefined, 'query_status');
  return field(status, 'error') === true ? (status as QueryStatus) : undefined;
}

const FIRST_PAUSE = 500;

const LONGEST_PAUSE = 10_000;

const SECOND = 1000;

type Following<Found> = {
  /** Asks once; `see` takes the last answer, if there was one. */
  readonly ask: (see: (status: QueryStatus | undefined) => void) => Promise<Found | undefined>;
  readonly waiting: string;
  /** Milliseconds. */
  readonly atMost: number;
};

/** Asks ever more seldom until something is found; undefined once the time is up. Stderr shows how far it is. */
export async function askUntil<Found>(
  { ask, waiting, atMost }: Following<Found>,
  context: Context,
): Promise<Found | undefined> {
  const progress = context.progress({ label: 'rows read', waiting });
  let told: Told | undefined;
  const see = (status: QueryStatus | undefined) => {
    told = status && toldBy(status);
    progress.follow(told);
  };
  // On a terminal the time goes on between two answers of the service.
  const every = progress.isLive ? SECOND : Number.POSITIVE_INFINITY;
  const started = context.now();
  let paused = 0;
  try {
    for (let next = FIRST_PAUSE; ; next = Math.min(next * 1.5, LONGEST_PAUSE)) {
      // Time spent on requests counts too, and a clock that was set back does not make it endless.
      const left = atMost - Math.max(context.now() - started, paused);
      if (left <= 0) return undefined;
      const pause = Math.min(next, left);
      for (let rest = pause; rest > 0; rest -= every) {
        await context.wait(Math.min(rest, every), context.signal);
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

/** The answer, unless the service says in it that the query failed: it answers 200 all the same. */
export function answerOf(answer: QueryAnswer): QueryAnswer {
  const { failure } = readState(answer);
  if (failure !== undefined) throw queryFailed(failure);
  return answer;
}

/** The service forgets a result some ten minutes after it was asked for. */
const LONGEST: Duration = { count: 10, unit: 'MINUTE' };

/** Throws `refused` for a query that failed, `unavailable` for one that takes too long or that the service forgot. */
export async function waitForQuery(
  { id }: QueryStatus,
  longest: Duration | undefined,
  context: Context,
): Promise<QueryAnswer> {
  if (id === undefined) throw new CliError('unavailable', 'the service sent no id for the query');
  const atMost = inMilliseconds(longest ?? LONGEST);
  const ask: Following<QueryAnswer>['ask'] = async (see) => {
    const asked = await askQuery(id, context);
    if (asked.state !== 'running') return resultOf(asked, id);
    see(asked.status);
    return undefined;
  };
  const answer = await askUntil({ ask, waiting: 'waiting for the query', atMost }, context);
  if (answer === undefined) throw stillRunning(id, atMost);
  return answer;
}

type Ended = Exclude<QueryState, { state: 'running' }>;

function resultOf(ended: Ended, id: string): QueryAnswer {
  if (ended.state === 'failed') throw queryFailed(reasonOf(ended.status));
  if (ended.state !== 'done') throw ended.state === 'closed' ? ended.cause : forgotten(id, ended.cause);
  const { results } = ended.status;
  if (isAnswer(results)) return answerOf(results);
  throw new CliError('unavailable', 'the query ended without results', { hint: 'run it again' });
}

function forgotten(id: string, cause: CliError): CliError {
  return new CliError('unavailable', `the service no longer has query ${id}: ${cause.message}`, {
    hint: 'run it again; results are kept for some ten minutes',
    status: cause.status,
    cause,
  });
}

function queryFailed(reason: string): CliError {
  return new CliError('refused', `the query failed${reason}`, {
    hint: 'correct the query; if the message names no mistake, try again later, or with fewer rows',
  });
}

function stillRunning(id: string, milliseconds: number): CliError {
  return new CliError(
    'unavailable',
    `query ${id} is still running after ${Math.round(milliseconds / 1000)} s`,
    { hint: `ask again with hogctl api GET query/${id}/, or wait longer with --wait-timeout` },
  );
}

function isAnswer(results: Json | undefined): results is QueryAnswer {
  return typeof results === 'object' && results !== null && 'results' in results;
}

export const watchOption = {
  watch: {
    type: 'duration',
    placeholder: 'time',
    description: 'Draw again at this interval (default 60s), until Ctrl-C; only at a terminal',
  },
} as const satisfies Options;

/** The service calculates for others as well. */
const SHORTEST_WATCH = 5_000;

/** Draws in place until Ctrl-C, which is a success. Throws a usage error without a terminal to draw on. */
export async function showAgain(
  every: Duration | undefined,
  show: () => Promise<void>,
  context: Context,
): Promise<void> {
  if (every === undefined) return show();
  const { width, format } = context.outputFormat();
  if (width === undefined || format !== 'table')
    throw usageError('--watch can only draw at a terminal', 'leave it out, also with --save and -o');
  const pause = inMilliseconds(every);
  if (pause < SHORTEST_WATCH) throw usageError('--watch is too short', 'give 5s or more');
  let isDrawn = false;
  for (;;) {
    try {
      await context.printRaw(CLEAR);
      await show();
      isDrawn = true;
      context.note(
        `Drawn at ${new Date(context.now()).toISOString()}, again in ${pause / 1000} s; Ctrl-C ends it.`,
      );
      await context.wait(pause, context.signal);
    } catch (failure) {
      if (context.signal.reason === 'SIGINT' && isDrawn) return;
      throw failure;
    }
  }
}

const CLEAR = '\u001b[2J\u001b[H';

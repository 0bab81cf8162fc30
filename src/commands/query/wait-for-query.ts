import { platform } from '../../api/endpoints/platform.ts';
import type { Json } from '../../api/json.ts';
import type { QueryAnswer, QueryStatus } from '../../api/schemas.ts';
import { type Duration, inMilliseconds } from '../../cli/command/duration.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';

type Waiting = {
  readonly later: boolean | undefined;
  readonly wait: boolean | undefined;
  readonly waitTimeout: Duration | undefined;
};

/** Throws a usage error for waiting options that lack what they belong to. */
export function checkWaiting({ later, wait, waitTimeout }: Waiting): void {
  if (wait && !later) throw usageError('--wait belongs to --async', 'without --async it waits anyway');
  if (waitTimeout && !wait) throw usageError('--wait-timeout belongs to --wait', 'add --async --wait');
}

/** The answer, unless the service says in it that the query failed: it answers 200 all the same. */
export function answerOf(answer: QueryAnswer): QueryAnswer {
  refuseFailure(answer.query_status ?? undefined);
  return answer;
}

/** The service forgets a result some ten minutes after it was asked for. */
const LONGEST: Duration = { count: 10, unit: 'MINUTE' };
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/**
 * Asks how far a query is, ever more seldom, and returns its answer. Throws `refused` for one that failed,
 * `unavailable` for one that takes longer than `longest`, or that the service has forgotten.
 */
export async function waitForQuery(
  { id }: QueryStatus,
  longest: Duration | undefined,
  context: Context,
): Promise<QueryAnswer> {
  if (id === undefined) throw new CliError('unavailable', 'the service gave the query no id to ask for');
  const client = await context.client();
  const most = inMilliseconds(longest ?? LONGEST);
  const started = context.now();
  let waited = 0;
  for (let pause = FIRST_WAIT; ; pause = Math.min(pause * 1.5, LONGEST_WAIT)) {
    // Either may stand still: a clock that is set back, or a wait that is cut short.
    if (Math.max(waited, context.now() - started) >= most) throw stillRunning(id, most);
    await context.wait(pause, context.signal);
    waited += pause;
    const status = await askStatus(client, id);
    refuseFailure(status);
    if (status.complete !== false) return resultOf(status);
  }
}

async function askStatus(client: Awaited<ReturnType<Context['client']>>, id: string): Promise<QueryStatus> {
  try {
    return (await client.call(platform.queryStatus, { query_id: id })).query_status;
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    refuseFailure(statusIn(failure.answer));
    if (failure.kind !== 'not-found') throw failure;
    throw new CliError('unavailable', `the service has forgotten query ${id}: ${failure.message}`, {
      hint: 'run it again; results are kept for some ten minutes',
      status: failure.status,
      cause: failure,
    });
  }
}

/** The status that comes with the 400 or 500 of a query that failed. */
function statusIn(answer: unknown): QueryStatus | undefined {
  if (typeof answer !== 'object' || answer === null || !('query_status' in answer)) return undefined;
  // Nothing but its error and message are read, both with their types looked at.
  return answer.query_status as QueryStatus;
}

function refuseFailure(status: QueryStatus | undefined): void {
  if (status?.error !== true) return;
  const { error_message: message } = status;
  throw new CliError(
    'refused',
    `the query failed${typeof message === 'string' && message !== '' ? `: ${message}` : ''}`,
    { hint: 'where the message names no mistake: try again later, or with fewer rows' },
  );
}

function stillRunning(id: string, milliseconds: number): CliError {
  return new CliError('unavailable', `query ${id} still runs after ${Math.round(milliseconds / 1000)} s`, {
    hint: `hogctl api GET query/${id}/ asks again, a longer --wait-timeout waits longer`,
  });
}

/** The answer of the query lies in its status. */
function resultOf({ results }: QueryStatus): QueryAnswer {
  if (isAnswer(results)) return results;
  throw new CliError('unavailable', 'the query ended without results', { hint: 'run it again' });
}

function isAnswer(results: Json | undefined): results is QueryAnswer {
  return typeof results === 'object' && results !== null && 'results' in results;
}

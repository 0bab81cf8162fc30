import type { QueryAnswer, QueryStatus } from '../../api/schemas.ts';
import { type Duration, inMilliseconds } from '../../cli/command/typed-value.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { askQuery, type QueryState, reasonOf } from '../ask-query.ts';
import { createPauses } from '../pauses.ts';
import { watchQuery } from '../watch-query.ts';

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
  if (answer.query_status?.error === true) throw queryFailed(answer.query_status);
  return answer;
}

/** The service forgets a result some ten minutes after it was asked for. */
const LONGEST: Duration = { count: 10, unit: 'MINUTE' };

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
  const most = inMilliseconds(longest ?? LONGEST);
  const watch = watchQuery('waiting for the query', context);
  try {
    const pauses = createPauses(most, context, watch);
    while (await pauses.pause()) {
      const asked = await askQuery(id, context);
      if (asked.state !== 'running') return resultOf(asked, id);
      watch.see(asked.status);
    }
  } finally {
    watch.end();
  }
  throw stillRunning(id, most);
}

type Ended = Exclude<QueryState, { state: 'running' }>;

/** The answer of the query lies in its status. */
function resultOf(ended: Ended, id: string): QueryAnswer {
  if (ended.state === 'failed') throw queryFailed(ended.status);
  if (ended.state !== 'done') throw ended.state === 'closed' ? ended.cause : forgotten(id, ended.cause);
  const { results } = ended.status;
  if (isAnswer(results)) return results;
  throw new CliError('unavailable', 'the query ended without results', { hint: 'run it again' });
}

function forgotten(id: string, cause: CliError): CliError {
  return new CliError('unavailable', `the service has forgotten query ${id}: ${cause.message}`, {
    hint: 'run it again; results are kept for some ten minutes',
    status: cause.status,
    cause,
  });
}

function queryFailed(status: QueryStatus): CliError {
  return new CliError('refused', `the query failed${reasonOf(status)}`, {
    hint: 'where the message names no mistake: try again later, or with fewer rows',
  });
}

function stillRunning(id: string, milliseconds: number): CliError {
  return new CliError('unavailable', `query ${id} still runs after ${Math.round(milliseconds / 1000)} s`, {
    hint: `hogctl api GET query/${id}/ asks again, a longer --wait-timeout waits longer`,
  });
}

function isAnswer(results: Json | undefined): results is QueryAnswer {
  return typeof results === 'object' && results !== null && 'results' in results;
}

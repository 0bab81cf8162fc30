import type { Insight, QueryStatus } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { askQuery, type QueryState, reasonOf } from '../ask-query.ts';
import { createPauses } from '../pauses.ts';
import { type Watch, watchQuery } from '../watch-query.ts';
import { describeInsight } from './say-insight.ts';

type Waiting = {
  /** Reads the insight again, with what the service holds now. */
  readonly read: () => Promise<Insight>;
  /** Seconds. */
  readonly atMost: number;
};

/** The insight once its calculation has ended; or with its old result when the time ran out, and `late` to throw. */
export type Waited = { readonly insight: Insight; readonly late?: CliError };

/**
 * Follows a calculation in the background to its end, with pauses that grow. Where the key may not ask about queries, or
 * the service has forgotten this one, the insight is read again until its result is a new one. Throws as soon as the
 * calculation fails, and when the time is up without so much as an old result.
 */
export async function waitForResult(first: Insight, waiting: Waiting, context: Context): Promise<Waited> {
  if (!isRunning(first)) return { insight: first };
  const id = first.query_status?.id;
  context.note(
    `Waiting for ${describeInsight(first)}${id === undefined ? '' : `, query ${id}`}, at most ${waiting.atMost} s.`,
  );
  const watch = watchQuery('waiting for the result', context);
  try {
    const insight = await follow(first, { ...waiting, watch }, context);
    if (insight !== undefined) return { insight };
  } finally {
    watch.end();
  }
  const late = stillRunning(first, waiting.atMost);
  if ((first.result ?? null) === null) throw late;
  return { insight: first, late };
}

/** The insight with its new result; undefined when the time is up. */
async function follow(
  first: Insight,
  { read, atMost, watch }: Waiting & { readonly watch: Watch },
  context: Context,
): Promise<Insight | undefined> {
  const id = first.query_status?.id;
  const pauses = createPauses(atMost * 1000, context, watch);
  let asking = id;
  while (await pauses.pause()) {
    const asked = asking === undefined ? undefined : await askQuery(asking, context);
    if (asked?.state === 'running') {
      watch.see(asked.status);
      continue;
    }
    if (asked?.state === 'failed') throw calculationFailed(asked);
    const insight = await read();
    if (asked?.state === 'done') return withResult(insight, asked.status);
    asking = undefined;
    if (isRunning(insight)) asking = insight.query_status?.id === id ? undefined : insight.query_status?.id;
    else if (isNew(insight, first)) return insight;
    watch.see(undefined);
  }
  return undefined;
}

function isRunning({ query_status: status }: Insight): boolean {
  return status?.complete === false && status.error !== true;
}

/** Whether a reading ends the wait: it failed, or its result is another one than at first. */
function isNew(insight: Insight, first: Insight): boolean {
  const { query_status: status, result = null, last_refresh: calculated } = insight;
  if (status?.error === true) return true;
  if (result === null) return false;
  return status?.complete === true || (first.result ?? null) === null || calculated !== first.last_refresh;
}

/** The service may hold the result with the query and not yet with the insight. */
function withResult(insight: Insight, { results: held }: QueryStatus): Insight {
  if ((insight.result ?? null) !== null || typeof held !== 'object' || held === null) return insight;
  if (!('results' in held) || held.results === null) return insight;
  const columns = insight.columns ?? ('columns' in held ? held.columns : null);
  return { ...insight, result: held.results, columns };
}

function stillRunning(insight: Insight, seconds: number): CliError {
  const id = insight.query_status?.id;
  const query = id === undefined ? '' : ` as query ${id}`;
  return new CliError(
    'unavailable',
    `${describeInsight(insight)} is still running${query} after ${seconds} s of waiting`,
    {
      hint: `ask again later without --refresh, or wait longer with --wait-timeout${id === undefined ? '' : `; hogctl insights cancel ${id} stops it`}`,
    },
  );
}

/** `refused` where the service answers 400, since asking again changes nothing. */
function calculationFailed({ status, cause }: Extract<QueryState, { state: 'failed' }>): CliError {
  const refused = cause?.status === 400;
  return new CliError(refused ? 'refused' : 'unavailable', `the calculation failed${reasonOf(status)}`, {
    hint: refused ? 'check the definition of the insight' : 'try again later with --refresh',
    status: cause?.status,
    cause,
  });
}

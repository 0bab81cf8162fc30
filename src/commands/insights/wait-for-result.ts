import type { Insight, QueryStatus } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { type Polled, pollQuery } from './poll-query.ts';
import { describeInsight } from './say-insight.ts';

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

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
  const clock = createClock(waiting.atMost * 1000, context);
  context.note(
    `Waiting for ${describeInsight(first)}${id === undefined ? '' : `, query ${id}`}, at most ${waiting.atMost} s.`,
  );
  let asking = id;
  while (await clock.pause()) {
    const polled: Polled = asking === undefined ? { state: 'closed' } : await pollQuery(asking, context);
    if (polled.state === 'running') continue;
    const insight = await waiting.read();
    if (polled.state === 'done') return { insight: withResult(insight, polled.status) };
    asking = undefined;
    if (isRunning(insight)) asking = insight.query_status?.id === id ? undefined : insight.query_status?.id;
    else if (isNew(insight, first)) return { insight };
  }
  const late = stillRunning(first, waiting.atMost);
  if ((first.result ?? null) === null) throw late;
  return { insight: first, late };
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

/** Pauses that grow until the time is up; the last one ends with it. */
function createClock(atMost: number, context: Context): { pause(): Promise<boolean> } {
  const started = context.now();
  let paused = 0;
  let next = FIRST_PAUSE;
  return {
    pause: async () => {
      // Time spent on requests counts too, and a clock that was set back does not make it endless.
      const left = atMost - Math.max(context.now() - started, paused);
      if (left <= 0) return false;
      const pause = Math.min(next, left);
      await context.wait(pause, context.signal);
      paused += pause;
      next = Math.min(next * 1.5, LONGEST_PAUSE);
      return true;
    },
  };
}

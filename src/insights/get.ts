import type { Heading } from '../charts/svg/svg-picture.ts';
import type { NamedInsight, Options, OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import { ageOf, isOlderThanAsked, type NoResult, readState } from '../semantics/answer.ts';
import { inMilliseconds } from '../semantics/calendar.ts';
import { askUntil, type QueryState, readQueryState, readWait, reasonOf } from '../semantics/query-status.ts';
import { type InputOf, idText } from '../service/endpoint.ts';
import type { insights } from '../service/insights.ts';
import { platform } from '../service/platform.ts';
import type { Insight, QueryStatus } from '../service/schemas.ts';
import { describeInsight, nameOf, readNamed, refreshOption } from './answers/insight.ts';
import { chartOption, printFigures, type Remarks, readChart, readTimed } from './answers/show.ts';
import { watchOption } from './answers/waiting.ts';
import { overridesOf, variableOption } from './query.ts';

type GetInput = Omit<OptionsInput<typeof getOptions>, 'watch'> &
  Pick<InputOf<typeof insights.get>, 'from_dashboard' | 'filters_override'>;

/** Reads an insight, waits for its calculation if that was asked for, shows its figures, and returns it. */
export async function getAndShow(
  insight: NamedInsight,
  { wait, requireResult, maxAge, chart, title, variable, ...flags }: GetInput,
  context: Context,
): Promise<Insight> {
  const drawing = readChart({ chart, title }, context);
  const atMost = readWait(wait, context.options);
  const readFirst = async (id: string) => {
    const reading = { ...flags, ...(await overridesOf({ id, variable }, context)) };
    return { id, reading, first: await readTimed({ id, ...reading }, context) };
  };
  const { id, reading, first } = await readNamed(insight, readFirst, context);
  let { now } = first;
  const read = async () => {
    const again = await readTimed({ id, ...reading, refresh: 'force_cache' }, context);
    now = again.now;
    return again.insight;
  };
  const { insight: answer, late } = await waitForResult(first.insight, { read, atMost }, context);
  checkFigures(answer, { requireResult, maxAge, now });
  if (ageOf(readState(answer), now) === 'future') context.warn(`warning: ${futureText(answer)}`);
  const isThere = (answer.result ?? null) !== null && !isRunning(answer);
  if (isThere && isOlderThanAsked(answer, { began: first.began, refresh: flags.refresh }))
    context.warn(
      `warning: a new calculation was asked for, and the service answered with the one of ${answer.last_refresh}`,
    );
  sayTitle(answer, context);
  const heading = pictureHeading(answer);
  sayState(answer, await printFigures(answer, { choice: drawing, heading, now }, context), context);
  if (late) throw late;
  return answer;
}

type Waiting = { readonly read: () => Promise<Insight>; readonly atMost: number | undefined };

/** If the query cannot be asked about, the insight is read again until its result is new. Throws when it fails. */
async function waitForResult(
  first: Insight,
  { read, atMost }: Waiting,
  context: Context,
): Promise<{ readonly insight: Insight; readonly late?: CliError }> {
  if (atMost === undefined || !isRunning(first)) return { insight: first };
  const id = first.query_status?.id;
  context.note(
    `Waiting for ${describeInsight(first)}${id === undefined ? '' : `, query ${id}`}, at most ${atMost} s.`,
  );
  let asking = id;
  const ask = async (see: (status: QueryStatus | undefined) => void) => {
    const asked = asking === undefined ? undefined : await askQuery(asking, context);
    if (asked?.state === 'failed') throw calculationFailed(asked);
    if (asked?.state === 'running') {
      see(asked.status);
      return undefined;
    }
    const insight = await read();
    if (asked?.state === 'done') return withResult(insight, asked.status);
    const running = isRunning(insight);
    if (!running && isNew(insight, first)) return insight;
    // One that was asked about and is known no more is not asked about again.
    const next = insight.query_status?.id;
    asking = running && next !== id ? next : undefined;
    see(undefined);
    return undefined;
  };
  const progress = context.progress({ label: 'rows read', waiting: 'waiting for the result' });
  const { now, wait, signal } = context;
  const insight = await askUntil({ ask, progress, atMost: atMost * 1000, now, wait, signal });
  if (insight !== undefined) return { insight };
  // The old result is shown before this is thrown.
  const late = stillRunning(first, atMost);
  if ((first.result ?? null) === null) throw late;
  return { insight: first, late };
}

async function askQuery(id: string, context: Context): Promise<QueryState> {
  const client = await context.client();
  return readQueryState(client.call(platform.queryStatus, { query_id: id, show_progress: true }));
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

/** `refused` if the service answers 400, since asking again changes nothing. */
function calculationFailed({ status, cause }: Extract<QueryState, { state: 'failed' }>): CliError {
  const refused = cause?.status === 400;
  return new CliError(refused ? 'refused' : 'unavailable', `the calculation failed${reasonOf(status)}`, {
    hint: refused ? 'check the definition of the insight' : 'try again later with --refresh',
    status: cause?.status,
    cause,
  });
}

/** Throws `check` for an insight without the result that was asked for, or with one that is too old. */
function checkFigures(
  insight: Insight,
  { requireResult, maxAge, now }: Pick<GetInput, 'requireResult' | 'maxAge'> & { readonly now: number },
): void {
  const isMissing = insight.result === undefined || insight.result === null;
  if (isMissing && (requireResult || maxAge)) {
    throw failed(`${describeInsight(insight)} has no result`);
  }
  if (maxAge === undefined) return;
  const name = describeInsight(insight);
  const age = ageOf(readState(insight), now);
  if (age === 'unknown') throw failed(`the service does not say when ${name} was calculated`);
  if (age === 'future') throw failed(futureText(insight));
  if (age > inMilliseconds(maxAge))
    throw failed(`the result of ${name} is from ${insight.last_refresh}, older than --max-age allows`);
}

function futureText(insight: Insight): string {
  return `the result of ${describeInsight(insight)} is dated in the future, ${insight.last_refresh}, by the service's own clock`;
}

function failed(message: string): CliError {
  return new CliError('check', message, { hint: 'calculate it again with --refresh' });
}

export const getOptions = {
  refresh: refreshOption,
  wait: { type: 'flag', needsRows: true, description: 'Wait for the end of a calculation in the background' },
  requireResult: { type: 'flag', needsRows: true, description: 'Exit with 9 if there is no result' },
  maxAge: {
    type: 'duration',
    needsRows: true,
    description: 'Exit with 9 if the result is older: 30min, 24h',
  },
  ...variableOption,
  ...chartOption,
  ...watchOption,
} as const satisfies Options;

/** Says on stderr which insight a table is of, since its figures don't tell. */
function sayTitle(insight: Insight, context: Context): void {
  if ((context.options.output ?? 'table') !== 'table') return;
  const name = nameOf(insight);
  context.note(`${name === undefined ? '' : `${name}, `}${originOf(insight)}`);
}

/** The same above a picture, and whether its figures are old ones: a file is read without what stood on stderr. */
function pictureHeading(insight: Insight): Heading {
  const notes = [deletedNote(insight), runningNote(insight, undefined)];
  return {
    title: nameOf(insight) ?? 'Insight',
    lines: [originOf(insight), ...notes.filter((note) => note !== undefined)],
  };
}

function originOf(insight: Insight): string {
  const when = insight.last_refresh ? `, calculated ${insight.last_refresh}` : '';
  return `${describeInsight(insight)}${when}`;
}

function deletedNote(insight: Insight): string | undefined {
  return insight.deleted === true ? `${describeInsight(insight)} is deleted` : undefined;
}

function runningNote(insight: Insight, nothing: NoResult | undefined): string | undefined {
  const { running } = readState(insight);
  if (running === undefined) return undefined;
  const query = running.id === undefined ? '' : ` as query ${running.id}`;
  const figures = nothing
    ? 'there is no result yet'
    : `the figures are those of ${insight.last_refresh ?? 'before'}`;
  return `${describeInsight(insight)} is still being calculated${query}; ${figures}`;
}

/** Throws if the calculation failed: the service answers 200 all the same. */
function sayState(insight: Insight, { nothing, cut }: Remarks, context: Context): void {
  const name = describeInsight(insight);
  const { failure } = readState(insight);
  if (failure !== undefined)
    throw new CliError('unavailable', `the calculation of ${name} failed${failure}`, {
      hint: 'try again later with --refresh',
    });
  const deleted = deletedNote(insight);
  if (deleted !== undefined) {
    context.warn(`warning: ${deleted}; hogctl insights restore ${idText(insight.id)} restores it`);
  }
  if (cut !== undefined) context.warn(`warning: the figures of ${name} are incomplete: ${cut}`);
  const running = runningNote(insight, nothing);
  if (running !== undefined) {
    context.warn(`warning: ${running}`);
    return;
  }
  if (nothing !== undefined) {
    context.warn(`warning: ${name} has no cached result; calculate one with --refresh`);
  }
}

import { CliError, excerpt } from '../errors.ts';
import { asList, isObject, type Json } from '../json/kinds.ts';
import { readState } from '../semantics/answer.ts';
import {
  askUntil,
  type QueryState,
  queryFailed,
  readQueryState,
  reasonOf,
} from '../semantics/query-status.ts';
import { failedQuery } from '../semantics/sql.ts';
import type { InputOf } from '../service/endpoint.ts';
import { platform } from '../service/platform.ts';
import type { QueryAnswer } from '../service/schemas.ts';
import type { Client, ClientSettings, QueryAdditions } from './client.ts';

/** Queries that may take longer than the service lets one request last: those go on in the background, and are polled. */
export function createQueries(
  call: Client['call'],
  settings: ClientSettings,
): Pick<Client, 'query' | 'follow'> {
  const tellWarnings = createWarnings(settings);
  const follow: Client['follow'] = async (id, { amidRows = false } = {}) => {
    const answer = await followToEnd(id, { call, settings, amidRows });
    tellWarnings(answer);
    return answer;
  };
  return {
    follow,
    query: async (input, additions = {}) => {
      const answer = await atOnce(() => call(platform.query, input, additions));
      if (answer !== undefined) {
        if (additions.isNew && answer.is_cached === true) throw notNew();
        tellWarnings(answer);
        return answer;
      }
      settings.note('the query takes longer than one request may last, so it goes on in the background');
      return inBackground(input, additions, { call, settings, follow });
    },
  };
}

/** Undefined if the service, or what stands before it, gave up waiting: the same again would end alike. */
async function atOnce(ask: () => Promise<QueryAnswer>): Promise<QueryAnswer | undefined> {
  try {
    return await ask();
  } catch (failure) {
    if (failure instanceof CliError && failure.status === 504) return undefined;
    throw failure;
  }
}

type Background = Pick<Client, 'call'> & { readonly settings: ClientSettings };

async function inBackground(
  input: InputOf<typeof platform.query>,
  { isNew, amidRows = false, ...additions }: QueryAdditions,
  background: Background & Pick<Client, 'follow'>,
): Promise<QueryAnswer> {
  const { call, settings, follow } = background;
  // By an id of our own it can be cancelled even if the answer to the start is lost.
  const id = input.client_query_id ?? newId(settings.random);
  const request = { ...input, refresh: 'force_async', client_query_id: id };
  let started: QueryAnswer;
  try {
    started = await call(platform.query, request, additions);
  } catch (failure) {
    if (isStopped(settings)) await cancel(id, call);
    throw failure;
  }
  const { query_status: status } = started;
  const answer = status?.complete === false ? await follow(status.id ?? id, { amidRows }) : started;
  if (isNew) checkNew(answer, status?.start_time);
  return answer;
}

/** Throws `unavailable` for an answer that may have been calculated before it was asked for. */
function checkNew(answer: QueryAnswer, askedAt: Json | undefined): void {
  const { calculated } = readState(answer);
  const asked = typeof askedAt === 'string' ? Date.parse(askedAt) : Number.NaN;
  if (answer.is_cached !== true && calculated !== undefined && calculated >= asked) return;
  throw notNew();
}

function notNew(): CliError {
  return failedQuery('the service does not say that the query was calculated anew');
}

async function followToEnd(
  id: string,
  { call, settings, amidRows }: Background & { readonly amidRows: boolean },
): Promise<QueryAnswer> {
  const { now, wait, signal, waitSignal, longestWait = LONGEST_WAIT } = settings;
  const signals = [signal, waitSignal].filter((one) => one !== undefined);
  try {
    const answer = await askUntil({
      ask: async (see) => {
        const asked = call(platform.queryStatus, { query_id: id, show_progress: true });
        const state = await readQueryState(asked);
        if (state.state !== 'running') return resultOf(state, id);
        see(state.status);
        return undefined;
      },
      progress: settings.progress?.({ amidRows }) ?? SILENT,
      atMost: longestWait,
      signal: AbortSignal.any(signals),
      now,
      wait,
    });
    if (answer !== undefined) return answer;
  } catch (failure) {
    if (isStopped(settings)) await cancel(id, call);
    throw failure;
  }
  const end = (await cancel(id, call)) ? 'so it was cancelled' : 'and could not be cancelled';
  throw new CliError(
    'unavailable',
    `query ${id} took longer than ${Math.round(longestWait / 1000)} s, ${end}`,
    { hint: 'wait longer with --wait-timeout, or narrow the query: a shorter period, fewer rows' },
  );
}

/** False if the service did not confirm it: what the query was for has failed already, and it may have ended by itself. */
async function cancel(id: string, call: Client['call']): Promise<boolean> {
  try {
    await call(platform.cancelQuery, { query_id: id }, { isLast: true });
    return true;
  } catch {
    return false;
  }
}

/** The service forgets a result some ten minutes after it was asked for. */
const LONGEST_WAIT = 10 * 60_000;

const SILENT = { follow: () => {}, end: () => {}, isLive: false };

function isStopped({ signal, waitSignal }: ClientSettings): boolean {
  return signal?.aborted === true || waitSignal?.aborted === true;
}

type Ended = Exclude<QueryState, { state: 'running' }>;

function resultOf(ended: Ended, id: string): QueryAnswer {
  if (ended.state === 'failed') throw queryFailed(reasonOf(ended.status));
  if (ended.state !== 'done') throw ended.state === 'closed' ? ended.cause : forgotten(id, ended.cause);
  const { results } = ended.status;
  if (isObject(results) && 'results' in results) return results;
  throw new CliError('unavailable', 'the query ended without results', { hint: 'run it again' });
}

function forgotten(id: string, cause: CliError): CliError {
  return new CliError('unavailable', `the service no longer has query ${id}: ${cause.message}`, {
    hint: 'run it again; results are kept for some ten minutes',
    status: cause.status,
    cause,
  });
}

/** Tells what the service warns of in an answer, each text once. */
function createWarnings({ warn }: ClientSettings): (answer: QueryAnswer) => void {
  const told = new Set<string>();
  return ({ warnings }) => {
    for (const warning of asList(warnings) ?? []) {
      const text = warningText(warning);
      if (text === undefined || told.has(text)) continue;
      told.add(text);
      warn?.(`warning: ${excerpt(text.replace(/\s+/g, ' '))}`);
    }
  };
}

function warningText(warning: Json): string | undefined {
  const said = isObject(warning) ? (warning.message ?? warning.detail ?? warning.description) : warning;
  return typeof said === 'string' && said.trim() !== '' ? said.trim() : undefined;
}

/** A UUID, as the service makes them for queries. */
function newId(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

import type { insights } from '../../api/endpoints/insights.ts';
import type { platform } from '../../api/endpoints/platform.ts';
import type { QueryAnswer } from '../../api/schemas.ts';
import { isObject, type JsonObject } from '../../json/kinds.ts';
import { ask } from '../calculation/ask.ts';
import type { Task } from '../calculation/calculations.ts';
import { readRefresh, writeAges } from '../calculation/freshness.ts';
import { writeStatus } from '../calculation/query-status.ts';
import { readQuestion } from '../calculation/question.ts';
import type { Circumstances, Handler } from '../call.ts';
import { uuidOf } from '../identifiers.ts';
import { invalid, notCalculated, notFound, Refusal, required } from '../refusal.ts';
import type { StoredResult } from '../store/results.ts';
import { readState } from '../store/state.ts';

/** Runs a query; 202 where it runs in the background. Without a refresh mode it is calculated at once. */
export const runQuery: Handler<typeof platform.query> = async (call) => {
  const { query, refresh, client_query_id: id } = call.input;
  if (!isObject(query) || typeof query.kind !== 'string') throw invalid('query', 'A query needs a kind.');
  refuseOverrides(call.body);
  const mode = readMode(refresh, call.dialect);
  // Read even where the answer is there already: a query that is none is refused in every mode.
  const question = readQuestion(query);
  const { project } = await readState(call.store);
  const answer = await ask(call, { about: query, read: () => question, mode, id });
  const later = async () => {
    const { key, result, isCached, status, fault } = await answer();
    if (fault !== undefined) throw fault;
    const about = {
      query,
      timezone: project.timezone ?? 'UTC',
      cache_key: uuidOf(key, 0n),
      is_cached: isCached,
      query_status: status,
    };
    return { status: status === null ? 200 : 202, body: { ...about, ...resultFields(result) } };
  };
  return { later };
};

/** They would change the answer, and are not read here. */
function refuseOverrides(body: JsonObject): void {
  const given = ['filters_override', 'variables_override'].find((name) => {
    const value = body[name] ?? null;
    return value !== null && !(isObject(value) && Object.keys(value).length === 0);
  });
  if (given !== undefined) throw notCalculated(`a query with ${given}`);
}

function readMode(refresh: string | undefined, dialect: 'live' | 'specification') {
  const mode = readRefresh(refresh, 'blocking');
  if (dialect === 'specification' && refresh !== undefined && mode !== refresh && mode === 'blocking') {
    throw invalid('refresh', `"${refresh}" is not a valid choice.`, 'invalid_choice');
  }
  return mode;
}

function resultFields(result: StoredResult | undefined): QueryAnswer {
  if (result === undefined) return { results: null };
  return { ...result.document, error: null, ...writeAges(result) };
}

/** How far a query is: 202 while it runs, 200 when it is done, 400 where it failed and 500 for a fault of our own. */
export const showQueryStatus: Handler<typeof platform.queryStatus> = async (call) => {
  const task = findTask(call, call.input.query_id);
  const outcome = task.outcome();
  if (outcome === undefined) return { status: 202, body: { query_status: writeStatus(task) } };
  if ('result' in outcome) {
    const { result } = outcome;
    return { status: 200, body: { query_status: writeStatus(task, resultFields(result)) } };
  }
  return { status: outcome.fault instanceof Refusal ? 400 : 500, body: { query_status: writeStatus(task) } };
};

/** Cancels a query. One that has ended stays as it is. */
export const cancelQuery: Handler<typeof platform.cancelQuery> = async (call) => {
  findTask(call, call.input.query_id).cancel();
  return { status: 200, body: { message: 'Query cancelled' } };
};

/** I12 */
export const cancelCalculation: Handler<typeof insights.cancel> = async (call) => {
  const { client_query_id: id } = call.input;
  if (id === undefined) throw required('client_query_id');
  findTask(call, id).cancel();
  return { status: call.dialect === 'live' ? 201 : 200, body: { success: true } };
};

function findTask({ calculations, now }: Pick<Circumstances, 'calculations' | 'now'>, id: string): Task {
  const task = calculations.find(id, now);
  if (task === undefined) throw notFound(`Query ${id} not found.`);
  return task;
}

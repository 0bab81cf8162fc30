import { counted } from '../../errors.ts';
import { asObject, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { toText, writeJson } from '../../json/text.ts';
import { checkQueryNode } from '../../semantics/query-node.ts';
import type { insights } from '../../service/insights.ts';
import type { platform } from '../../service/platform.ts';
import type { QueryAnswer } from '../../service/schemas.ts';
import { ask, narrowQuery, type Overrides, readRefresh, writeAges } from '../calculation/ask.ts';
import { type Task, writeStatus } from '../calculation/calculations.ts';
import { readQuestion } from '../calculation/question.ts';
import { uuidOf, writeMoment } from '../operator.ts';
import type { Part } from '../parameters.ts';
import { invalid, notFound, Refusal, required, unreadable } from '../refusal.ts';
import type { Circumstances, Handler, LaterReply } from '../routes.ts';
import type { StoredResult } from '../store/insights.ts';
import { readState } from '../store/state.ts';

/** Calculates at once, unless very fresh results are there; `refresh=force_blocking` calculates in any case. */
async function calculateNow(
  call: Circumstances,
  fields: JsonObject,
  write: (result: Json) => Json,
): Promise<LaterReply<JsonObject>> {
  const { refresh, ...asked } = fields;
  const wanted = readRefresh(typeof refresh === 'string' ? refresh : undefined, 'blocking');
  const mode = wanted === 'force_blocking' || refresh === true ? 'force_blocking' : 'blocking';
  const { project } = await readState(call.store);
  const answer = await ask(call, { about: { filters: asked }, mode });
  const later = async () => {
    const { result, isCached, fault } = await answer();
    if (result === undefined) throw fault ?? new Error('a calculation ended without a result');
    const body = {
      is_cached: isCached,
      last_refresh: writeMoment(result.calculatedAt),
      timezone: project.timezone ?? 'UTC',
      result: write(result.document.results ?? null),
    };
    return { status: 200, body };
  };
  return { later };
}

/** I13, I14: in the specification with addresses that list the people of each step. */
export async function calculateFunnel(call: Circumstances): Promise<LaterReply<JsonObject>> {
  const fields = filterBody(call);
  return calculateNow(call, { ...fields, insight: 'FUNNELS' }, (result) =>
    call.dialect === 'live' ? result : withAddresses(result, fields, call.address),
  );
}

/** I15, I16: the options of the funnel stand in `filters`, or beside the other fields. */
export async function calculateFunnelCorrelation(call: Circumstances): Promise<LaterReply<JsonObject>> {
  const { filters, ...own } = filterBody(call);
  const fields = { ...own, ...asObject(filters), insight: 'CORRELATION' };
  return calculateNow(call, fields, (result) => result);
}

/** Steps in the types of the specification; series and times to convert are left as they are. */
function withAddresses(result: Json, fields: JsonObject, address: URL): Json {
  if (!isList(result)) return result;
  return result.map((entry) => {
    if (isList(entry)) return withAddresses(entry, fields, address);
    return isObject(entry) && typeof entry.order === 'number'
      ? writeStep(entry, entry.order, { fields, address })
      : entry;
  });
}

type Asked = { readonly fields: JsonObject; readonly address: URL };

/** People cannot drop out before the first step. */
function writeStep(step: JsonObject, order: number, asked: Asked): JsonObject {
  const breakdown = step.breakdown_value === undefined ? {} : { funnel_step_breakdown: step.breakdown_value };
  const { action_id: id = null } = step;
  return {
    ...step,
    action_id: id === null ? null : toText(id),
    order: String(order),
    converted_people_url: peopleAddress(asked, { ...breakdown, funnel_step: order + 1 }),
    dropped_people_url: order === 0 ? null : peopleAddress(asked, { ...breakdown, funnel_step: -order - 1 }),
  };
}

/** P13 with the same funnel; lists and objects go as JSON text. */
function peopleAddress({ fields, address }: Asked, point: JsonObject): string {
  const people = new URL('/api/projects/@current/persons/funnel/', address);
  people.pathname = address.pathname.replace(/insights\/funnel\/?$/, 'persons/funnel/');
  for (const [name, value] of Object.entries({ ...fields, ...point })) {
    if (value === null || name === 'refresh') continue;
    people.searchParams.set(name, typeof value === 'string' ? value : writeJson(value));
  }
  return people.href;
}

/** Runs a query; 202 if it runs in the background. Without a refresh mode it is calculated at once. */
export const runQuery: Handler<typeof platform.query> = async (call) => {
  const { query, refresh, client_query_id: id } = call.input;
  if (!isObject(query) || typeof query.kind !== 'string') throw invalid('query', 'A query needs a kind.');
  await refuseUnknown(query);
  const mode = readMode(refresh, call.dialect);
  // Read even if the answer is stored already: what is no query is refused in every mode.
  const about = narrowQuery(query, readOverrides(call.body));
  readQuestion(about);
  const { project } = await readState(call.store);
  const answer = await ask(call, { about, mode, id });
  const later = async () => {
    const { key, result, isCached, status, fault } = await answer();
    if (fault !== undefined) throw fault;
    const fields = {
      // Of a query in SQL the service sends the text back, and of others nothing.
      ...(typeof query.query === 'string' ? { query: query.query } : {}),
      timezone: project.timezone ?? 'UTC',
      cache_key: uuidOf(key, 0n),
      is_cached: isCached,
      query_status: status,
    };
    return { status: status === null ? 200 : 202, body: { ...fields, ...resultFields(result) } };
  };
  return { later };
};

/** 400 for a query node with a key, kind or word that the service does not know. */
export async function refuseUnknown(query: JsonObject): Promise<void> {
  const { faults } = await checkQueryNode(query);
  if (faults.length === 0) return;
  const lines = faults.map(({ path, message }) => `${path.join('.')}\n  ${message}`);
  throw unreadable(`${counted(faults.length, 'validation error')} for QuerySchemaRoot\n${lines.join('\n')}`);
}

/** The overrides of a call. Empty ones change nothing. */
export function readOverrides(input: { readonly [name: string]: Json | undefined }): Overrides {
  const read = (name: string) => {
    const value = input[name] ?? null;
    if (value === null) return undefined;
    if (!isObject(value)) throw invalid(name, 'Expected a dictionary of items.', 'not_a_dict');
    return Object.keys(value).length === 0 ? undefined : value;
  };
  const [filters, variables] = [read('filters_override'), read('variables_override')];
  return { ...(filters === undefined ? {} : { filters }), ...(variables === undefined ? {} : { variables }) };
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

/** How far a query is: 202 while it runs, 200 when it is done, 400 if it failed and 500 for a bug of the sandbox. */
export const showQueryStatus: Handler<typeof platform.queryStatus> = async (call) => {
  const task = findTask(call, call.input.query_id);
  const { outcome } = task;
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

/**
 * The fields of an analysis in the old form, from address and body. Fields that no row lists (such as
 * `breakdown_attribution_type`) are read as well; what the specification shows as a body of `properties` may hold the
 * others in there.
 */
export function filterBody({ address, body }: Pick<Circumstances, 'address' | 'body'>): JsonObject {
  const query: { [name: string]: Json } = {};
  for (const name of new Set(address.searchParams.keys())) {
    if (name === 'format') continue;
    const texts = address.searchParams.getAll(name);
    query[name] = texts.length > 1 ? texts : (texts[0] ?? null);
  }
  return { ...query, ...unfold(body) };
}

function unfold(body: JsonObject): JsonObject {
  const { properties: inner } = body;
  const isBare = body.events === undefined && body.actions === undefined;
  const isFolded = isBare && isObject(inner) && (isList(inner.events) || isList(inner.actions));
  return isFolded ? { ...body, properties: null, ...inner } : body;
}

const DEFAULT_LIMIT = 100;

/** Limit and offset: those of the address first, since `next` puts them there. */
export function bodyPart(fields: JsonObject, address: URL): Part {
  const read = (name: string, least: number, fallback: number) => {
    const value = Number(address.searchParams.get(name) ?? fields[name] ?? fallback);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw invalid(name, 'A valid integer is required.');
  };
  return { limit: read('limit', 1, DEFAULT_LIMIT), offset: read('offset', 0, 0) };
}

import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { toText, writeJson } from '../../json/write.ts';
import type { AnalysisDefinition } from '../analysis/definitions/definition.ts';
import { readLegacyCorrelation, readLegacyFunnel } from '../analysis/definitions/legacy-filters.ts';
import { ask } from '../calculation/ask.ts';
import { readRefresh } from '../calculation/freshness.ts';
import { questionOf } from '../calculation/question.ts';
import type { Circumstances, LaterReply } from '../call.ts';
import { writeMoment } from '../clock.ts';
import { readState } from '../store/state.ts';
import { filterBody } from './filter-body.ts';

/** Calculates at once, unless very fresh results are there; `refresh=force_blocking` calculates in any case. */
async function calculateNow(
  call: Circumstances,
  fields: JsonObject,
  { of, read, write }: { of: string; read: () => AnalysisDefinition; write: (result: Json) => Json },
): Promise<LaterReply<JsonObject>> {
  const { refresh, ...asked } = fields;
  const wanted = readRefresh(typeof refresh === 'string' ? refresh : undefined, 'blocking');
  const mode = wanted === 'force_blocking' || refresh === true ? 'force_blocking' : 'blocking';
  const { project } = await readState(call.store);
  const answer = await ask(call, { about: { [of]: asked }, read: () => questionOf(read()), mode });
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
  const { format: _format, ...fields } = filterBody(call);
  return calculateNow(call, fields, {
    of: 'funnel',
    read: () => readLegacyFunnel(fields),
    write: (result) => (call.dialect === 'live' ? result : withAddresses(result, fields, call.address)),
  });
}

/** I15, I16: the options of the funnel stand in `filters`, or beside the other fields. */
export async function calculateFunnelCorrelation(call: Circumstances): Promise<LaterReply<JsonObject>> {
  const { format: _format, filters, ...own } = filterBody(call);
  const fields = isObject(filters ?? null) ? { ...own, ...asObject(filters) } : own;
  return calculateNow(call, fields, {
    of: 'correlation',
    read: () => readLegacyCorrelation(fields),
    write: (result) => result,
  });
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
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

/** Nobody can drop out before the first step. */
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

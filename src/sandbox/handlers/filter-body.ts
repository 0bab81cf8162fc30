import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { Circumstances } from '../call.ts';
import type { Part } from '../paging.ts';
import { invalid } from '../refusal.ts';

/**
 * The fields of an analysis in the old form, from address and body. Fields that no row lists (such as
 * `breakdown_attribution_type`) are read as well; what the specification shows as a body of `properties` may hold the
 * others in there.
 */
export function filterBody({ address, body }: Pick<Circumstances, 'address' | 'body'>): JsonObject {
  const query: { [name: string]: Json } = {};
  for (const name of new Set(address.searchParams.keys())) {
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

/** Limit and offset: those of the address first, since that is where `next` puts them, whatever the method. */
export function bodyPart(fields: JsonObject, address: URL): Part {
  const read = (name: string, least: number, fallback: number) => {
    const value = Number(address.searchParams.get(name) ?? fields[name] ?? fallback);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw invalid(name, 'A valid integer is required.');
  };
  return { limit: read('limit', 1, DEFAULT_LIMIT), offset: read('offset', 0, 0) };
}

import { isExactNumber, isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toText, writeJson } from '../json/text.ts';
import type { Dialect, Form, Parameter, ParameterValues, PlacedParameter } from '../service/endpoint.ts';
import { readDate } from './analysis/time/date-range.ts';
import type { Moment } from './operator.ts';
import { invalid, notCalculated, parseOr, Refusal, required, unreadable } from './refusal.ts';

/** What arrived, before it means anything. */
type Request = {
  readonly path: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
};

/**
 * Turns a request into the values of a row, by parameter name, as the row's form places them.
 * Throws a `Refusal` 400 for a missing or unusable value.
 */
export function readInput(form: Form, dialect: Dialect, request: Request): JsonObject {
  const input: { [name: string]: Json } = {};
  const arrived = withInnerFields(form, dialect, withoutNulls(form, request));
  for (const placed of form.parameters) {
    const value = readParameter(placed, dialect, arrived);
    if (value !== undefined) input[placed.parameter.name] = value;
    else if (placed.parameter.required) throw required(placed.name);
  }
  return input;
}

/** Null clears a field of an insight. Elsewhere an optional field that is null counts as absent. */
function withoutNulls({ path, parameters }: Form, request: Request): Request {
  if (path.startsWith('/insights/')) return request;
  const required = parameters.filter(({ parameter }) => parameter.required).map(({ name }) => name);
  const kept = Object.entries(request.body).filter(
    ([name, value]) => value !== null || required.includes(name),
  );
  return { ...request, body: Object.fromEntries(kept) };
}

/** The bodies that the specification shows only as `properties` may hold their fields in there. */
function withInnerFields(form: Form, dialect: Dialect, request: Request): Request {
  const inner = request.body.properties;
  const isOwn = form.parameters.some(({ name }) => name === 'properties');
  if (dialect === 'live' || isOwn || !isObject(inner)) return request;
  return { ...request, body: { ...inner, ...request.body } };
}

function readParameter(placed: PlacedParameter, dialect: Dialect, request: Request): Json | undefined {
  for (const place of placed.places) {
    if (place === 'path') {
      const text = request.path.get(placed.name);
      if (text !== undefined) return readValue(placed.parameter, text, placed.name);
    }
    if (place === 'query') {
      const value = readFromQuery(placed, dialect, request.query.getAll(placed.name));
      if (value !== undefined) return value;
    }
    if (place === 'body' && Object.hasOwn(request.body, placed.name)) {
      return readFromBody(placed, dialect, request.body[placed.name] ?? null);
    }
  }
  return undefined;
}

function readFromQuery(
  { parameter, form, name }: PlacedParameter,
  dialect: Dialect,
  texts: readonly string[],
): Json | undefined {
  const [text] = texts;
  if (text === undefined) return undefined;
  if (form === 'list') return onlyItem(parameter.name, readLoosely(text), parameter.type === 'integer');
  // The live service takes a mode that it does not know for the default.
  if (dialect === 'live' && parameter.name === 'refresh') return text;
  // The live service looks whether a flag is there, whatever it says.
  if (dialect === 'live' && parameter.type === 'flag') return true;
  if (parameter.type === 'json') return readLoosely(text);
  const isList = parameter.type === 'texts' || parameter.type === 'integers';
  return readValue(parameter, isList && texts.length > 1 ? texts : text, name);
}

function onlyItem(name: string, value: Json, isInteger: boolean): Json {
  if (!isList(value)) throw notAList(name);
  if (isInteger && value.some((item) => typeof item !== 'number')) {
    throw invalid(name, 'A valid integer is required.');
  }
  const [item = null, ...others] = value;
  if (others.length > 0) throw notCalculated(`${name} with more than one entry`);
  return item;
}

function readFromBody({ parameter, form, name }: PlacedParameter, dialect: Dialect, value: Json): Json {
  if (form === 'list') return readListBody(name, value);
  if (form === 'json-text' && value !== null) return readJsonText(name, value);
  if (parameter.name === 'query' && dialect === 'live' && typeof value === 'string') {
    throw unreadable('Input should be a valid dictionary or object to extract fields from');
  }
  if (value === null && !parameter.required) return null;
  checkBodyType(parameter, value, name);
  return readValue(parameter, value, name);
}

/** Text of an address may stand for anything; JSON says itself what it is, so a body must have the right type. */
function checkBodyType({ type }: Parameter, value: Json, name: string): void {
  const isText = (item: Json) => typeof item === 'string';
  // Persons have a number as well as a UUID.
  const isId = (item: Json) => isText(item) || (name === 'ids' && typeof item === 'number');
  if (type === 'text' && !isText(value)) throw invalid(name, 'Not a valid string.');
  if (type === 'object' && !isObject(value)) throw notADictionary(name);
  if (type !== 'texts' && type !== 'integers') return;
  if (!isList(value)) throw notAList(name);
  if (type === 'texts' && !value.every(isId)) throw invalid(name, 'Not a valid string.');
}

function notAList(name: string): Refusal {
  return invalid(name, 'Expected a list of items.', 'not_a_list');
}

function notADictionary(name: string): Refusal {
  return invalid(name, 'Expected a dictionary of items.', 'not_a_dict');
}

/** `insight_ids` travels as a list; the first one stands for the row's single id. */
function readListBody(name: string, value: Json): Json {
  if (!isList(value) || value.length === 0) throw notAList(name);
  return value.map(String).join(',');
}

function readJsonText(name: string, text: Json): Json {
  if (typeof text !== 'string') throw invalid(name, 'Not a valid string.');
  return parseOr(text, () => {
    throw invalid(name, 'Value must be valid JSON.');
  });
}

type Reader = (value: Json, name: string) => Json;

/**
 * Reads a value as its parameter has it. Text from an address and JSON from a body end as the same value.
 * Throws a `Refusal` 400 that names the parameter.
 */
function readValue(parameter: Parameter, value: Json, name: string): Json {
  const read = READERS[parameter.type](value, name);
  const { choices, minimum } = parameter;
  if (choices !== undefined && !choices.includes(toText(read))) {
    throw invalid(name, `"${toText(read)}" is not a valid choice.`, 'invalid_choice');
  }
  if (minimum !== undefined && typeof read === 'number' && read < minimum) {
    throw invalid(name, `Ensure this value is greater than or equal to ${minimum}.`, 'min_value');
  }
  return read;
}

const readText: Reader = (value, name) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || isExactNumber(value))
    return writeJson(value);
  throw invalid(name, 'Not a valid string.');
};

const readInteger: Reader = (value, name) => {
  const text = readText(value, name);
  const number = typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw invalid(name, 'A valid integer is required.');
  return number;
};

const readBoolean: Reader = (value, name) => {
  const text = String(readText(value, name)).toLowerCase();
  if (['true', '1', 'yes', ''].includes(text)) return true;
  if (['false', '0', 'no'].includes(text)) return false;
  throw invalid(name, 'Must be a valid boolean.');
};

/** Text of an address that should hold JSON; a plain word counts as the text it is. */
const readLoosely = (value: Json): Json => (typeof value === 'string' ? parseOr(value, () => value) : value);

const readListOf =
  (read: Reader): Reader =>
  (value, name) => {
    const list = typeof value === 'string' && value.trim().startsWith('[') ? readLoosely(value) : value;
    if (isList(list)) return list.map((item) => read(item, name));
    if (isObject(list) || list === null) throw notAList(name);
    return [read(list, name)];
  };

const readObject: Reader = (value, name) => {
  const object = readLoosely(value);
  if (!isObject(object)) throw notADictionary(name);
  return object;
};

const READERS: { readonly [Type in keyof ParameterValues]: Reader } = {
  text: readText,
  texts: readListOf(readText),
  integer: readInteger,
  integers: readListOf(readInteger),
  boolean: readBoolean,
  flag: readBoolean,
  json: (value) => value,
  object: readObject,
  'person-id': readText,
  'insight-id': readText,
  date: readText,
};

/** Where a page of a list stands. */
export type Part = { readonly limit: number; readonly offset: number };

const DEFAULT_LIMIT = 100;

const DEFAULT_ACTIVITY_LIMIT = 10;

/** Limit and offset with the service's default. */
export function readPart(input: {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}): Part {
  return { limit: input.limit ?? DEFAULT_LIMIT, offset: input.offset ?? 0 };
}

type Neighbours = { readonly next: string | null; readonly previous: string | null };

/** The addresses around a page of a list, absolute, null if there is none. `by` is what the address counts. */
export function neighbours(
  address: URL,
  { limit, offset }: Part,
  hasMore: boolean,
  by: 'offset' | 'page' = 'offset',
): Neighbours {
  const at = (place: number) => {
    const copy = new URL(address);
    copy.searchParams.set('limit', String(limit));
    copy.searchParams.set(by, String(by === 'page' ? place / limit + 1 : place));
    return copy.href;
  };
  return {
    next: hasMore ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
  };
}

/** A part of a list that is there as a whole. */
export function pageOf<Row>(address: URL, part: Part, rows: readonly Row[]) {
  const end = part.offset + part.limit;
  const page = neighbours(address, part, end < rows.length);
  return { count: rows.length, ...page, results: rows.slice(part.offset, end) };
}

/** Limit and page number, from 1, of an activity list. */
export function readActivityPart(input: {
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
}): Part {
  const { limit = DEFAULT_ACTIVITY_LIMIT, page = 1 } = input;
  if (!Number.isSafeInteger(limit * page)) throw invalid('page', 'Invalid page.');
  return { limit, offset: (page - 1) * limit };
}

const DAY = 86_400_000_000n;

/**
 * The range of days that two dates name, in UTC: YYYY-MM-DD, a relative `-7d`, `-2w` or `-1m`, or `all`. Without
 * dates it is everything up to now; the last day counts whole. Throws a `Refusal` 400 for anything else.
 */
export function readRange(
  input: { readonly date_from?: string | undefined; readonly date_to?: string | undefined },
  now: Moment,
): { readonly from: Moment; readonly to: Moment } {
  const to = input.date_to === undefined ? now : startOfDay('date_to', input.date_to, now);
  const from = input.date_from ?? 'all';
  return {
    from: from === 'all' ? -62_135_596_800_000_000n : startOfDay('date_from', from, now),
    to: to - (((to % DAY) + DAY) % DAY) + DAY,
  };
}

function startOfDay(name: string, text: string, now: Moment): Moment {
  try {
    const { instant } = readDate(text, { timezone: 'UTC', weekStart: 0, now: Number(now / 1000n) });
    return BigInt(instant) * 1000n;
  } catch (cause) {
    throw cause instanceof Refusal ? invalid(name, cause.message) : cause;
  }
}

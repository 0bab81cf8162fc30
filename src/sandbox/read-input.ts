import type { Dialect, Form, PlacedParameter } from '../api/endpoint.ts';
import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { parseJson } from '../json/parse.ts';
import { readAddressJson, readValue } from './read-values.ts';
import { invalid, notCalculated, Refusal, required } from './refusal.ts';

/** What arrived, before it means anything. */
export type Request = {
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
  for (const placed of form.parameters) {
    const value = readParameter(placed, dialect, withInnerFields(form, dialect, request));
    if (value !== undefined) input[placed.parameter.name] = value;
    else if (placed.parameter.required) throw required(placed.name);
  }
  return input;
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
  if (form === 'list') return onlyItem(parameter.name, readAddressJson(text), parameter.type === 'integer');
  // The live service takes a mode that it does not know for the default.
  if (dialect === 'live' && parameter.name === 'refresh') return text;
  switch (parameter.type) {
    case 'flag':
      // The live service looks whether it is there, whatever it says.
      return dialect === 'live' ? true : readValue(parameter, text, name);
    case 'json':
      return readAddressJson(text);
    case 'texts':
    case 'integers':
      return readValue(parameter, texts.length > 1 ? texts : text, name);
    default:
      return readValue(parameter, text, name);
  }
}

function onlyItem(name: string, value: Json, isInteger: boolean): Json {
  if (!isList(value)) throw invalid(name, 'Expected a list of items.', 'not_a_list');
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
    throw new Refusal(400, 'Input should be a valid dictionary or object to extract fields from', {
      type: 'invalid_request',
      code: 'parse_error',
    });
  }
  // Null clears a field of an insight; elsewhere the readers refuse it.
  if (value === null && !parameter.required) return null;
  return readValue(parameter, value, name);
}

/** `insight_ids` travels as a list; the first one stands for the row's single id. */
function readListBody(name: string, value: Json): Json {
  if (!isList(value) || value.length === 0) throw invalid(name, 'Expected a list of items.', 'not_a_list');
  return value.map(String).join(',');
}

function readJsonText(name: string, text: Json): Json {
  if (typeof text !== 'string') throw invalid(name, 'Not a valid string.');
  try {
    return parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw invalid(name, 'Value must be valid JSON.');
  }
}

import type { Parameter, ParameterType } from '../api/endpoint.ts';
import { isExactNumber, isList, isObject, type Json } from '../json/kinds.ts';
import { parseJson } from '../json/parse.ts';
import { toText, writeJson } from '../json/write.ts';
import { invalid } from './refusal.ts';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type Reader = (value: Json, name: string) => Json;

/**
 * Reads a value as its parameter has it. Text from an address and JSON from a body end as the same value.
 * Throws a `Refusal` 400 that names the parameter.
 */
export function readValue(parameter: Parameter, value: Json, name: string): Json {
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
const readLoosely = (value: Json): Json => {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    // Deliberate: `value=pro` in an address is the text "pro", which is not JSON by itself.
    if (error instanceof SyntaxError) return value;
    throw error;
  }
};

const readListOf =
  (read: Reader): Reader =>
  (value, name) => {
    const list = typeof value === 'string' && value.trim().startsWith('[') ? readLoosely(value) : value;
    if (isList(list)) return list.map((item) => read(item, name));
    if (isObject(list) || list === null) throw invalid(name, 'Expected a list of items.', 'not_a_list');
    return [read(list, name)];
  };

const readObject: Reader = (value, name) => {
  const object = readLoosely(value);
  if (!isObject(object)) throw invalid(name, 'Expected a dictionary of items.', 'not_a_dict');
  return object;
};

const READERS: { readonly [Type in ParameterType]: Reader } = {
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

/** Reads a JSON value that came as text in an address. */
export function readAddressJson(text: string): Json {
  return readLoosely(text);
}

import { Ajv, type ValidateFunction } from 'ajv';
import { isList, isObject, type Json, type JsonObject } from '../../src/json/kinds.ts';
import published from '../../src/service/queries.json' with { type: 'json' };

const { origin, kinds, otherKinds, ...schema } = published;

/** The service reads a flag or a number that is text; `coerced` does so too. */
const validators = new Map([false, true].map((coerced) => [coerced, createValidator(coerced)]));

function createValidator(coerceTypes: boolean) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, coerceTypes });
  ajv.addSchema(schema, 'queries');
  return (kind: string): ValidateFunction | undefined => ajv.getSchema(`queries#/definitions/${kind}`);
}

/** What a validator of JSON Schema that others wrote says against a node. Nothing is known of kinds that are not described. */
export function validateNode(node: Json, { coerced = false } = {}): readonly string[] {
  const kind = isObject(node) && typeof node.kind === 'string' ? node.kind : '';
  if (otherKinds.includes(kind)) return [];
  const validate = kinds.includes(kind) ? validators.get(coerced)?.(kind) : undefined;
  if (validate === undefined) return [`/kind: "${kind}" is not described`];
  if (validate(structuredClone(node))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

/** The nodes with one thing changed in each: a key more or less, another word, another type. */
export function spoiltNodes(nodes: readonly Json[], count: number): readonly Json[] {
  return Array.from({ length: count }, (_, at) => {
    const node = nodes[at % nodes.length] ?? null;
    const places = placesOf(node);
    // Steps that share no factor with the number of places reach all of them.
    const place = places[(at * 7919) % places.length] ?? [];
    return spoil(node, place, at);
  });
}

function placesOf(
  value: Json,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (isList(value)) return [path, ...value.flatMap((item, at) => placesOf(item, [...path, at]))];
  if (!isObject(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, field]) => placesOf(field, [...path, key]))];
}

function spoil(value: Json, [step, ...rest]: readonly (string | number)[], how: number): Json {
  if (step === undefined) return spoilHere(value, how);
  if (isList(value)) return value.map((item, at) => (at === step ? spoil(item, rest, how) : item));
  if (!isObject(value)) return value;
  return { ...value, [step]: spoil(value[step] ?? null, rest, how) };
}

function spoilHere(value: Json, how: number): Json {
  const others: readonly Json[] = [null, 'nothing', 7, true, [], {}, [{ kind: 'EventsNode' }], ['x']];
  if (isObject(value) && how % 3 === 0) return { ...value, unknown_key: 1 };
  if (isObject(value) && how % 3 === 1) return without(value, how);
  return others[how % others.length] ?? null;
}

function without(value: JsonObject, how: number): JsonObject {
  const keys = Object.keys(value);
  const gone = keys[how % keys.length];
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== gone));
}

import { usageError } from '../errors.ts';
import { asObject, type Json, type JsonObject } from '../json/kinds.ts';
import { parseJson } from '../json/parse.ts';

/** A number of so many digits would lose some of them here. */
const LARGE_NUMBER = /\d{16}|\de[+-]?\d{3}/i;

/**
 * The definition of an insight out of what `--query` gave: a query node, or a string that holds one, as the service
 * of the specification writes it. Throws a usage error for anything that would wipe the insight.
 */
export function readDefinition(given: Json): JsonObject {
  const node = asObject(typeof given === 'string' ? parseNested(given) : given);
  if (node !== undefined && Object.keys(node).length > 0) return node;
  throw usageError(
    '--query is not a query node',
    'a node is an object such as {"kind":"InsightVizNode","source":{…}}',
  );
}

function parseNested(text: string): Json {
  if (LARGE_NUMBER.test(text)) {
    throw usageError(
      '--query is JSON in a string, with numbers that would lose digits',
      'give the JSON itself',
    );
  }
  try {
    return parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(
      `--query is a string that holds no JSON, ${cause.message}`,
      'give the query node itself',
    );
  }
}

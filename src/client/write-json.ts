import type { ExactNumber, Json } from '../api/json.ts';

const marker: unique symbol = Symbol.for('lossless-json.LosslessNumber');

/** JSON text of a value, exact numbers with their own digits. Entries that are undefined are left out. */
export function writeJson(value: Json | undefined): string {
  if (isList(value)) return `[${value.map((item) => writeJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (isExact(value)) return value.value;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`);
  return `{${entries.join(',')}}`;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** By the library's own mark: an object of the user's that merely looks like an exact number is written as an object. */
function isExact(value: object): value is ExactNumber {
  return marker in value;
}

import { isExactNumber } from '../api/exact-number.ts';
import type { Json } from '../api/json.ts';

/** JSON text of a value, exact numbers with their own digits. Entries that are undefined are left out. */
export function writeJson(value: Json | undefined): string {
  if (isList(value)) return `[${value.map((item) => writeJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (isExactNumber(value)) return value.value;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`);
  return `{${entries.join(',')}}`;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

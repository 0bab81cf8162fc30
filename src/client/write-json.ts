import type { Json } from '../api/json.ts';
import { isExactNumber, isList } from '../api/json-kinds.ts';

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

import { isExactNumber, type Json } from '../../../json/kinds.ts';
import { writeJson } from '../../../json/write.ts';

/** A property as text, as the service compares it: `5` and `"5"`, `true` and `"true"` are one. Missing is undefined. */
export function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return isExactNumber(value) ? value.value : writeJson(value);
  return String(value);
}

/** A property as a number; undefined where it is none. */
export function numberOf(value: Json | undefined): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined || text === '' || typeof value === 'boolean') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

import { stringify } from 'lossless-json';
import type { Json } from '../api/json.ts';
import { unicodeEscape } from '../system/escape-controls.ts';

/** What JSON.stringify leaves raw although a terminal may act on it. In JSON text these stand in strings only. */
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a number with its own digits looks like to JSON.stringify, which knows nothing of them. */
const exactNumberMark = '"isLosslessNumber":true';

/**
 * JSON text of a value: numbers with their own digits, control characters as `\u` escapes. On one line, or with
 * `indent` spaces a level.
 */
export function toJsonText(value: Json, { indent = 0 } = {}): string {
  const plain = JSON.stringify(value);
  const exact = plain.includes(exactNumberMark);
  return escapeUnsafe(jsonOf(value, { plain, exact, indent }));
}

/** JSON text without the characters that a terminal may act on. */
export function escapeUnsafe(text: string): string {
  return text.replace(unescaped, unicodeEscape);
}

type Attempt = { readonly plain: string; readonly exact: boolean; readonly indent: number };

/** The fast built-in writer does for everything but exact numbers. */
function jsonOf(value: Json, { plain, exact, indent }: Attempt): string {
  if (exact) return stringify(value, undefined, indent) ?? plain;
  return indent === 0 ? plain : JSON.stringify(value, undefined, indent);
}

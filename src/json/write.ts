import { isExactNumber, isList, type Json } from './kinds.ts';

/** What JSON.stringify leaves raw although a terminal may act on it. In JSON text these stand in strings only. */
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a number with its own digits looks like to JSON.stringify, which knows nothing of them. */
const exactNumberMark = '"isLosslessNumber":true';

/** JSON text of a value, for the wire and files. Entries that are undefined are left out. */
export function writeJson(value: Json | undefined): string {
  return write(value ?? null, 0);
}

/**
 * JSON text of a value for people: control characters as `\u` escapes. On one line, or with `indent` spaces a level.
 */
export function toJsonText(value: Json, { indent = 0 } = {}): string {
  return escapeUnsafe(write(value, indent));
}

/** A value as the text that filters compare and cells hold: text without quotes, anything else as JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** JSON text without the characters that a terminal may act on. */
function escapeUnsafe(text: string): string {
  return text.replace(unescaped, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The fast built-in writer does for everything but exact numbers. */
function write(value: Json, indent: number): string {
  const plain = JSON.stringify(value);
  if (plain.includes(exactNumberMark)) return writeExactly(value, indent, '\n');
  return indent === 0 ? plain : JSON.stringify(value, undefined, indent);
}

function writeExactly(value: Json | undefined, indent: number, lineBreak: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (isExactNumber(value)) return value.value;
  const next = `${lineBreak}${' '.repeat(indent)}`;
  const around = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0 || indent === 0) return `${open}${parts.join(',')}${close}`;
    return `${open}${next}${parts.join(`,${next}`)}${lineBreak}${close}`;
  };
  if (isList(value)) {
    const items = value.map((item) => writeExactly(item, indent, next));
    return around('[', items, ']');
  }
  const colon = indent === 0 ? ':' : ': ';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}${colon}${writeExactly(field, indent, next)}`);
  return around('{', fields, '}');
}

/** A value as CSV and TSV hold it: text as it is, nested values as JSON on one line; null where there is nothing. */
export function dataText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : toJsonText(value);
}

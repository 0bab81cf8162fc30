import { parseText } from '../json/parse.ts';

/** What could be read from an error's body, whatever its shape. `parsed` is undefined where it is not JSON. */
export type ErrorBody = {
  readonly parsed: unknown;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly field: string | undefined;
};

const LONGEST_DETAIL = 500;

/**
 * Reads an error's body. The service's own shape is `type`, `code`, `detail`, `attr`; some operations swap code and
 * detail or use other names, and gateways send anything.
 */
export function readErrorBody(bytes: Uint8Array, contentType: string): ErrorBody {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  const parsed = parse(text);
  if (parsed === undefined) {
    const speaks = /^text\/(plain|csv)/i.test(contentType) && text !== '' && !text.startsWith('<');
    return { parsed, code: undefined, detail: speaks ? clean(text) : undefined, field: undefined };
  }
  const code = wordOf(parsed, 'code');
  const detail = firstText(parsed, [
    'detail',
    'message',
    'error',
    'error_message',
    'non_field_errors',
    'errors',
  ]);
  const swapped = code !== undefined && !isCode(code) && detail !== undefined && isCode(detail);
  return {
    parsed,
    code: swapped ? detail : codeOnly(code),
    detail: clean((swapped ? code : (detail ?? sentence(code) ?? fieldErrors(parsed))) ?? ''),
    field: wordOf(parsed, 'attr'),
  };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : parseText(text);
  } catch {
    // Not JSON is an ordinary case here: gateways answer errors with pages.
    return undefined;
  }
}

function isCode(text: string): boolean {
  return /^[a-z0-9_.-]+$/i.test(text);
}

function codeOnly(code: string | undefined): string | undefined {
  return code !== undefined && isCode(code) ? code : undefined;
}

function sentence(code: string | undefined): string | undefined {
  return code !== undefined && !isCode(code) ? code : undefined;
}

function wordOf(parsed: unknown, name: string): string | undefined {
  const value = property(parsed, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function firstText(parsed: unknown, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textIn(property(parsed, name), 0);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The first text in a string, a list, or an object's own words. */
function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth > 3 || typeof value !== 'object' || value === null) return undefined;
  for (const name of ['detail', 'message', 'string']) {
    const found = Array.isArray(value) ? undefined : textIn(property(value, name), depth + 1);
    if (found !== undefined) return found;
  }
  for (const item of Object.values(value)) {
    const found = textIn(item, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `{"name": ["too long"]}` as `name: too long`; a bare string or list as its text. */
function fieldErrors(parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return textIn(parsed, 0);
  for (const [field, value] of Object.entries(parsed)) {
    const text = Array.isArray(value) ? textIn(value, 0) : undefined;
    if (text !== undefined) return `${field}: ${text}`;
  }
  return undefined;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** One line of bounded length without control characters, which could move a terminal's cursor. */
function clean(text: string): string | undefined {
  const line = text.replace(/[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
  if (line === '') return undefined;
  return line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL)}…` : line;
}

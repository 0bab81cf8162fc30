import { usageError } from '../../errors.ts';
import { isExactNumber, type Json } from '../../json/kinds.ts';

const NULL_HINT = 'use unset to delete a property, or --json null to send null';
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The one rule for values on the command line: text, unless it is a JSON number, boolean or quoted string that survives
 * the round trip. So `02134`, `1.0` and `12345678901234567890` stay text. Throws a usage error for a bare `null`.
 */
export function typedValue(text: string, nullHint = NULL_HINT): Json {
  if (text === 'null') {
    throw usageError('null is not a value that can be set', nullHint);
  }
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (NUMBER.test(text) && String(Number(text)) === text) return Number(text);
  return quotedText(text) ?? text;
}

function quotedText(text: string): string | undefined {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    // Not a JSON string, so the quotes belong to the text.
    return undefined;
  }
}

/** The type as people call it, for the line that says what was sent. */
export function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'object') return isExactNumber(value) ? 'number' : 'object';
  return typeof value;
}

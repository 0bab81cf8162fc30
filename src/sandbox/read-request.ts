import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from '../json/kinds.ts';
import { parseJson } from '../json/parse.ts';
import { invalid, Refusal } from './refusal.ts';

const LARGEST_BODY = 20_000_000;

/** The body of a request as a JSON object; nothing at all counts as `{}`. Throws a `Refusal` 400 or 413. */
export async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes: unknown = chunk;
    if (!(bytes instanceof Uint8Array)) continue;
    length += bytes.length;
    if (length <= LARGEST_BODY) chunks.push(bytes);
  }
  if (length > LARGEST_BODY) {
    throw new Refusal(413, 'Request body is too large.', { type: 'invalid_request', code: 'too_large' });
  }
  return parseBody(Buffer.concat(chunks).toString('utf8'));
}

function parseBody(text: string): JsonObject {
  if (text.trim() === '') return {};
  const body = readOrRefuse(text);
  if (!isObject(body)) throw invalid('non_field_errors', 'Invalid data. Expected a dictionary.');
  return body;
}

function readOrRefuse(text: string) {
  try {
    return parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Refusal(400, `JSON parse error: ${cause.message}`, {
      type: 'invalid_request',
      code: 'parse_error',
    });
  }
}

/** The `format` of an answer. Throws a `Refusal` 400 for any but csv and json. */
export function readFormat(query: URLSearchParams): 'csv' | 'json' {
  const format = query.get('format') ?? 'json';
  if (format === 'csv' || format === 'json') return format;
  throw invalid('format', `"${format}" is not a valid choice.`, 'invalid_choice');
}

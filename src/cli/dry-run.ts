import type { Description } from '../client/client.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import type { GlobalOptions } from './command/options.ts';
import { counted } from './counted.ts';

/** The requests that a dry run kept back, as text or as one JSON list, ids of persons hidden unless they are asked for. */
export function printRequests(requests: readonly Description[], { output, showIds }: GlobalOptions): string {
  const shown = requests.map((request) => ({
    ...request,
    url: showIds ? request.url : hidePathId(request.url),
    headers: { ...request.headers },
    body: (showIds ? request.body : hideIds(request.body)) ?? null,
  }));
  if (output === 'json') return `${toJsonText(shown, { indent: 2 })}\n`;
  if (output === 'ndjson') return shown.map((request) => `${toJsonText(request)}\n`).join('');
  return shown.map(requestText).join('\n');
}

type Shown = Omit<Description, 'body'> & { readonly body: Json };

function requestText({ method, url, headers, body }: Shown): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  const text = body === null ? [] : [`  ${toJsonText(body)}`];
  return [`${method} ${url}`, ...lines, ...text, ''].join('\n');
}

/** Persons are told by an integer or a UUID; other words behind `persons/` are operations. */
function hidePathId(url: string): string {
  return url.replace(/(\/persons\/)(?:\d+|[0-9a-f-]{36})(?=\/|$)/i, '$1***');
}

const ID_LISTS = new Set(['ids', 'distinct_ids', 'distinct_ids_to_split']);
const IDS = new Set(['distinct_id', 'main_distinct_id']);

function hideIds(body: Json | undefined): Json | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  // What is neither a list nor null is an object here: a body is never a lone number.
  const shown = Object.entries(body as JsonObject).map(([name, value]) => {
    if (ID_LISTS.has(name) && Array.isArray(value))
      return [name, `${counted(value.length, 'id')}, shown by --show-ids`];
    return [name, IDS.has(name) ? 'an id, shown by --show-ids' : value];
  });
  return Object.fromEntries(shown);
}

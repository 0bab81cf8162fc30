import type { Json, JsonObject } from '../api/json.ts';
import type { Description } from '../client/client.ts';
import { toJsonText } from '../output/json-text.ts';
import type { GlobalOptions } from './command/global-options.ts';

/** The requests that a dry run kept back, as text or as one JSON list, ids hidden unless they are asked for. */
export function printRequests(requests: readonly Description[], { output, showIds }: GlobalOptions): string {
  const shown = requests.map((request) => ({
    ...request,
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

const ID_LISTS = new Set(['ids', 'distinct_ids']);

function hideIds(body: Json | undefined): Json | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  // What is neither a list nor null is an object here: a body is never a lone number.
  const shown = Object.entries(body as JsonObject).map(([name, value]) =>
    ID_LISTS.has(name) && Array.isArray(value)
      ? [name, `${value.length} ids, shown by --show-ids`]
      : [name, value],
  );
  return Object.fromEntries(shown);
}

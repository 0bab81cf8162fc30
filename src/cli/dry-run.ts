import type { Json } from '../api/json.ts';
import type { Description } from '../client/client.ts';
import type { GlobalOptions } from './command/global-options.ts';

/** The requests that a dry run kept back, as text or as one JSON list, ids hidden unless they are asked for. */
export function printRequests(requests: readonly Description[], { output, showIds }: GlobalOptions): string {
  const shown = requests.map((request) => ({
    ...request,
    body: showIds ? request.body : hideIds(request.body),
  }));
  if (output === 'json') return `${JSON.stringify(shown, null, 2)}\n`;
  if (output === 'ndjson') return shown.map((request) => `${JSON.stringify(request)}\n`).join('');
  return requests.map((request, at) => requestText(request, shown[at]?.body)).join('\n');
}

function requestText({ method, url, headers }: Description, body: unknown): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  const text = body === undefined ? [] : [`  ${JSON.stringify(body)}`];
  return [`${method} ${url}`, ...lines, ...text, ''].join('\n');
}

const ID_LISTS = new Set(['ids', 'distinct_ids']);

function hideIds(body: Json | undefined): Json | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const shown = Object.entries(body).map(([name, value]) =>
    ID_LISTS.has(name) && Array.isArray(value)
      ? [name, `${value.length} ids, shown by --show-ids`]
      : [name, value],
  );
  return Object.fromEntries(shown);
}

import { CliError, counted } from '../../errors.ts';
import type { Client, Description } from '../../http/client.ts';
import { isReadMethod } from '../../http/free-request.ts';
import { asObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { parseJson, toJsonText } from '../../json/text.ts';
import type { Endpoint, InputOf } from '../../service/endpoint.ts';
import { platform } from '../../service/platform.ts';
import type { Stderr } from '../../system/output.ts';
import type { Command } from '../command/command.ts';
import type { GlobalOptions } from '../command/options.ts';
import type { Printing } from '../printing.ts';

/** Ends a command whose whole answer has been printed. */
export class Finished extends Error {
  override readonly name = 'Finished';
}

type Interception = {
  readonly options: GlobalOptions;
  /** Lookups on its way are not passed through, only the rows that it stands for. */
  readonly command: Pick<Command, 'endpoints'>;
  readonly printing: Pick<Printing, 'passOn'>;
  readonly stderr: Pick<Stderr, 'warn'>;
  keepRequest(request: Description): void;
};

/**
 * The client of a command under `--dry-run` (writes are kept for printing and not sent) and `--server-format` (the
 * service's own answer to the command's row is passed through).
 */
export function interceptClient(client: Client, interception: Interception): Client {
  const { command, printing, stderr, keepRequest } = interception;
  const { dryRun = false, serverFormat, save } = interception.options;
  const isPassed = (row: Endpoint) =>
    serverFormat !== undefined && row.effect === 'read' && command.endpoints.includes(row);
  const passOn = async <Row extends Endpoint>(
    row: Row,
    input: InputOf<Row>,
    body: Json | undefined,
  ): Promise<never> => {
    const answer = await client.raw(row, input, { body, format: serverFormat });
    const cut = await cutIn(row, answer.bytes, serverFormat);
    const more = moreRows(row, input, answer.bytes, serverFormat);
    // A file that looks whole must be whole.
    if (cut !== undefined && save !== undefined) throw cut;
    if (more?.isUnasked && save !== undefined)
      throw new CliError('partial', `${save} was not written: ${more.what}`, {
        hint: more.advice,
        outcome: 'not-done',
      });
    await printing.passOn(answer.bytes);
    if (more !== undefined) stderr.warn(`warning: ${more.what}; ${more.advice}`);
    throw cut ?? new Finished();
  };
  return {
    ...client,
    call: async (row, input, additions) => {
      if (isPassed(row)) return passOn(row, input, additions?.body);
      if (!dryRun || row.effect === 'read') return client.call(row, input, additions);
      keepRequest(client.describe(row, input, additions));
      // Rows that are kept back may answer without a body, so a command copes with no answer.
      return undefined as Awaited<ReturnType<typeof client.call<typeof row>>>;
    },
    query: async (input, additions) => {
      if (isPassed(platform.query)) return passOn(platform.query, input, undefined);
      return client.query(input, additions);
    },
    pages: async function* (row, input, additions) {
      if (isPassed(row)) await passOn(row, input, additions?.body);
      yield* client.pages(row, input, additions);
    },
    api: {
      ...client.api,
      raw: async (request) => {
        const isRead = isReadMethod(request.method);
        if (isRead && serverFormat !== undefined) {
          const query = { ...request.query, format: serverFormat };
          return client.api.raw({ ...request, query });
        }
        if (isRead || !dryRun) return client.api.raw(request);
        keepRequest(client.api.describe(request));
        // As above: a request that is kept back has no answer, and its command copes with that.
        return undefined as unknown as Awaited<ReturnType<typeof client.api.raw>>;
      },
    },
  };
}

/** Why a list of persons is not whole: it names only so many distinct ids of each. */
async function cutIn(row: Endpoint, bytes: Uint8Array, format = 'json'): Promise<CliError | undefined> {
  if (row.response !== 'page of persons') return undefined;
  const { cutIdsOf } = await import('../../semantics/person-conditions.ts');
  return cutIdsOf(bytes, format);
}

/** Rows of an answer if no number is asked for. */
const USUAL_ROWS = { offset: 100, page: 10 };

/** The service makes no larger CSV. */
const MOST_ROWS = 50_000;

/** What to say if there are rows behind those of an answer. CSV does not tell, but a full page may not be the last. */
function moreRows(row: Endpoint, input: object, bytes: Uint8Array, format = 'json') {
  const isQuery = row === platform.query;
  if (row.paging === undefined && !isQuery) return undefined;
  const limit = 'limit' in input ? input.limit : undefined;
  const text = new TextDecoder().decode(bytes);
  const full = [limit ?? USUAL_ROWS[row.paging ?? 'offset'], MOST_ROWS];
  const isMore = format === 'json' ? goesOn(text) : full.includes(recordsIn(text));
  if (!isMore) return undefined;
  return {
    what: `the service ${format === 'json' ? 'has' : 'may have'} more rows than these`,
    advice: isQuery ? 'write a LIMIT into the query' : `-o ${format} --all reads all of them`,
    // A query that has its own LIMIT looks the same in CSV.
    isUnasked: isQuery
      ? format === 'json'
      : limit === undefined && !('page' in input && input.page !== undefined),
  };
}

/** The records of CSV behind its header; in quotes there may be line breaks. */
function recordsIn(csv: string): number {
  return (
    csv
      .replace(/"[^"]*"/g, '')
      .trimEnd()
      .split('\n').length - 1
  );
}

function goesOn(text: string): boolean {
  try {
    const answer = asObject(parseJson(text));
    return typeof answer?.next === 'string' || answer?.hasMore === true;
  } catch {
    // What is not JSON is passed on as it came.
    return false;
  }
}

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

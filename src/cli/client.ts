import { counted, usageError } from '../errors.ts';
import type { Client, ClientCertificate, Description } from '../http/client.ts';
import { isReadMethod } from '../http/free-request.ts';
import type { Page } from '../http/pages.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { inMilliseconds } from '../service/calendar.ts';
import { type Dialect, type Endpoint, type InputOf, LARGEST_PAGE } from '../service/endpoint.ts';
import { readWholeFile } from '../system/files.ts';
import type { Progress, Stderr } from '../system/output.ts';
import type { System } from '../system/system.ts';
import type { Command } from './command/command.ts';
import type { GlobalOptions } from './command/options.ts';
import type { Printing } from './printing.ts';

export type Connection = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly stderr: Stderr;
  /** Breaks off what is in flight. */
  readonly signal: AbortSignal;
};

/** What is needed to reach one project. */
export type Target = {
  readonly project: { readonly id: string };
  readonly host: { readonly address: string };
  /** A function is asked at each request. */
  readonly key: string | (() => Promise<string>);
  readonly dialect: Dialect;
};

/** A client for one project, with the network settings of this call. */
export async function connect(
  target: Target,
  { system, options, stderr, signal }: Connection,
): Promise<Client> {
  const { createClient } = await import('../http/create-client.ts');
  const { environment, wait, random, now } = system;
  return createClient({
    base: target.host.address,
    projectId: target.project.id,
    key: target.key,
    dialect: target.dialect,
    proxy: environment,
    ca: readAuthorities(options.caFile, environment.NODE_EXTRA_CA_CERTS),
    timeout: options.timeout === undefined ? undefined : inMilliseconds(options.timeout),
    retries: options.retries,
    certificate: readCertificate(target, options, environment),
    largestAnswer: options.maxAnswer === undefined ? undefined : options.maxAnswer * 1_000_000,
    wait,
    random,
    now,
    note: stderr.note,
    debug: options.debug ? stderr.warn : undefined,
    signal,
    waitSignal: system.signal,
    redact: stderr.redact,
  });
}

/** Naming authorities switches off what Node adds by itself, so its own extra file is named again beside ours. */
function readAuthorities(file: string | undefined, extra: string | undefined): readonly string[] | undefined {
  if (file === undefined) return undefined;
  return [file, ...(extra ? [extra] : [])].map(readWholeFile);
}

/** The certificate of this side; the key may stand in the same file. Throws a usage error if it would not be shown. */
function readCertificate(
  { host }: Target,
  { clientCert, clientKey }: GlobalOptions,
  { HOGCTL_CLIENT_CERT, HOGCTL_CLIENT_KEY }: System['environment'],
): ClientCertificate | undefined {
  const isSecure = /^https:/i.test(host.address);
  const given = clientCert ?? clientKey;
  if (given !== undefined && !isSecure)
    throw usageError('a client certificate can only be used with https', 'give the host with https://');
  const cert = clientCert ?? (HOGCTL_CLIENT_CERT || undefined);
  const key = clientKey ?? (clientCert === undefined ? HOGCTL_CLIENT_KEY || undefined : undefined) ?? cert;
  if (!isSecure || key === undefined) return undefined;
  if (cert === undefined)
    throw usageError(
      'a client key was given without a client certificate',
      'give the certificate with --client-cert or HOGCTL_CLIENT_CERT',
    );
  return { cert: readWholeFile(cert), key: readWholeFile(key) };
}

/** Ends a command whose whole answer has been printed. */
export class Finished extends Error {
  override readonly name = 'Finished';
}

type Interception = {
  readonly options: GlobalOptions;
  /** Lookups on its way are not passed through, only the rows that it stands for. */
  readonly command: Pick<Command, 'endpoints'>;
  readonly printing: Pick<Printing, 'passOn'>;
  keepRequest(request: Description): void;
};

/**
 * The client of a command under `--dry-run` (writes are kept for printing and not sent) and `--server-format` (the
 * service's own answer to the command's row is passed through).
 */
export function interceptClient(client: Client, interception: Interception): Client {
  const { command, printing, keepRequest } = interception;
  const { dryRun = false, serverFormat } = interception.options;
  if (!dryRun && serverFormat === undefined) return client;
  const isPassed = (row: Endpoint) =>
    serverFormat !== undefined && row.effect === 'read' && command.endpoints.includes(row);
  const passOn = async <Row extends Endpoint>(
    row: Row,
    input: InputOf<Row>,
    body: Json | undefined,
  ): Promise<never> => {
    const answer = await client.raw(row, input, { body, format: serverFormat });
    await printing.passOn(answer.bytes);
    throw new Finished();
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

/** `all`: to the end, with `limit` as the page size; otherwise `limit` rows, 100 without it. */
export type ListOptions = {
  readonly all?: boolean | undefined;
  /** The whole body of the request, in place of the one made from the input. */
  readonly body?: JsonObject | undefined;
};

type Start = {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
};

type Listing<Row extends Endpoint> = {
  readonly client: Client;
  readonly row: Row;
  readonly input: InputOf<Row> & Start;
  readonly options: ListOptions;
} & ListMessages;

/** What is said beside a list. */
export type ListMessages = {
  warn(text: string): void;
  /** Shows how far the reading of the whole list is. */
  progress?(work: { readonly label: string; readonly total: number | undefined }): Progress;
};

const DEFAULT_ROWS = 100;

/** Rows in all, undefined for every row, and rows to ask for at a time. */
export function sizesOf(limit: number | undefined, { all }: ListOptions) {
  const rows = all ? undefined : (limit ?? DEFAULT_ROWS);
  return { rows, pageSize: Math.min(limit ?? rows ?? LARGEST_PAGE, LARGEST_PAGE) };
}

/** What is said at the end of a list that goes on. */
export function moreRowsText(shown: number): string {
  const rows = shown === 1 ? 'this is the first row' : `these are the first ${shown} rows`;
  return `warning: ${rows}, and the service has more; --all reads all of them`;
}

/** The pages of a list; says at the end when the service has more rows than were shown. */
export async function* listRows<Row extends Endpoint>(listing: Listing<Row>): AsyncGenerator<Page> {
  const { client, row, input, options, warn } = listing;
  const { rows, pageSize } = sizesOf(input.limit, options);
  const body = options.body && { ...options.body, limit: pageSize };
  let shown = 0;
  let more = false;
  let expected: number | undefined;
  let progress: Progress | undefined;
  try {
    for await (const page of client.pages(row, input, { limit: rows, pageSize, body })) {
      expected = expectedOf(page, input);
      if (options.all) progress ??= listing.progress?.({ label: 'rows', total: expected });
      shown += page.rows.length;
      more = page.more;
      yield page;
      progress?.update(shown);
    }
  } finally {
    progress?.end();
  }
  if (more) warn(moreRowsText(shown));
  else if (options.all && expected !== undefined) warnOfMissing({ shown, expected }, warn);
}

/** How many rows there are from the first one that was asked for, if the service tells it. */
function expectedOf({ count }: Page, { page, offset = 0 }: Start): number | undefined {
  return count === undefined || page !== undefined ? undefined : Math.max(0, count - offset);
}

/** If rows are deleted during paging, later rows shift and can be skipped. Only `count` reveals it. */
function warnOfMissing(
  { shown, expected }: { readonly shown: number; readonly expected: number },
  warn: ListMessages['warn'],
): void {
  if (shown < expected)
    warn(
      `warning: the service counts ${counted(expected, 'row')}, but ${shown} came: the others were deleted during the read, or missed`,
    );
}

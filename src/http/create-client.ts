import { CliError } from '../errors.ts';
import { asObject } from '../json/kinds.ts';
import { parseText } from '../json/text.ts';
import { type AnswerOf, type Endpoint, LARGEST_PAGE } from '../service/endpoint.ts';
import {
  type Addressing,
  type Base,
  buildRequest,
  chooseProxy,
  decodeFully,
  parseBase,
  projectPath,
  type Values,
  type WireRequest,
} from './build-request.ts';
import type { CallAdditions, Client, ClientSettings, Description, PageOptions } from './client.ts';
import type { Sending } from './exchange.ts';
import { buildFreeRequest, type FreeRequest } from './free-request.ts';
import { createQueries } from './long-query.ts';
import type { RequestContext } from './network-error.ts';
import { type LoadPage, type Page, readPages } from './pages.ts';
import { jsonReader, pageReader, type Reader, rawReader } from './read-answer.ts';
import { type Connection, send } from './send.ts';
import { createSender, headersFor } from './sender.ts';

/** A client of one project of one service. Throws a usage error for an address or proxy that cannot be used. */
export function createClient(settings: ClientSettings): Client {
  const base = parseBase(settings.base);
  const addressing: Addressing = { base, projectId: settings.projectId, dialect: settings.dialect };
  const connections = createConnections(settings, addressing);
  const { where, open } = connections;
  const wire = (row: Endpoint, input: object, additions: CallAdditions = {}): WireRequest =>
    // InputOf types these values row by row; here only their names and JSON values matter.
    withFormat(buildRequest(row, input as Values, { addressing, body: additions.body }), additions);
  const free = (request: FreeRequest): WireRequest => buildFreeRequest(request, addressing);
  const describe = (request: WireRequest): Description => ({
    method: request.method,
    url: `${base.origin}${request.target}`,
    headers: { ...headersFor(request, base), authorization: 'Bearer ***' },
    body: request.value,
  });
  const list = createListReader(settings, addressing, connections);
  const call: Client['call'] = async (row, input, additions = {}) => {
    const reader = tellingTime(jsonReader({ row, where }), additions.onTime);
    const value = await send(wire(row, input, additions), reader, open(additions));
    // The one place where the wire gets its type: what commands rely on of it has been checked by its shape.
    return value as AnswerOf<typeof row>;
  };
  return {
    call,
    ...createQueries(call, settings),
    pages: (row, input, options = {}) =>
      list(wire(row, sized(row, input, options), options), { ...options, row }),
    raw: async (row, input, additions = {}) =>
      send(wire(row, input, additions), rawReader({ row, where }), open(additions)),
    describe: (row, input, additions) => describe(wire(row, input, additions)),
    api: {
      raw: async (request) => send(free(request), async (answer) => ({ value: answer }), open({})),
      pages: (request) => list(free(request), {}),
      describe: (request) => describe(free(request)),
    },
    close: connections.close,
  };
}

type Opening = Pick<CallAdditions, 'timeout' | 'isLast'> &
  Partial<Pick<Sending, 'signal' | 'onHead' | 'free'>>;

const TIMEOUT_MILLISECONDS = 60_000;

const RETRIES = 4;

const LAST_MILLISECONDS = 5000;

type Connections = {
  readonly where: RequestContext;
  readonly open: (opening: Opening) => Connection;
  readonly close: () => Promise<void>;
};

function createConnections(settings: ClientSettings, { base, projectId }: Addressing): Connections {
  const { key, now, wait, random, note, waitSignal, redact = (text: string): string => text } = settings;
  const proxy = chooseProxy(settings.environment ?? {}, base);
  const where: RequestContext = {
    host: base.host,
    projectId,
    proxy,
    untrusted: settings.untrusted,
    redact: (text) => redact(typeof key === 'string' ? text.replaceAll(key, '***') : text),
  };
  const { sendOnce, close } = createSender(settings, { base, proxy });
  return {
    where,
    open: ({ onHead, free, isLast = false, ...opening }) => {
      const usual = opening.timeout ?? settings.timeout ?? TIMEOUT_MILLISECONDS;
      const timeout = isLast ? Math.min(usual, LAST_MILLISECONDS) : usual;
      const signal = isLast ? undefined : eitherSignal(settings.signal, opening.signal);
      return {
        origin: base.origin,
        where,
        timeout,
        retries: isLast ? 0 : (settings.retries ?? RETRIES),
        now,
        wait,
        random,
        note,
        signal,
        waitSignal,
        // Field by field, since what `opening` has beside these, such as a body, is not the request's.
        attempt: (request) => sendOnce(request, { timeout, signal, onHead, free }),
      };
    },
    close,
  };
}

function eitherSignal(...given: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const signals = given.filter((signal) => signal !== undefined);
  return signals.length < 2 ? signals[0] : AbortSignal.any(signals);
}

/** A date that is none says nothing. */
function tellingTime<T>(reader: Reader<T>, onTime: CallAdditions['onTime']): Reader<T> {
  if (onTime === undefined) return reader;
  return (answer) => {
    const date = new Date(answer.headers.date ?? '');
    if (!Number.isNaN(date.getTime())) onTime(date.toISOString());
    return reader(answer);
  };
}

/** The service refuses a format that the request does not accept. */
function withFormat(request: WireRequest, { format }: CallAdditions): WireRequest {
  if (format === undefined) return request;
  const target = `${request.target}${request.target.includes('?') ? '&' : '?'}format=${format}`;
  return { ...request, target, headers: { ...request.headers, accept: '*/*' } };
}

/** Asks for no more rows than are wanted, and never for more than the service answers reliably. */
function sized(row: Endpoint, input: object, { limit, pageSize }: PageOptions): object {
  if (row.paging === undefined || (pageSize === undefined && 'limit' in input)) return input;
  const size = pageSize ?? (limit === undefined ? undefined : Math.min(limit, LARGEST_PAGE));
  return size === undefined ? input : { ...input, limit: size };
}

type ListOptions = Pick<PageOptions, 'limit' | 'overlap' | 'onTime'> & {
  readonly row?: Endpoint;
};

const PAGE_FIELDS = ['limit', 'offset', 'page'];

/** Reads lists over one connection. */
function createListReader(
  { note, signal }: ClientSettings,
  addressing: Addressing,
  { where, open }: Connections,
) {
  return (request: WireRequest, { limit, row, overlap, onTime }: ListOptions): AsyncIterable<Page> => {
    const { base } = addressing;
    const within = isOfProject(request, { addressing, row }) ? projectPath(addressing) : undefined;
    const free: Buffer[] = [];
    const read = tellingTime(pageReader({ row: { effect: request.effect }, where }), onTime);
    const reader: typeof read = async (answer) => {
      const reading = await read(answer);
      free.push(Buffer.from(answer.bytes.buffer));
      return reading;
    };
    const load: LoadPage = (target, { signal: stop, onLink }) => {
      const body = target === request.target ? request.body : withoutPlace(request.body);
      const onHead = (head: Buffer): void => {
        const link = linkIn(head);
        if (link !== undefined) onLink(link);
      };
      return send({ ...request, target, body }, reader, open({ signal: stop, onHead, free }));
    };
    return readPages({
      first: request.target,
      load,
      reduce: (link, current) => reduceNext(link, { base, current, within }),
      limit,
      flatten: row?.response === 'page of actors',
      overlap,
      note,
      signal,
    });
  };
}

/** `next` before the rows, after nothing but plain fields. */
const LINK = /^\s*\{(?:\s*"\w+"\s*:\s*(?:\w+|"[^"\\]*")\s*,)*\s*"next"\s*:\s*("(?:[^"\\]|\\.)*")/;

const LONGEST_HEAD = 4096;

/** The link to the next page if it stands at the beginning; the whole page has the last word. */
function linkIn(head: Buffer): string | undefined {
  const [, link] = LINK.exec(head.toString('latin1', 0, LONGEST_HEAD)) ?? [];
  try {
    return link === undefined ? undefined : String(parseText(link));
  } catch {
    // What is no text is met when the page is parsed.
    return undefined;
  }
}

function isOfProject(
  request: WireRequest,
  { addressing, row }: { readonly addressing: Addressing; readonly row: Endpoint | undefined },
): boolean {
  if (row !== undefined) return row.under !== 'service';
  return addressing.projectId !== undefined && request.target.startsWith(`${projectPath(addressing)}/`);
}

/** The `next` link of a POSTed read says where to go on; its body must not say otherwise. */
function withoutPlace(body: string | undefined): string | undefined {
  if (body === undefined) return undefined;
  const entries = Object.entries(asObject(parseText(body)) ?? {}).filter(
    ([name]) => !PAGE_FIELDS.includes(name),
  );
  return JSON.stringify(Object.fromEntries(entries));
}

type Following = {
  readonly base: Base;
  /** Path and query that was asked for, the base's own path included. */
  readonly current: string;
  /** The link must stay under this path; if undefined, on the very path that was asked for. */
  readonly within: string | undefined;
};

/** Far above what servers take; each `%25` in a row takes a look at all of it. */
const LONGEST_LINK = 16_384;

/**
 * A `next` link as path and query on the configured origin, whatever scheme and host it names: behind a proxy the
 * service builds it from an inner address, and the key goes to the configured origin only. Throws an `unavailable`
 * error for a link that is no address or leaves the project.
 */
export function reduceNext(link: string, { base, current, within }: Following): string {
  if (link.length > LONGEST_LINK) throw refusal('the link to the next page is too long');
  const here = new URL(current, base.origin);
  const url = URL.canParse(link, here.href) ? new URL(link, here) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refusal('the link to the next page is not a URL');
  const path = withPrefix(url.pathname, base.prefix);
  const stays =
    within === undefined ? decodeFully(path) === decodeFully(here.pathname) : isWithin(path, within);
  if (!stays) throw refusal('the link to the next page leads out of the project');
  return `${path}${url.search}`;
}

/** A service behind a prefix may not know of it. */
function withPrefix(path: string, prefix: string): string {
  return prefix !== '' && path.startsWith('/api/') ? `${prefix}${path}` : path;
}

/** Compared decoded and segment by segment, so that no encoding of a dot or slash reaches another project. */
function isWithin(path: string, within: string): boolean {
  const root = decodeFully(within).split('/');
  const segments = path.split('/').map((segment) => decodeFully(segment));
  const hidden = segments.some((segment) => /^\.\.?$|[/\\?#\x00-\x1f\x7f]/.test(segment));
  return (
    !hidden && segments.length > root.length && root.every((segment, index) => segments[index] === segment)
  );
}

function refusal(message: string): CliError {
  return new CliError('unavailable', message, {
    hint: 'the list is incomplete: check the links that the service, or a gateway before it, sends',
    outcome: 'not-done',
  });
}

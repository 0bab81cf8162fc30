import { usageError } from '../errors.ts';
import { type AnswerOf, type Endpoint, LARGEST_PAGE } from '../service/endpoint.ts';
import { parseBase } from './addresses.ts';
import {
  type Addressing,
  buildFreeRequest,
  buildRequest,
  type FreeRequest,
  type Values,
  type WireRequest,
} from './build-request.ts';
import type { CallAdditions, Client, ClientSettings, Description, PageOptions } from './client.ts';
import { type ConnectionSettings, createConnection, headersFor } from './connection.ts';
import { createListReader } from './list-reader.ts';
import { chooseProxy } from './proxy.ts';
import { jsonReader, type Reader, rawReader } from './read-answer.ts';
import { send } from './send.ts';

/** A client of one project of one service. Throws a usage error for an address, proxy or key that cannot be used. */
export function createClient(settings: ClientSettings): Client {
  const addressing: Addressing = {
    base: parseBase(settings.base),
    projectId: settings.projectId,
    dialect: settings.dialect,
  };
  if (!/^[\x21-\x7e]+$/.test(settings.key)) {
    throw usageError(
      'the key is empty or holds characters that no key has',
      'copy it again, as one line without spaces',
    );
  }
  const connection = createConnection(connectionSettings(settings, addressing));
  const wire = (row: Endpoint, input: object, additions: CallAdditions = {}): WireRequest =>
    // InputOf types these values row by row; here only their names and JSON values matter.
    withFormat(buildRequest(row, input as Values, { addressing, additions }), additions);
  const free = (request: FreeRequest): WireRequest => buildFreeRequest(request, addressing);
  const describe = (request: WireRequest): Description => ({
    method: request.method,
    url: `${addressing.base.origin}${request.target}`,
    headers: { ...headersFor(request, addressing.base), authorization: 'Bearer ***' },
    body: request.value,
  });
  const list = createListReader({ addressing, connection, note: settings.note, signal: settings.signal });
  return {
    call: async (row, input, additions = {}) => {
      const reader = tellingTime(jsonReader({ row, where: connection.where }), additions.onTime);
      const value = await send(
        wire(row, input, additions),
        reader,
        connection.open({ timeout: additions.timeout, onLost: additions.onLost }),
      );
      // The one place where the wire gets its type: what commands rely on of it has been checked by its shape.
      return value as AnswerOf<typeof row>;
    },
    pages: (row, input, options = {}) =>
      list(wire(row, sized(row, input, options), options), { ...options, row }),
    raw: async (row, input, additions = {}) =>
      send(
        wire(row, input, additions),
        rawReader({ row, where: connection.where }),
        connection.open({ timeout: additions.timeout }),
      ),
    describe: (row, input, additions) => describe(wire(row, input, additions)),
    api: {
      raw: async (request, { timeout } = {}) =>
        send(free(request), async (answer) => ({ value: answer }), connection.open({ timeout })),
      pages: (request, options = {}) => list(free(request), options),
      describe: (request) => describe(free(request)),
    },
    close: () => connection.close(),
  };
}

function connectionSettings(settings: ClientSettings, addressing: Addressing): ConnectionSettings {
  const { key, redact = (text: string): string => text } = settings;
  const proxy = chooseProxy(settings.proxy ?? {}, addressing.base);
  return {
    ...settings,
    base: addressing.base,
    authorities: [settings.ca ?? []].flat(),
    proxy,
    where: {
      host: addressing.base.host,
      projectId: addressing.projectId,
      proxy,
      redact: (text) => redact(text.replaceAll(key, '***')),
    },
  };
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

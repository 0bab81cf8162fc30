import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { noteSql } from './sql-texts.ts';

export { AUTHORITY, readCertificate } from './read-certificate.ts';

/** One request as it arrived. `url` is the raw request target, `json` the parsed body or undefined. */
export type Received = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly json: unknown;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

export type StubAnswer = {
  /** 200 unless said otherwise. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | Uint8Array;
  /** Milliseconds before anything is sent. */
  readonly delay?: number;
  /** What must have happened before anything is sent. */
  readonly after?: Promise<unknown>;
  /** Compressed, with the header that says so. */
  readonly gzip?: true;
  /** Chunked instead of with a declared length. */
  readonly chunked?: true;
  /** The connection is closed after this many bytes of the body. */
  readonly cutAt?: number;
  /** What `cutAt` leaves is never followed by anything: the connection stays open. */
  readonly stall?: true;
  /** The connection is reset before or after `work` is done, without an answer. */
  readonly reset?: 'before' | 'after';
  /** The connection stays open without an answer. */
  readonly never?: true;
  /** What the server does with the request, called unless the connection is reset before it. */
  readonly work?: (received: Received) => void;
};

/** `on` is `METHOD /path` (compared without the query), a pattern for `METHOD /path?query`, or a function. */
export type StubStep = StubAnswer & {
  readonly on?: string | RegExp | ((received: Received) => boolean);
  /** How many requests it answers: one unless said otherwise. */
  readonly times?: number;
  /** Its answer, if that depends on the request. */
  readonly answer?: (received: Received) => StubAnswer;
};

/** A function answers every request that no earlier step takes. */
export type Script = readonly (StubStep | ((received: Received) => StubAnswer))[];

export type Stub = {
  readonly origin: string;
  readonly port: number;
  readonly log: readonly Received[];
  /** Number of connections that were opened. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

export type StubOptions = {
  /** Serves https with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Name in the origin; the server listens on 127.0.0.1 whatever it is. */
  readonly name?: string;
  /** Where requests are written down, for a script that takes some of them out again. */
  readonly log?: Received[];
};

/**
 * A server that answers requests by a script: each takes the first step that matches and is not used up. A request
 * that no step takes is answered 599, so that a test sees it.
 */
export async function startStub(script: Script = [], options: StubOptions = {}): Promise<Stub> {
  const { log = [] } = options;
  const take = takeFrom(script);
  const sockets = new Set<Socket>();
  let opened = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await receive(request);
    log.push(received);
    noteSql(received.json);
    await reply(take(received), received, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => response.destroy());
  };
  const server =
    options.tls === undefined ? createServer(listener) : createSecureServer(options.tls, listener);
  server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server always has an address of this type.
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? 'http' : 'https';
  return {
    origin: `${scheme}://${options.name ?? '127.0.0.1'}:${port}`,
    port,
    log,
    connections: () => opened,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function takeFrom(script: Script): (received: Received) => StubAnswer {
  const left = script.map((step) =>
    typeof step === 'function' ? Number.POSITIVE_INFINITY : (step.times ?? 1),
  );
  return (received) => {
    for (const [index, step] of script.entries()) {
      const remaining = left[index] ?? 0;
      if (remaining <= 0) continue;
      if (typeof step === 'function') return step(received);
      if (!matches(step, received)) continue;
      left[index] = remaining - 1;
      return step.answer?.(received) ?? step;
    }
    return { status: 599, json: { detail: `no step takes ${received.method} ${received.url}` } };
  };
}

function matches(step: StubStep, received: Received): boolean {
  if (step.on === undefined) return true;
  if (typeof step.on === 'function') return step.on(received);
  if (typeof step.on !== 'string') return step.on.test(`${received.method} ${received.url}`);
  return step.on === `${received.method} ${received.url.split('?')[0]}`;
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body,
    json: parsed(body),
    at: Date.now(),
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function reply(answer: StubAnswer, received: Received, response: ServerResponse): Promise<void> {
  if (answer.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delay));
  await answer.after;
  if (answer.reset === 'before') return reset(response);
  answer.work?.(received);
  if (answer.reset === 'after') return reset(response);
  if (answer.never) return;
  const { bytes, headers } = encode(answer);
  const cut = answer.cutAt === undefined ? bytes : bytes.subarray(0, answer.cutAt);
  const status = answer.status ?? 200;
  const bare = status === 204 || status === 304;
  if (!answer.chunked && !bare) headers['content-length'] = String(bytes.length);
  // No date but one that the step gives, so that nothing depends on the day of the test.
  response.sendDate = false;
  response.writeHead(status, headers);
  if (answer.cutAt === undefined) {
    if (!bare) response.write(cut);
    response.end();
    return;
  }
  response.flushHeaders();
  response.write(cut, () => answer.stall || response.socket?.destroySoon());
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function encode(answer: StubAnswer): { bytes: Buffer; headers: Record<string, string> } {
  const type: Record<string, string> =
    answer.json === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, ...answer.headers };
  const content = answer.json === undefined ? (answer.body ?? '') : JSON.stringify(answer.json);
  const bytes = Buffer.from(typeof content === 'string' ? Buffer.from(content) : content);
  if (!answer.gzip) return { bytes, headers };
  return { bytes: gzipSync(bytes), headers: { ...headers, 'content-encoding': 'gzip' } };
}

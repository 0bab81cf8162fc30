import type { Dispatcher, Pool } from 'undici';
import { CliError, changed, usageError } from '../errors.ts';
import type { Environment } from '../system/system.ts';
import type { Base, ProxyRoute, WireRequest } from './build-request.ts';
import type { ClientCertificate, ClientSettings, Undici } from './client.ts';
import { type Answer, type Attempt, attempt, type Sending } from './exchange.ts';
import {
  codeOf,
  failureOf,
  isClientCertificateAlert,
  isNotHttp,
  LARGEST_HEADERS,
  type NetworkFailure,
  NoTunnel,
  schemesIn,
} from './failure.ts';
import { MEGABYTE } from './network-error.ts';

/** Sends requests to one service, each once. */
export type Sender = {
  readonly close: () => Promise<void>;
  readonly sendOnce: (
    request: WireRequest,
    sending: Pick<Sending, 'timeout' | 'signal' | 'onHead' | 'free'>,
  ) => Promise<Attempt>;
};

const LARGEST_ANSWER = 128 * MEGABYTE;

/** A deletion answers with counts, and with the ids that it failed for. */
const LARGEST_SUMMARY = 8 * MEGABYTE;

/** undici is loaded, and the key asked for, with the first request. */
export function createSender(settings: ClientSettings, route: Route): Sender {
  const { key, now, environment = {}, debug, onChange, largestAnswer = LARGEST_ANSWER } = settings;
  const { base } = route;
  const opened: Promise<Opened>[] = [];
  const sendOnce: Sender['sendOnce'] = async (request, sending) => {
    refuseUnverified(environment, route);
    const authorization = `Bearer ${await findKey(key)}`;
    const latest = opened.at(-1) ?? openDispatcher(settings, route);
    if (opened.length === 0) opened.push(latest);
    if (request.effect !== 'read') onChange?.();
    const started = now();
    const { dispatcher, explain, prefix, headers } = await latest;
    const result = explain(
      await attempt(dispatcher, {
        ...request,
        origin: base.origin,
        target: `${prefix}${request.target}`,
        ...sending,
        headers: { ...headersFor(request, base), authorization, ...headers },
        largest: request.effect === 'destroy' ? LARGEST_SUMMARY : largestAnswer,
      }),
    );
    debug?.(traceLine(request, result, now() - started));
    const isForbidden = 'failure' in result && result.failure.reason === 'forbidden';
    if (!isForbidden || base.secure || prefix !== '') return result;
    // Many proxies open tunnels to the port of https only, and take requests without TLS as they are.
    if (opened.at(-1) === latest) opened.push(openDispatcher(settings, { ...route, untunnelled: true }));
    return sendOnce(request, sending);
  };
  const close = async (): Promise<void> => {
    // If opening failed, the request that wanted it was told so.
    for (const one of opened) await one.then(({ dispatcher }) => dispatcher.destroy()).catch(() => undefined);
  };
  return { sendOnce, close };
}

/** With this variable Node accepts any certificate, so that anybody on the way could read the key. */
function refuseUnverified(
  { NODE_TLS_REJECT_UNAUTHORIZED }: Environment,
  { base, proxy }: Pick<Route, 'base' | 'proxy'>,
): void {
  const isSecure = base.secure || proxy?.origin.startsWith('https:');
  if (NODE_TLS_REJECT_UNAUTHORIZED !== '0' || !isSecure) return;
  throw usageError(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate, so others on the network could read the key',
    'unset it, and name the file of the certificate authority with --ca-file or NODE_EXTRA_CA_CERTS',
  );
}

/** If no key is to be had, nothing was sent. */
async function findKey(key: ClientSettings['key']): Promise<string> {
  if (typeof key === 'string') return key;
  try {
    return await key();
  } catch (failure) {
    throw failure instanceof CliError ? changed(failure, { outcome: 'not-done' }) : failure;
  }
}

/** The headers of a request without the key. Packing is not worth its time on the same computer. */
export function headersFor(request: WireRequest, base: Base): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    ...(base.loopback ? {} : { 'accept-encoding': 'gzip' }),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': 'hogctl',
    ...request.headers,
  };
}

/** One line per request for `--debug`: no key, no body, and of the query only the names. */
function traceLine(sent: WireRequest, attempt: Attempt, milliseconds: number): string {
  const size = sent.body === undefined ? '' : ` (${Buffer.byteLength(sent.body)} bytes)`;
  const result = 'answer' in attempt ? describe(attempt.answer) : `no answer: ${why(attempt.failure)}`;
  return `${sent.method} ${maskQuery(sent.target)}${size} -> ${result}, ${Math.round(milliseconds)} ms`;
}

function why({ reason, cause, atProxy }: NetworkFailure): string {
  const detail = cause instanceof NoTunnel ? cause.status : plainReason(cause);
  return `${reason}${detail === undefined ? '' : ` (${detail})`}${atProxy ? ', at the proxy' : ''}`;
}

function plainReason(cause: unknown): string | undefined {
  return isNotHttp(cause) && cause instanceof Error ? cause.message : codeOf(cause) || undefined;
}

function describe({ status, headers, bytes }: Answer): string {
  return `${status} ${headers['content-type'] ?? '-'} ${bytes.length} bytes`;
}

/** Path segments stay, except those that could name a person; values of the query never do. */
function maskQuery(target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s);
  const masked = path.replace(/(\/persons\/)([^/]+)(?=\/)/, (whole, lead: string, id: string) =>
    /^\d|^[0-9a-f]{8}-/i.test(id) ? `${lead}***` : whole,
  );
  if (query === undefined) return masked;
  const names = query.split('&').map((part) => `${part.split('=')[0]}=***`);
  return `${masked}?${names.join('&')}`;
}

/** The connections to one service. */
type Opened = {
  readonly dispatcher: Dispatcher;
  /** What a request needs beside its own: a proxy that opens no tunnel reads the whole address. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Says of an attempt what its answer alone does not: whether there was a connection, and who answered. */
  readonly explain: (attempt: Attempt) => Attempt;
};

type Route = {
  readonly base: Base;
  readonly proxy: ProxyRoute | undefined;
  /** Hands requests to the proxy as they are, for one that opens no tunnel. */
  readonly untunnelled?: boolean;
};

const CONNECT_MILLISECONDS = 10_000;

/** Our own deadline ends requests, so undici's limits of 300 seconds are switched off. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: LARGEST_HEADERS } as const;

/** Loads undici and opens a pool, or an agent for a proxy. Throws a usage error for a certificate it cannot read. */
async function openDispatcher(settings: ClientSettings, route: Route): Promise<Opened> {
  const { ca = [], certificate, loadUndici = () => import('undici') } = settings;
  const connectTo = async (shown: ClientCertificate | undefined) => {
    const trust =
      ca.length === 0 && shown === undefined ? {} : (await import('./trust.ts')).readTrust(ca, shown);
    return { timeout: CONNECT_MILLISECONDS, ...trust };
  };
  const { base, proxy, untunnelled = false } = route;
  const direct = { prefix: '', headers: {} };
  if (proxy === undefined) {
    const toService = await connectTo(certificate);
    const undici = await loadUndici();
    const { watched, explain } = watchSockets();
    const connect = watched(undici.buildConnector(toService));
    return { ...direct, dispatcher: new undici.Pool(base.origin, { ...LIMITS, connect }), explain };
  }
  const toProxy = await connectTo(undefined);
  const toService = certificate === undefined ? toProxy : await connectTo(certificate);
  const undici = await loadUndici();
  if (untunnelled) return handingOver(undici, { base, proxy, connect: undici.buildConnector(toProxy) });
  const { watched, explain } = watchSockets();
  const dispatcher = new undici.ProxyAgent({
    ...LIMITS,
    uri: proxy.origin,
    requestTls: toService,
    proxyTls: toProxy,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    // The types of both say of the options only that they are an object.
    clientFactory: (url, options: Connecting) =>
      tellingRefusals(new undici.Pool(url, { ...LIMITS, ...options })),
    factory: (origin, options: Connecting) =>
      new undici.Pool(origin, { ...options, connect: watched(options.connect) }),
  });
  return { ...direct, dispatcher, explain };
}

type Connector = ReturnType<Undici['buildConnector']>;

type Connecting = { readonly connect: Connector };

/** undici tells a status of a proxy in its message only, and mixes the failures of proxy and service. */
function tellingRefusals(pool: Pool): Pool {
  const open = pool.connect.bind(pool);
  const connect = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const answer = await open(options).catch((cause: unknown) => {
      throw new NoTunnel({ cause });
    });
    const { statusCode: status, headers, socket } = answer;
    if (status === 200) return answer;
    socket.on('error', () => undefined).destroy();
    throw new NoTunnel({ status, schemes: schemesIn(headers['proxy-authenticate']) });
  };
  return Object.assign(pool, { connect });
}

type HandingOver = { readonly base: Base; readonly proxy: ProxyRoute; readonly connect: Connector };

/** Requests to a service without TLS as a proxy takes them that opens tunnels for https only. */
function handingOver(undici: Undici, { base, proxy, connect }: HandingOver): Opened {
  const { watched, explain } = watchSockets({ toProxy: true });
  const login = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization };
  return {
    dispatcher: new undici.Pool(proxy.origin, { ...LIMITS, connect: watched(connect) }),
    prefix: base.origin,
    headers: { host: base.host, ...login },
    explain: (attempt) => {
      if (!('answer' in attempt) || attempt.answer.status !== 407) return explain(attempt);
      const schemes = schemesIn(attempt.answer.headers['proxy-authenticate']);
      return { failure: failureOf(new NoTunnel({ status: 407, schemes })) };
    },
  };
}

/**
 * A server that refuses the certificate of its client says so after the client has taken the handshake for done. undici
 * then only tells that the other side has closed, and names the port.
 */
function watchSockets({ toProxy = false } = {}): {
  watched(connector: Connector): Connector;
  explain: Opened['explain'];
} {
  const unconnected = new WeakSet<Error>();
  const alerts = new Map<number | undefined, Error>();
  const explain = (result: Attempt): Attempt => {
    if (!('failure' in result)) return result;
    const { failure } = result;
    const { cause, reason } = failure;
    if (!(cause instanceof Error)) return result;
    if (unconnected.has(cause))
      return {
        failure: { ...failure, reason: reason === 'lost' ? 'unreachable' : reason, atProxy: toProxy },
      };
    const alert = reason === 'lost' ? alerts.get(portOf(cause)) : undefined;
    return alert === undefined ? result : { failure: failureOf(alert) };
  };
  const watched =
    (connector: Connector): Connector =>
    (options, done) =>
      connector(options, (...[failure, socket]) => {
        if (failure !== null) {
          // Of a tunnel that was not opened the failure says so itself.
          if (!(failure instanceof NoTunnel)) unconnected.add(failure);
          done(failure, null);
          return;
        }
        const { localPort } = socket;
        socket.once('error', (alert) => {
          if (isClientCertificateAlert(alert)) alerts.set(localPort, alert);
        });
        done(null, socket);
      });
  return { watched, explain };
}

function portOf(cause: Error): number | undefined {
  const socket = 'socket' in cause ? cause.socket : undefined;
  if (typeof socket !== 'object' || socket === null || !('localPort' in socket)) return undefined;
  return typeof socket.localPort === 'number' ? socket.localPort : undefined;
}

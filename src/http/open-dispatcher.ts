import type { Dispatcher, Pool } from 'undici';
import type { Base } from './build-request.ts';
import type { ProxyRoute } from './choose-proxy.ts';
import type { ClientCertificate, ClientSettings, Undici } from './client.ts';
import type { Attempt } from './exchange.ts';
import { failureOf, isClientCertificateAlert, LARGEST_HEADERS, NoTunnel, schemesIn } from './failure.ts';

/** The connections to one service. */
export type Opened = {
  readonly dispatcher: Dispatcher;
  /** What a request needs beside its own: a proxy that opens no tunnel reads the whole address. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Says of an attempt what its answer alone does not: whether there was a connection, and who answered. */
  readonly explain: (attempt: Attempt) => Attempt;
};

export type Route = {
  readonly base: Base;
  readonly proxy: ProxyRoute | undefined;
  /** Hands requests to the proxy as they are, for one that opens no tunnel. */
  readonly untunnelled?: boolean;
};

const CONNECT_MILLISECONDS = 10_000;

/** Our own deadline ends requests, so undici's limits of 300 seconds are switched off. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: LARGEST_HEADERS } as const;

/** Loads undici and opens a pool, or an agent for a proxy. Throws a usage error for a certificate it cannot read. */
export async function openDispatcher(settings: ClientSettings, route: Route): Promise<Opened> {
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

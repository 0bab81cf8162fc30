import type { SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { usageError } from '../errors.ts';
import type { Base, ProxyRoute, WireRequest } from './build-request.ts';
import type { ClientCertificate, ClientSettings, Undici } from './client.ts';
import { type Answer, type Attempt, attempt } from './exchange.ts';
import { isClientCertificateAlert, MEGABYTE } from './network-error.ts';
import type { Connection } from './send.ts';

export type ConnectionSettings = Pick<Connection, 'where'> &
  Omit<ClientSettings, 'base' | 'projectId' | 'dialect' | 'proxy' | 'ca' | 'redact'> & {
    readonly base: Base;
    readonly proxy: ProxyRoute | undefined;
    /** PEM texts that are trusted beside the certificates that Node carries. */
    readonly authorities: readonly string[];
  };

type Opening = {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLost?: (() => void) | undefined;
  /** Shown the first bytes of a 2xx body that goes on. */
  readonly onHead?: ((head: Buffer) => void) | undefined;
};

const TIMEOUT_MILLISECONDS = 60_000;

const RETRIES = 4;

const LARGEST_ANSWER = 128 * MEGABYTE;

/** A deletion answers with counts, and with the ids that it failed for. */
const LARGEST_SUMMARY = 8 * MEGABYTE;

/** The connections to one service. undici is loaded with the first request. */
export function createConnection(settings: ConnectionSettings) {
  let opened: Promise<Opened> | undefined;
  const open = (): Promise<Opened> => {
    opened ??= openDispatcher(settings);
    return opened;
  };
  return {
    where: settings.where,
    open: (opening: Opening): Connection => openConnection(settings, opening, open),
    async close(): Promise<void> {
      // Where opening failed, the request that wanted it was told so.
      const { dispatcher } = (await opened?.catch(() => undefined)) ?? {};
      await dispatcher?.destroy();
    },
  };
}

function openConnection(
  settings: ConnectionSettings,
  opening: Opening,
  open: () => Promise<Opened>,
): Connection {
  const { base, now } = settings;
  const timeout = opening.timeout ?? settings.timeout ?? TIMEOUT_MILLISECONDS;
  const signals = [settings.signal, opening.signal].filter((signal) => signal !== undefined);
  const signal = signals.length < 2 ? signals[0] : AbortSignal.any(signals);
  return {
    origin: base.origin,
    where: settings.where,
    timeout,
    retries: settings.retries ?? RETRIES,
    wait: settings.wait,
    random: settings.random,
    now,
    note: settings.note,
    onLost: opening.onLost,
    signal,
    waitSignal: settings.waitSignal,
    attempt: async (request) => {
      const started = now();
      const { dispatcher, explain } = await open();
      const result = explain(
        await attempt(dispatcher, {
          origin: base.origin,
          // The methods of rows and of free requests are a closed list, each of which undici knows.
          method: request.method as Dispatcher.HttpMethod,
          target: request.target,
          headers: { ...headersFor(request, base), authorization: `Bearer ${settings.key}` },
          body: request.body,
          timeout,
          signal,
          proxied: settings.proxy !== undefined,
          largest:
            request.effect === 'destroy' ? LARGEST_SUMMARY : (settings.largestAnswer ?? LARGEST_ANSWER),
          onHead: opening.onHead,
        }),
      );
      settings.debug?.(traceLine(request, result, now() - started));
      return result;
    },
  };
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

type Opened = {
  readonly dispatcher: Dispatcher;
  /** Says of a lost connection what only its socket was told. */
  readonly explain: (attempt: Attempt) => Attempt;
};

const CONNECT_MILLISECONDS = 10_000;

/** Our own deadline ends requests, so undici's limits of 300 seconds are switched off. */
const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Loads undici and opens a pool, or an agent for a proxy. Throws a usage error for a certificate it cannot read. */
async function openDispatcher(settings: ConnectionSettings): Promise<Opened> {
  const { base, proxy, certificate } = settings;
  const connectTo = async (shown: ClientCertificate | undefined) => ({
    timeout: CONNECT_MILLISECONDS,
    ...(await readTrust(settings.authorities, shown)),
  });
  const toService = await connectTo(certificate);
  const undici = await (settings.loadUndici?.() ?? import('undici'));
  const { watched, explain } = watchSockets();
  if (proxy === undefined) {
    const connect = watched(undici.buildConnector(toService));
    return { dispatcher: new undici.Pool(base.origin, { ...NO_LIMITS, connect }), explain };
  }
  const dispatcher = new undici.EnvHttpProxyAgent({
    ...NO_LIMITS,
    httpProxy: proxy.origin,
    httpsProxy: proxy.origin,
    // Whether the proxy applies was decided before; empty keeps undici from reading the environment.
    noProxy: '',
    requestTls: toService,
    proxyTls: certificate === undefined ? toService : await connectTo(undefined),
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
    // Its types say of the options only that they are an object; the agent's own `connect` makes tunnels.
    factory: (origin, options: { readonly connect: Connector }) =>
      new undici.Pool(origin, { ...options, connect: watched(options.connect) }),
  });
  return { dispatcher, explain };
}

type Connector = ReturnType<Undici['buildConnector']>;

/**
 * A server that refuses the certificate of its client says so after the client has taken the handshake for done. undici
 * then only tells that the other side has closed, and names the port.
 */
function watchSockets(): { watched(connector: Connector): Connector; explain: Opened['explain'] } {
  const unconnected = new WeakSet<Error>();
  const alerts = new Map<number | undefined, Error>();
  const explain = (result: Attempt): Attempt => {
    if (!('failure' in result) || result.failure.reason !== 'lost') return result;
    const { cause } = result.failure;
    if (!(cause instanceof Error)) return result;
    if (unconnected.has(cause)) return { failure: { reason: 'unreachable', cause } };
    const alert = alerts.get(portOf(cause));
    return alert === undefined ? result : { failure: { reason: 'handshake', cause: alert } };
  };
  const watched =
    (connector: Connector): Connector =>
    (options, done) =>
      connector(options, (...[failure, socket]) => {
        if (failure !== null) {
          unconnected.add(failure);
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

type Trust = { readonly secureContext?: SecureContext; readonly ca?: string[] };

/** What is trusted beside the certificates that Node carries, and what is shown. */
async function readTrust(
  authorities: readonly string[],
  certificate: ClientCertificate | undefined,
): Promise<Trust & Partial<ClientCertificate>> {
  if (authorities.length === 0 && certificate === undefined) return {};
  const [tls, { X509Certificate }] = await Promise.all([import('node:tls'), import('node:crypto')]);
  for (const text of authorities) {
    // Such files hold remarks too, before, between and behind what counts.
    const certificates = text
      .split(/(?<=-----END [A-Z ]+-----)/)
      .filter((part) => part.includes('-----BEGIN'));
    try {
      if (certificates.length === 0) throw new Error('it holds no certificate');
      // TLS skips what it cannot read without a word.
      for (const certificate of certificates) new X509Certificate(certificate);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw usageError(
        `the certificate file cannot be read: ${reason}`,
        'give --ca-file or NODE_EXTRA_CA_CERTS a file in PEM form',
      );
    }
  }
  if (certificate !== undefined) checkCertificate(tls, certificate);
  if (authorities.length === 0) return { ...certificate };
  return addToTrust(tls, authorities, certificate);
}

function checkCertificate(tls: typeof import('node:tls'), certificate: ClientCertificate): void {
  try {
    tls.createSecureContext(certificate);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error:.*:/, '') : String(cause);
    throw usageError(
      `the client certificate cannot be used: ${reason}`,
      'give --client-cert a certificate and --client-key its key, both in PEM form and without a password',
    );
  }
}

/**
 * `ca` replaces the certificates that Node carries, and to name all of them again beside ours takes as long as the rest
 * of a command. A context that has them can be given more, by a method of every version of Node that no document names;
 * if it should be missing, `ca` is the way.
 */
function addToTrust(
  tls: typeof import('node:tls'),
  authorities: readonly string[],
  certificate: ClientCertificate | undefined,
): Trust & Partial<ClientCertificate> {
  const secureContext = tls.createSecureContext(certificate);
  const { context } = secureContext;
  if (canAdd(context)) {
    for (const text of authorities) context.addCACert(text);
    return { secureContext };
  }
  // Newer versions of Node tell all that they trust, NODE_EXTRA_CA_CERTS included; older ones only what they carry.
  const known =
    'getCACertificates' in tls && typeof tls.getCACertificates === 'function'
      ? tls.getCACertificates()
      : undefined;
  return { ca: [...(known ?? tls.rootCertificates), ...authorities], ...certificate };
}

function canAdd(context: unknown): context is { addCACert(text: string): void } {
  return (
    typeof context === 'object' &&
    context !== null &&
    'addCACert' in context &&
    typeof context.addCACert === 'function'
  );
}

/** One line per request for `--debug`: no key, no body, and of the query only the names. */
function traceLine(
  sent: { readonly method: string; readonly target: string; readonly body: string | undefined },
  attempt: Attempt,
  milliseconds: number,
): string {
  const size = sent.body === undefined ? '' : ` (${Buffer.byteLength(sent.body)} bytes)`;
  const result = 'answer' in attempt ? describe(attempt.answer) : `no answer: ${attempt.failure.reason}`;
  return `${sent.method} ${maskQuery(sent.target)}${size} -> ${result}, ${Math.round(milliseconds)} ms`;
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

import { CliError, changed, usageError } from '../errors.ts';
import type { Environment } from '../system/system.ts';
import type { Base, WireRequest } from './build-request.ts';
import type { ClientSettings } from './client.ts';
import { type Answer, type Attempt, attempt, type Sending } from './exchange.ts';
import { codeOf, isNotHttp, type NetworkFailure, NoTunnel } from './failure.ts';
import { MEGABYTE } from './network-error.ts';
import { type Opened, openDispatcher, type Route } from './open-dispatcher.ts';

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
  const { key, now, environment = {}, debug, largestAnswer = LARGEST_ANSWER } = settings;
  const { base } = route;
  const opened: Promise<Opened>[] = [];
  const sendOnce: Sender['sendOnce'] = async (request, sending) => {
    refuseUnverified(environment, route);
    const authorization = `Bearer ${await findKey(key)}`;
    const latest = opened.at(-1) ?? openDispatcher(settings, route);
    if (opened.length === 0) opened.push(latest);
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
    'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate, so anybody on the way could read the key',
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

import { CliError, type ErrorKind, type Outcome } from '../errors.ts';
import type { Endpoint } from '../service/endpoint.ts';
import type { ProxyRoute } from './build-request.ts';

const CERTIFICATES: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it is signed by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'it is signed by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it is signed by an authority that is not trusted here',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it has been revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
};

/** What to do if no other authority would help. */
const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'check the clock of this computer, or tell the people who run the service',
  CERT_NOT_YET_VALID: 'check the clock of this computer, or tell the people who run the service',
  CERT_REVOKED: 'tell the people who run the service',
  ERR_TLS_CERT_ALTNAME_INVALID: 'check the host: the certificate says which names it is for',
};

/** What people take for one. */
export const MEGABYTE = 1_000_000;

type Failed = {
  readonly effect: Endpoint['effect'];
  readonly where: RequestContext;
  /** Milliseconds that the request was given. */
  readonly timeout: number;
};

/** A request without a whole answer as an error: what happened in plain words, and whether the work may be done. */
export function toNetworkError(failure: NetworkFailure, { effect, where, timeout }: Failed): CliError {
  const before = isBeforeSending(failure.reason);
  const [what, hint] = describe(failure, where, timeout);
  const kind = kindOf(failure.reason, effect);
  return new CliError(kind, `${what}${viaProxy(where.proxy)}`, {
    hint: kind === 'partial' || (effect === 'write' && !before) ? UNKNOWN_HINT : hint,
    status: failure.status,
    outcome: before ? 'not-done' : inDoubt(effect),
    cause: failure.cause,
  });
}

/** A write that may have been done is not simply to be tried later. */
function kindOf(reason: FailureReason, effect: Endpoint['effect']): ErrorKind {
  if (reason === 'interrupted') return 'interrupted';
  // A deletion is sent again if its answer was lost; one that is too large would be too large again.
  if (reason === 'too large') return effect === 'read' ? 'unavailable' : 'partial';
  return effect === 'write' && !isBeforeSending(reason) ? 'partial' : 'unavailable';
}

type Description = readonly [what: string, hint: string];

function describe(failure: NetworkFailure, { host, proxy }: RequestContext, timeout: number): Description {
  const { reason, cause, bytes = 0, status = 0 } = failure;
  const network =
    proxy === undefined ? 'check the host and the network' : `check the URL in ${proxy.variable}`;
  // Everything goes through a tunnel of the proxy, so no other host is connected to.
  const nearest = proxy === undefined ? host : 'the proxy';
  const named = proxy === undefined ? host : new URL(proxy.origin).hostname;
  const answer = `the answer of ${host}`;
  const place = `(status ${status})`;
  const descriptions: Readonly<Record<FailureReason, Description>> = {
    refused: [`${nearest} refused the connection`, network],
    unreachable: [`${nearest} cannot be reached: ${plain(cause)}`, network],
    name: [`the host ${named} was not found`, network],
    certificate: describeCertificate(cause, host),
    handshake: describeHandshake(cause, host),
    proxy: [
      `the proxy refused a tunnel to ${host}${proxyStatus(cause)}`,
      `check the URL and credentials in ${proxy?.variable ?? 'the proxy variable'}`,
    ],
    lost: [`the connection to ${host} was lost before an answer came`, 'try again later'],
    cut: [`${answer} was cut off ${place}`, 'try again later'],
    packing: [
      `${answer} cannot be decompressed ${place}`,
      'check the proxies and gateways between here and the service',
    ],
    timeout: [
      `${host} did not answer completely within ${seconds(timeout)}`,
      'allow more time with --timeout, or ask for less',
    ],
    'too large': [
      `${answer} is larger than ${bytes / MEGABYTE} MB ${place}`,
      status >= 200 && status < 300
        ? 'ask for less at once, or allow more with --max-answer'
        : 'an error is never this large: check the host and the proxies before it',
    ],
    interrupted: [`the request to ${host} was interrupted`, 'run it again to start over'],
  };
  return descriptions[reason];
}

function describeCertificate(cause: unknown, host: string): Description {
  const code = codeOf(cause);
  return [
    `the certificate of ${host} is not accepted: ${CERTIFICATES[code] ?? plain(cause)} (${code})`,
    CERTIFICATE_HINTS[code] ??
      'name the file of the certificate authority with --ca-file or NODE_EXTRA_CA_CERTS',
  ];
}

/** What a server says before it reads a request, of the certificate that it wants of its clients. */
const CLIENT_CERTIFICATE = /_ALERT_(\w{0,40}CERTIFICATE\w{0,40}|UNKNOWN_CA|ACCESS_DENIED)$/;

export const CLIENT_CERTIFICATE_HINT = 'give one with --client-cert and --client-key';

/** Never a reason to leave https, which would send the key in clear text. */
function describeHandshake(cause: unknown, host: string): Description {
  const code = codeOf(cause);
  if (code.endsWith('_ALERT_CERTIFICATE_REQUIRED'))
    return [`${host} requires a client certificate (${code})`, CLIENT_CERTIFICATE_HINT];
  if (CLIENT_CERTIFICATE.test(code))
    return [
      `${host} does not accept the client certificate (${code})`,
      'check --client-cert, and that the service trusts the authority that issued it',
    ];
  if (code.endsWith('_ALERT_HANDSHAKE_FAILURE'))
    return [
      `${host} refused the secure connection (${code})`,
      `if it requires a client certificate, ${CLIENT_CERTIFICATE_HINT}`,
    ];
  return [
    `no secure connection to ${host}: ${plain(cause)}`,
    'check the host and port: the server there does not speak https',
  ];
}

/** Whether the server ended the handshake because of the certificate of its client. */
export function isClientCertificateAlert(cause: unknown): boolean {
  return CLIENT_CERTIFICATE.test(codeOf(cause));
}

function plain(cause: unknown): string {
  return codeOf(cause) || (cause instanceof Error ? cause.message : String(cause));
}

/** undici tells the proxy's status in its message only. */
function proxyStatus(cause: unknown): string {
  const status = cause instanceof Error ? /\((\d{3})\)/.exec(cause.message)?.[1] : undefined;
  if (status === undefined) return '';
  return status === '407' ? ' (407, it requires credentials)' : ` (${status})`;
}

/** `1.5 s`, `2 min`, `3 h`, `more than a year`. */
export function seconds(milliseconds: number): string {
  const exact = milliseconds / 1000;
  if (exact < 120) return `${Math.round(exact * 10) / 10} s`;
  if (exact < 7200) return `${Math.round(exact / 60)} min`;
  return exact < 31_536_000 ? `${Math.round(exact / 3600)} h` : 'more than a year';
}

/**
 * - `refused`, `unreachable`: no connection, another try may get one
 * - `name`, `certificate`, `handshake`, `proxy`: no connection, and another try would meet the same
 * - `lost`: no answer came, `cut`: it broke off; the work may have been done
 * - `packing`: the answer cannot be unpacked, nor could the next one
 * - `timeout`, `interrupted`, `too large`: ended from our side
 */
export type FailureReason =
  | 'refused'
  | 'unreachable'
  | 'name'
  | 'certificate'
  | 'handshake'
  | 'proxy'
  | 'lost'
  | 'cut'
  | 'packing'
  | 'timeout'
  | 'interrupted'
  | 'too large';

/** Why there is no whole answer. `status` is there if the headers came before the body broke. */
export type NetworkFailure = {
  readonly reason: FailureReason;
  readonly cause: unknown;
  readonly status?: number | undefined;
  /** How many bytes would have been taken. */
  readonly bytes?: number;
};

const REASONS: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EAI_AGAIN: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  ENOTFOUND: 'name',
  EPROTO: 'handshake',
  UND_ERR_PRX_TLS: 'certificate',
};

const CERTIFICATE = /CERT|SIGNATURE|CRL|^INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH/;

/** The reason of an error that came before any answer. */
export function failureReasonOf(cause: unknown, proxied: boolean): FailureReason {
  const code = codeOf(cause);
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT' && syscallOf(cause) === 'connect') return 'unreachable';
  if (CLIENT_CERTIFICATE.test(code)) return 'handshake';
  if (CERTIFICATE.test(code)) return 'certificate';
  if (/^ERR_(SSL|TLS)_/.test(code)) return 'handshake';
  // Our own aborts are told apart before, so with a proxy this is its refusal to open a tunnel.
  if (code === 'UND_ERR_ABORTED' && proxied) return 'proxy';
  return 'lost';
}

/** Whether the failure is known to have come before the request was written. */
export function isBeforeSending(reason: FailureReason): boolean {
  return /^(refused|unreachable|name|certificate|handshake|proxy)$/.test(reason);
}

/** The code of a system, TLS or undici error, of its first part if several addresses were tried. */
export function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  if ('errors' in cause && Array.isArray(cause.errors)) return codeOf(cause.errors[0]);
  return '';
}

function syscallOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'syscall' in cause ? cause.syscall : undefined;
}

/** What error messages say about where a request went. */
export type RequestContext = {
  readonly host: string;
  readonly projectId: string | undefined;
  readonly proxy: ProxyRoute | undefined;
  /** Takes keys out of the service's own words. */
  readonly redact: (text: string) => string;
};

/** ` (through the proxy http://proxy:3128 of HTTPS_PROXY)`, or nothing. */
export function viaProxy(proxy: ProxyRoute | undefined): string {
  return proxy === undefined ? '' : ` (through the proxy ${proxy.origin} of ${proxy.variable})`;
}

/** A read changes nothing, so only writes and deletions can be in doubt. */
export function inDoubt(effect: Endpoint['effect']): Outcome {
  return effect === 'read' ? 'not-done' : 'unknown';
}

export const UNKNOWN_HINT = 'the outcome is unknown: check what was changed before you repeat it';

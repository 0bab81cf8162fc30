import { CliError, type ErrorKind, type Outcome } from '../errors.ts';
import type { Endpoint } from '../service/endpoint.ts';
import type { ProxyRoute } from './build-request.ts';
import {
  codeOf,
  type FailureReason,
  isBeforeSending,
  isClientCertificateAlert,
  LARGEST_HEADERS,
  type NetworkFailure,
  NoTunnel,
} from './failure.ts';

const UNKNOWN_AUTHORITY = 'it is signed by an authority that is not trusted here';

const CERTIFICATES: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate that signed it is neither trusted here nor sent with it',
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it has been revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
};

const NAME_AUTHORITY = 'name the file of the certificate authority with --ca-file or NODE_EXTRA_CA_CERTS';

/** What to do if no other authority would help, or not that alone. */
const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${NAME_AUTHORITY}; if the server leaves out its intermediate certificate, put that into the same file`,
  CERT_HAS_EXPIRED: 'check the clock of this computer, or tell the people who run the server',
  CERT_NOT_YET_VALID: 'check the clock of this computer, or tell the people who run the server',
  CERT_REVOKED: 'tell the people who run the server',
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
  const before = isBeforeSending(failure);
  const [what, hint] = describe(failure, where, timeout);
  const kind = kindOf(failure, effect);
  return new CliError(kind, `${what}${viaProxy(where.proxy)}`, {
    hint: kind === 'partial' || (effect === 'write' && !before) ? UNKNOWN_HINT : hint,
    status: failure.status,
    outcome: before ? 'not-done' : inDoubt(effect),
    cause: failure.cause,
  });
}

/** A write that may have been done is not simply to be tried later. */
function kindOf(failure: NetworkFailure, effect: Endpoint['effect']): ErrorKind {
  if (failure.reason === 'interrupted') return 'interrupted';
  // Whoever sent a deletion may look and send it again; one that is too large would be too large again.
  if (failure.reason === 'too large') return effect === 'read' ? 'unavailable' : 'partial';
  return effect === 'write' && !isBeforeSending(failure) ? 'partial' : 'unavailable';
}

type Description = readonly [what: string, hint: string];

type Words = Readonly<Record<FailureReason, Description>>;

function describe(
  failure: NetworkFailure,
  { host, proxy, untrusted }: RequestContext,
  timeout: number,
): Description {
  const { reason, cause, atProxy = false, bytes = 0, status = 0 } = failure;
  const variable = proxy?.variable ?? 'the proxy variable';
  const party = atProxy ? 'the proxy' : host;
  const network = atProxy ? `check the URL in ${variable}` : 'check the host and the network';
  const named = atProxy && proxy !== undefined ? new URL(proxy.origin).hostname : host;
  const answer = `the answer of ${party}`;
  const place = `(status ${status})`;
  const words: Words = {
    refused: [`${party} refused the connection`, network],
    unreachable: [`${party} cannot be reached: ${plain(cause)}`, network],
    name: [`the host ${named} was not found`, network],
    certificate: describeCertificate(cause, party, untrusted),
    handshake: describeHandshake(cause, { party, atProxy, variable }),
    ...wordsOfProxy(cause, { host, variable }),
    lost: [`the connection to ${party} was lost before an answer came`, 'try again later'],
    cut: [`${answer} was cut off ${place}`, 'try again later'],
    'not http': [`${party} answered something that is not HTTP${inBrackets(cause)}`, AMISS],
    headers: [`${answer} has headers of more than ${LARGEST_HEADERS / 1024} KB`, AMISS],
    packing: [`${answer} cannot be unpacked: ${cause instanceof Error ? cause.message : ''} ${place}`, AMISS],
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
  return words[reason];
}

const AMISS = 'check the host and port, and the proxies and gateways between here and the service';

type ByProxy = { readonly host: string; readonly variable: string };

/** What a proxy says about a request that it did not carry. */
function wordsOfProxy(
  cause: unknown,
  { host, variable }: ByProxy,
): Pick<Words, 'no way' | 'forbidden' | 'credentials'> {
  const { status, schemes } = cause instanceof NoTunnel ? cause : { status: undefined, schemes: [] };
  const place = status === undefined ? '' : ` (${status})`;
  const isKnown = schemes.length === 0 || schemes.some((scheme) => /^basic$/i.test(scheme));
  const asked = schemes.length === 0 ? '' : `, by ${schemes.join(' or ')}`;
  return {
    'no way': [`the proxy could not reach ${host}${place}`, 'check the host and port, or try again later'],
    forbidden: [
      `the proxy does not permit ${host}${place}`,
      `ask the people who run the proxy to permit this host and port, or check the URL in ${variable}`,
    ],
    credentials: [
      `the proxy requires a login${asked} (407)`,
      isKnown
        ? `give a name and password in ${variable}, or check them: http://name:password@proxy:3128`
        : 'hogctl can only log in with Basic: ask for that, or put a proxy of your own before it that can do the other',
    ],
  };
}

function describeCertificate(
  cause: unknown,
  party: string,
  untrusted: RequestContext['untrusted'],
): Description {
  const code = codeOf(cause);
  const hint = CERTIFICATE_HINTS[code] ?? NAME_AUTHORITY;
  return [
    `the certificate of ${party} is not accepted: ${CERTIFICATES[code] ?? plain(cause)} (${code})`,
    (hint.startsWith(NAME_AUTHORITY) ? untrusted?.() : undefined) ?? hint,
  ];
}

export const CLIENT_CERTIFICATE_HINT = 'give one with --client-cert and --client-key';

export const REFUSED_CERTIFICATE_HINT =
  'check --client-cert, and that the service trusts the authority that issued it';

/** Alerts and errors of a handshake between versions of TLS of which none is spoken by both sides. */
const OLD_VERSION = /_(PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|INAPPROPRIATE_FALLBACK|VERSION_TOO_LOW)$/;

type Handshake = { readonly party: string; readonly atProxy: boolean; readonly variable: string };

/** Never a reason to leave https, which would send the key in clear text. */
function describeHandshake(cause: unknown, { party, atProxy, variable }: Handshake): Description {
  const code = codeOf(cause);
  if (code.endsWith('_ALERT_CERTIFICATE_REQUIRED'))
    return [`${party} requires a client certificate (${code})`, CLIENT_CERTIFICATE_HINT];
  if (isClientCertificateAlert(cause))
    return [`${party} does not accept the client certificate (${code})`, REFUSED_CERTIFICATE_HINT];
  if (code.endsWith('_ALERT_HANDSHAKE_FAILURE'))
    return [
      `${party} refused the secure connection (${code})`,
      `if it requires a client certificate, ${CLIENT_CERTIFICATE_HINT}`,
    ];
  if (OLD_VERSION.test(code))
    return [
      `${party} speaks no version of TLS that is used here (${code})`,
      'tell the people who run it: it has to speak TLS 1.2 or 1.3',
    ];
  return [
    `no secure connection to ${party}: ${plain(cause)}`,
    atProxy
      ? `check the URL in ${variable}: if the proxy does not speak https, it begins with http://`
      : 'check the host and port: the server there does not speak https',
  ];
}

/** The parser's own reason, which stands in brackets. */
function inBrackets(cause: unknown): string {
  const reason = cause instanceof Error ? /\([^()]+\)$/.exec(cause.message)?.[0] : undefined;
  return reason === undefined ? '' : ` ${reason}`;
}

function plain(cause: unknown): string {
  return codeOf(cause) || (cause instanceof Error ? cause.message : String(cause));
}

/** `1.5 s`, `2 min`, `3 h`, `more than a year`. */
export function seconds(milliseconds: number): string {
  const exact = milliseconds / 1000;
  if (exact < 120) return `${Math.round(exact * 10) / 10} s`;
  if (exact < 7200) return `${Math.round(exact / 60)} min`;
  return exact < 31_536_000 ? `${Math.round(exact / 3600)} h` : 'more than a year';
}

/** What error messages say about where a request went. */
export type RequestContext = {
  readonly host: string;
  readonly projectId: string | undefined;
  readonly proxy: ProxyRoute | undefined;
  /** Why authorities that somebody named are not trusted. */
  readonly untrusted?: (() => string | undefined) | undefined;
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

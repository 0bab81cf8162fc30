/** Bytes that the headers of one answer may have: gateways add cookies of their own. */
export const LARGEST_HEADERS = 64 * 1024;

/** What is known of a failure: whether the request had been sent, and whether another try may end otherwise. */
type Nature = { readonly sent: boolean; readonly again: boolean };

/**
 * One row for each way in which a request comes to no whole answer.
 *
 * - `refused`, `unreachable`: no connection. `no way`: the proxy got none
 * - `name`, `certificate`, `handshake`: no connection, and the next would meet the same
 * - `forbidden`, `credentials`: the proxy does not carry it
 * - `lost`: no answer came, `cut`: it broke off; the work may have been done
 * - `not http`, `headers`, `packing`: what came cannot be read, nor could the next one
 * - `timeout`, `interrupted`, `too large`: ended from our side
 */
const NATURES = {
  refused: { sent: false, again: true },
  unreachable: { sent: false, again: true },
  'no way': { sent: false, again: true },
  name: { sent: false, again: false },
  certificate: { sent: false, again: false },
  handshake: { sent: false, again: false },
  forbidden: { sent: false, again: false },
  credentials: { sent: false, again: false },
  lost: { sent: true, again: true },
  cut: { sent: true, again: true },
  'not http': { sent: true, again: false },
  headers: { sent: true, again: false },
  packing: { sent: true, again: false },
  timeout: { sent: true, again: false },
  interrupted: { sent: true, again: false },
  'too large': { sent: true, again: false },
} as const satisfies Readonly<Record<string, Nature>>;

export type FailureReason = keyof typeof NATURES;

/** Why there is no whole answer. `status` is there if the headers came before the body broke. */
export type NetworkFailure = {
  readonly reason: FailureReason;
  readonly cause: unknown;
  /** It happened on the way to a proxy, or the proxy said so. */
  readonly atProxy?: boolean;
  readonly status?: number | undefined;
  /** How many bytes would have been taken. */
  readonly bytes?: number;
};

/** Whether the failure is known to have come before the request was written to the service. */
export function isBeforeSending({ reason, atProxy }: Pick<NetworkFailure, 'reason' | 'atProxy'>): boolean {
  return atProxy === true || !NATURES[reason].sent;
}

/** Whether another try may end otherwise. If the request was sent, it may also do the work a second time. */
export function mayEndOtherwise({ reason }: Pick<NetworkFailure, 'reason'>): boolean {
  return NATURES[reason].again;
}

/** A proxy that opened no tunnel: it answered so, or it was not reached. */
export class NoTunnel extends Error {
  override readonly name = 'NoTunnel';
  readonly status: number | undefined;
  /** The schemes of the login that it asks for. */
  readonly schemes: readonly string[];

  constructor({ cause, status, schemes = [] }: Partial<Pick<NoTunnel, 'cause' | 'status' | 'schemes'>>) {
    super('the proxy opened no tunnel', { cause });
    this.status = status;
    this.schemes = schemes;
  }
}

/** A proxy's refusal to carry a request, by the status that it gave. */
function refusalOf(status: number): FailureReason {
  if (status === 407) return 'credentials';
  return [500, 502, 503, 504].includes(status) ? 'no way' : 'forbidden';
}

/** `Basic`, `NTLM`: the schemes that a `Proxy-Authenticate` header names, one value for each or several in one. */
export function schemesIn(header: string | readonly string[] | undefined): readonly string[] {
  const text = [header ?? []]
    .flat()
    .join(', ')
    .replace(/"[^"]*"/g, '');
  return [
    ...new Set(text.split(',').flatMap((part) => /^\s*([A-Za-z][\w-]*)(?=\s|$)/.exec(part)?.[1] ?? [])),
  ];
}

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
  UND_ERR_HEADERS_OVERFLOW: 'headers',
  // Before the headers are whole: they give two lengths.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not http',
};

const CERTIFICATE = /CERT|SIGNATURE|CRL|^INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH/;

/** What a server says before it reads a request, of the certificate that it wants of its clients. */
const CLIENT_CERTIFICATE = /_ALERT_(\w{0,40}CERTIFICATE\w{0,40}|UNKNOWN_CA|ACCESS_DENIED)$/;

/** What an error that came before any answer says. */
export function failureOf(cause: unknown): NetworkFailure {
  if (!(cause instanceof NoTunnel)) return { reason: reasonOf(cause), cause };
  if (cause.status !== undefined) return { reason: refusalOf(cause.status), cause, atProxy: true };
  const reason = reasonOf(cause.cause);
  return { reason: reason === 'lost' ? 'unreachable' : reason, cause: cause.cause, atProxy: true };
}

function reasonOf(cause: unknown): FailureReason {
  const code = codeOf(cause);
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT' && syscallOf(cause) === 'connect') return 'unreachable';
  if (CLIENT_CERTIFICATE.test(code)) return 'handshake';
  if (CERTIFICATE.test(code)) return 'certificate';
  if (/^ERR_(SSL|TLS)_/.test(code)) return 'handshake';
  return isNotHttp(cause) ? 'not http' : 'lost';
}

/** Whether undici could not read what came. If nothing is left unread, the connection broke off instead. */
export function isNotHttp(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'HTTPParserError' && 'data' in cause && cause.data !== '';
}

/** Whether the server ended the handshake because of the certificate of its client. */
export function isClientCertificateAlert(cause: unknown): boolean {
  return CLIENT_CERTIFICATE.test(codeOf(cause));
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

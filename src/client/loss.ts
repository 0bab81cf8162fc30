/**
 * - `refused`, `unreachable`: no connection, another try may get one
 * - `name`, `certificate`, `handshake`, `proxy`: no connection, and another try would meet the same
 * - `lost`: no answer came, `cut`: it broke off; the work may have been done
 * - `timeout`, `interrupted`: ended from our side
 */
export type LossReason =
  | 'refused'
  | 'unreachable'
  | 'name'
  | 'certificate'
  | 'handshake'
  | 'proxy'
  | 'lost'
  | 'cut'
  | 'timeout'
  | 'interrupted';

/** Why there is no whole answer. `status` is there where the headers came before the body broke. */
export type Loss = { readonly reason: LossReason; readonly cause: unknown; readonly status?: number };

const REASONS: Readonly<Record<string, LossReason>> = {
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
export function lossOf(cause: unknown, proxied: boolean): LossReason {
  const code = codeOf(cause);
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT' && syscallOf(cause) === 'connect') return 'unreachable';
  if (CERTIFICATE.test(code)) return 'certificate';
  if (/^ERR_(SSL|TLS)_/.test(code)) return 'handshake';
  // Our own aborts are told apart before, so with a proxy this is its refusal to open a tunnel.
  if (code === 'UND_ERR_ABORTED' && proxied) return 'proxy';
  return 'lost';
}

/** Whether the failure is known to have come before the request was written. */
export function isBeforeSending(reason: LossReason): boolean {
  return /^(refused|unreachable|name|certificate|handshake|proxy)$/.test(reason);
}

/** The code of a system, TLS or undici error, of its first part where several addresses were tried. */
export function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  if ('errors' in cause && Array.isArray(cause.errors)) return codeOf(cause.errors[0]);
  return '';
}

function syscallOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'syscall' in cause ? cause.syscall : undefined;
}

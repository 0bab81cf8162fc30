import { usageError } from '../errors.ts';

/** The service's address: `prefix` is its path without a slash at the end, empty for most. */
export type Base = {
  readonly origin: string;
  readonly prefix: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  readonly loopback: boolean;
};

/** Takes the address apart. Throws a usage error for anything but http and https, and for credentials in it. */
export function parseBase(address: string | URL): Base {
  const url = URL.canParse(String(address).trim()) ? new URL(String(address).trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      'the host is not an http or https address',
      'give us, eu or an address like https://posthog.example.com',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(`the address of ${url.host} holds credentials`, 'leave out everything before the @');
  }
  const secure = url.protocol === 'https:';
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, ''),
    host: url.host,
    hostname: url.hostname,
    port: url.port === '' ? Number(secure ? 443 : 80) : Number(url.port),
    secure,
    loopback: /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname),
  };
}

/**
 * One path segment, percent-encoded. Throws a usage error for a value that could reach another route: empty, `.`,
 * `..`, or with `/ ? # \` or a control character, encoded or not (proxies decode once more than they should).
 */
export function encodePathValue(name: string, value: string): string {
  const decoded = decodeFully(value);
  const leaves =
    decoded.trim() === '' || decoded === '.' || decoded === '..' || /[/?#\\\x00-\x1f\x7f-\x9f]/.test(decoded);
  if (leaves) {
    throw usageError(
      `${name} ${JSON.stringify(value)} cannot stand in an address`,
      'an id is neither empty nor a dot or two, and holds no / ? # \\ or control character',
    );
  }
  return encodeText(name, value);
}

/** Percent-encodes all but letters, digits and `-_.!~*'()`. Throws a usage error for half a surrogate pair. */
export function encodeText(name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw usageError(
      `${name} is not well-formed text: ${JSON.stringify(value)}`,
      `it holds half a character (${String(cause)})`,
    );
  }
}

/** Undoes percent-encoding of ASCII until nothing changes: `%252F` is a slash to somebody who decodes twice. */
export function decodeFully(value: string): string {
  let text = value;
  for (;;) {
    const decoded = text.replace(/%([0-7][\dA-Fa-f])/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (decoded === text) return text;
    text = decoded;
  }
}

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

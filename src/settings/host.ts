import { usageError } from '../errors.ts';

/** Where the service is: the address without a trailing slash, and what to warn about. */
export type Host = {
  /** Origin and base path, such as `https://us.posthog.com` or `https://example.com/ph`. */
  readonly address: string;
  /** Scheme, host name and port. */
  readonly origin: string;
  /** Path before `/api/`, without a trailing slash; empty for most. */
  readonly basePath: string;
  readonly warnings: readonly string[];
};

const shorthands: ReadonlyMap<string, string> = new Map([
  ['us', 'https://us.posthog.com'],
  ['eu', 'https://eu.posthog.com'],
]);

const cloudNames: ReadonlySet<string> = new Set(['us.posthog.com', 'eu.posthog.com', 'app.posthog.com']);

/** Path segments that follow `/api/` in addresses people copy from documentation or a trace. */
const apiRoots: ReadonlySet<string> = new Set([
  'projects',
  'environments',
  'organizations',
  'users',
  'personal_api_keys',
]);

/**
 * The base address of the service from what somebody typed: `us`, `eu`, a host name, a URL, or an address
 * copied from the app. Throws a usage error for what cannot be one; a password in it is never shown.
 */
export function normalizeHost(text: string): Host {
  const typed = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
  const full = shorthands.get(typed.toLowerCase()) ?? addScheme(typed);
  const url = parse(full, typed);
  refuseWrongServer(url.hostname);
  const basePath = cutPath(url);
  return { address: url.origin + basePath, origin: url.origin, basePath, warnings: warnAbout(url) };
}

/** Whether an address, as `normalizeHost` gives it, is PostHog Cloud. */
export function isCloudHost(address: string): boolean {
  return cloudNames.has(new URL(address).hostname);
}

const forms = 'give us, eu, or an address such as https://posthog.example.com';

function addScheme(typed: string): string {
  if (typed === '') {
    throw usageError('the host is empty', forms);
  }
  if (/[\s\x00-\x1f\x7f\\]/.test(typed)) {
    throw usageError('the host holds a space, a backslash or a control character', forms);
  }
  const scheme = /^([a-z][a-z\d+.-]*):\/\//.exec(typed.toLowerCase())?.[1];
  if (scheme === undefined) {
    return `https://${typed}`;
  }
  if (scheme !== 'http' && scheme !== 'https') {
    throw usageError(`the host has the scheme ${scheme}, only http and https can be used`, forms);
  }
  return typed;
}

function parse(full: string, typed: string): URL {
  const rest = full.slice(full.indexOf('://') + 3);
  // Looked for in the text: the parser drops an empty user name, and a failed parse would show the password.
  if (/^[^/?#]*@/.test(rest)) {
    throw usageError('the host holds a user name or password', 'leave out everything up to the @');
  }
  // The parser would skip extra slashes and take `https:/name` for a host called https.
  if (/^(\/|https?:(\/|$))/.test(rest.toLowerCase()) || !URL.canParse(full)) {
    throw usageError(`"${typed}" is not the address of a host`, forms);
  }
  const url = new URL(full);
  url.hostname = url.hostname.replace(/\.$/, '');
  if (/[?#]/.test(full)) {
    throw usageError(
      'the host holds a query or a fragment',
      `leave out everything from the ? or # on, for example ${url.origin + cutPath(url)}`,
    );
  }
  return url;
}

function refuseWrongServer(name: string): void {
  if (name === 'i.posthog.com' || name.endsWith('.i.posthog.com')) {
    const region = /^(us|eu)\b/.exec(name)?.[0];
    const right = region === undefined ? 'us.posthog.com or eu.posthog.com' : `${region}.posthog.com`;
    throw usageError(`${name} only takes in events and does not serve the API`, `use ${right}`);
  }
  if (name === 'posthog.com' || name === 'www.posthog.com') {
    throw usageError(`${name} is the website, not the service`, 'use us.posthog.com or eu.posthog.com');
  }
}

/** The path before the API or the app begins: `/ph/api` and `/ph/project/1/insights/abc` are `/ph`. */
function cutPath(url: URL): string {
  if (cloudNames.has(url.hostname)) {
    return '';
  }
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const end = segments.findIndex((segment, index) => beginsApp(segment, segments[index + 1]));
  const kept = end === -1 ? segments : segments.slice(0, end);
  return kept.map((segment) => `/${segment}`).join('');
}

function beginsApp(segment: string, next: string | undefined): boolean {
  if (segment === 'api') {
    return next === undefined || apiRoots.has(next);
  }
  return segment === 'project' && next !== undefined && /^(\d+|@current)$/.test(next);
}

function warnAbout(url: URL): readonly string[] {
  if (url.protocol === 'https:' || isLoopback(url.hostname)) {
    return [];
  }
  return [`${url.origin} is not encrypted: the key and all data travel in clear text`];
}

function isLoopback(name: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(name);
}

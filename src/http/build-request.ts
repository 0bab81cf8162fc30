import { BlockList, isIP } from 'node:net';
import { usageError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { toText, writeJson } from '../json/text.ts';
import { type Dialect, type Endpoint, formOf, type PlacedParameter } from '../service/endpoint.ts';
import type { Environment } from '../system/system.ts';

/** What goes over the wire. `target` is path and query, the base's own path included. */
export type WireRequest = {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
  /** The body as a value, for showing it. */
  readonly value: Json | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What may be sent again. */
  readonly effect: Endpoint['effect'];
};

/** Values by parameter name, as `InputOf` types them for each row. */
export type Values = { readonly [name: string]: Json | undefined };

export type Addressing = {
  readonly base: Base;
  readonly projectId: string | undefined;
  readonly dialect: Dialect;
};

/** A row and its input as a request; `body` takes the place of the one made from the input. Throws a usage error for ids that cannot stand in a path. */
export function buildRequest(
  row: Endpoint,
  values: Values,
  { addressing, body }: { readonly addressing: Addressing; readonly body?: Json | undefined },
): WireRequest {
  const form = formOf(row, addressing.dialect);
  const given = form.parameters.flatMap((placed) => {
    const value = wireValue(placed, values[placed.parameter.name]);
    return value === undefined ? [] : [{ placed, value }];
  });
  const path = fillPath(form.path, given);
  const root = row.under === 'service' ? addressing.base.prefix : projectPath(addressing);
  const query = queryParts(given).join('&');
  const value = body ?? bodyOf(row, given);
  return {
    method: row.method,
    target: `${root}${path}${query === '' ? '' : `?${query}`}`,
    body: value === undefined ? undefined : writeJson(value),
    value,
    headers: {},
    effect: row.effect,
  };
}

/** `/prefix/api/projects/<id>`, without a slash at the end. */
export function projectPath({ base, projectId }: Addressing): string {
  if (projectId === undefined) {
    throw usageError('no project was given', 'give one with --project or HOGCTL_PROJECT');
  }
  return `${base.prefix}/api/projects/${encodePathValue('project id', projectId).replaceAll('%40', '@')}`;
}

type Given = { readonly placed: PlacedParameter; readonly value: Json };

/** Flags are sent as true or not at all: the live service counts presence. */
function wireValue({ parameter, form }: PlacedParameter, value: Json | undefined): Json | undefined {
  if (value === undefined || (parameter.type === 'flag' && value === false)) return undefined;
  if (form === 'json-text') return writeJson(value);
  if (form === 'list') return [value];
  return value;
}

function fillPath(path: string, given: readonly Given[]): string {
  return path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const found = given.find(({ placed }) => placed.name === name && placed.places.includes('path'));
    if (found === undefined) throw usageError(`${name} is missing`, `the path ${path} needs it`);
    return encodePathValue(name, toText(found.value));
  });
}

/** Parameters that are read from query or body go into both, unless one of them is too long for an address. */
function queryParts(given: readonly Given[]): readonly string[] {
  const parts = given
    .filter(({ placed }) => placed.places.includes('query'))
    .map(({ placed, value }) => ({ placed, text: queryText(placed, value) }));
  const copied = parts.filter(({ placed }) => placed.places.includes('body'));
  const long = copied.some(
    ({ placed, text }) => text.length > (placed.parameter.queryLimit ?? Number.POSITIVE_INFINITY),
  );
  return parts
    .filter((part) => !(long && copied.includes(part)))
    .map(({ placed, text }) => pair(placed.name, text));
}

function queryText({ parameter, form }: PlacedParameter, value: Json): string {
  return parameter.type === 'json' && form !== 'json-text' ? writeJson(value) : toText(value);
}

/** One `name=value` of a query, both percent-encoded. */
export function pair(name: string, value: string): string {
  return `${encodeText('parameter name', name)}=${encodeText(name, value)}`;
}

function bodyOf(row: Endpoint, given: readonly Given[]): JsonObject | undefined {
  const fields = given.filter(({ placed }) => placed.places.includes('body'));
  if (fields.length === 0 && (row.method === 'GET' || row.method === 'DELETE')) return undefined;
  return Object.fromEntries(fields.map(({ placed, value }) => [placed.name, numbered(placed, value)]));
}

/** The live form of I10 lists insight ids in the body, where the service wants numbers; in a path they are text. */
function numbered({ parameter, form }: PlacedParameter, value: Json): Json {
  if (parameter.type !== 'insight-id' || form !== 'list' || !Array.isArray(value)) return value;
  return value.map((item: Json) =>
    typeof item === 'string' && /^\d{1,15}$/.test(item) ? Number(item) : item,
  );
}

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
      'the host is not an http or https URL',
      'give us, eu or a URL such as https://posthog.example.com',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(`the URL of ${url.host} contains credentials`, 'leave out everything before the @');
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
      `${name} ${JSON.stringify(value)} cannot be used in a URL`,
      'an id must not be empty, . or .., and must not contain / ? # \\ or control characters',
    );
  }
  return encodeText(name, value);
}

/** Percent-encodes all but letters, digits and `-_.!~*'()`. Throws a usage error for half a surrogate pair. */
function encodeText(name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw usageError(
      `${name} is not well-formed text: ${JSON.stringify(value)}`,
      `it contains half a character (${String(cause)})`,
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

/** The proxy that requests go through. `origin` carries no credentials; `authorization` does. */
export type ProxyRoute = {
  readonly origin: string;
  readonly authorization: string | undefined;
  /** The variable that named it. */
  readonly variable: string;
};

/**
 * The proxy for one service, or none. Throws a usage error that names the variable and its value, without
 * credentials, when the value is not an http or https address.
 */
export function chooseProxy(environment: Environment, base: Base): ProxyRoute | undefined {
  const names = base.secure ? ['HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY'] : ['HTTP_PROXY', 'ALL_PROXY'];
  const chosen = names.map((name) => find(environment, name)).find((found) => found !== undefined);
  if (chosen === undefined || isBypassed(find(environment, 'NO_PROXY')?.value, base)) return undefined;
  return parseProxy(chosen.name, chosen.value);
}

/** The lower-case spelling counts before the upper-case one, as in curl. */
function find(
  environment: Environment,
  upper: string,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of [upper.toLowerCase(), upper]) {
    const value = environment[name]?.trim();
    if (value !== undefined && value !== '') return { name, value };
  }
  return undefined;
}

function parseProxy(variable: string, value: string): ProxyRoute {
  const address = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw usageError(
      `${variable} is not a usable proxy URL: ${withoutCredentials(value)}`,
      'it must look like http://proxy.example.com:3128',
    );
  }
  return { origin: url.origin, authorization: basicAuthorization(url, variable), variable };
}

function basicAuthorization(url: URL, variable: string): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  try {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return `Basic ${Buffer.from(login).toString('base64')}`;
  } catch {
    // The cause is left out on purpose: it could show the credentials.
    throw usageError(`the credentials in ${variable} are not percent-encoded`, 'write a % in them as %25');
  }
}

/** Everything up to the last @ of what might be a login. */
function withoutCredentials(value: string): string {
  return value.replace(/^([a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
}

/**
 * NO_PROXY as curl and Go read it: names with their subdomains, addresses and blocks of them (`10.0.0.0/8`), an optional
 * port, `*` for everything; and `<local>`, a name without a dot, as Windows writes it.
 */
function isBypassed(noProxy: string | undefined, base: Base): boolean {
  return (noProxy ?? '')
    .split(/[,;\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || covers(entry.toLowerCase(), base));
}

function covers(entry: string, base: Base): boolean {
  const address = base.hostname.replace(/^\[|\]$/g, '');
  if (entry === '<local>') return isIP(address) === 0 && !address.includes('.');
  const [, block = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (bits !== undefined) return isInBlock(address, block.replace(/^\[|\]$/g, ''), Number(bits));
  // An address of IPv6 has colons of its own, and stands in brackets in an address of the web.
  const host = /^[^[]*:.*:/.test(entry) ? `[${entry}]` : entry;
  const [, name = host, port] = /^(.+):(\d+)$/.exec(host) ?? [];
  if (port !== undefined && Number(port) !== base.port) return false;
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return base.hostname === bare || base.hostname.endsWith(`.${bare}`);
}

function isInBlock(address: string, block: string, bits: number): boolean {
  const family = isIP(block);
  if (family === 0 || family !== isIP(address) || bits > (family === 4 ? 32 : 128)) return false;
  const blocks = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  blocks.addSubnet(block, bits, type);
  return blocks.check(address, type);
}

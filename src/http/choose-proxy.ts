import { BlockList, isIP } from 'node:net';
import { usageError } from '../errors.ts';
import type { Environment } from '../system/system.ts';
import type { Base } from './build-request.ts';

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

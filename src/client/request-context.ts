import type { Outcome } from '../errors.ts';
import type { Endpoint } from '../service/endpoint.ts';
import type { ProxyRoute } from './proxy.ts';

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

export const UNKNOWN_HINT = 'the outcome is unknown: check before repeating';

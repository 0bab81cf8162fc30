import { CliError } from '../errors.ts';
import type { WireRequest } from './build-request.ts';
import type { Answer } from './exchange.ts';
import type { Whereabouts } from './whereabouts.ts';

const MOST_HOPS = 3;

type Moved = {
  readonly request: WireRequest;
  readonly origin: string;
  readonly where: Whereabouts;
  /** Redirects followed so far. */
  readonly hops: number;
};

/** The address that a 3xx answer names, undefined for every other answer. */
export function redirectOf(
  answer: Answer,
  { request, origin }: Pick<Moved, 'request' | 'origin'>,
): URL | undefined {
  const location = answer.headers.location;
  const here = `${origin}${request.target}`;
  if (answer.status < 300 || answer.status > 399 || location === undefined || !URL.canParse(location, here))
    return undefined;
  return new URL(location, here);
}

/**
 * The redirected request, or the error that it is. Reads are followed on the same origin, since the key goes nowhere
 * else, and only where the method stays what it is; writes never.
 */
export function followRedirect(
  answer: Answer,
  to: URL,
  { request, origin, where, hops }: Moved,
): { readonly target: string } | { readonly error: CliError } {
  const keepsMethod = request.method === 'GET' || answer.status === 307 || answer.status === 308;
  if (request.effect === 'read' && keepsMethod && to.origin === origin && hops < MOST_HOPS) {
    return { target: `${to.pathname}${to.search}` };
  }
  const looping = to.origin === origin && hops >= MOST_HOPS;
  const address = where.redact(`${to.origin}${to.pathname}`);
  const what = looping ? `${where.host} redirects in circles, last to` : `${where.host} redirects to`;
  return {
    error: new CliError(looping ? 'unavailable' : 'refused', `${what} ${address} (status ${answer.status})`, {
      hint: looping
        ? 'check the host'
        : `if that is the service's address, use it as the host: the key is sent to ${where.host} only`,
      status: answer.status,
      outcome: 'not-done',
    }),
  };
}

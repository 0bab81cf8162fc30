import { usageError } from '../errors.ts';
import { Refusal } from './refusal.ts';

/** What goes wrong on purpose, so that a job can be tried against it. */
export type Rehearsal = {
  /** Scopes of the first key, in place of all. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether the first key has expired. */
  readonly expiredKey?: boolean | undefined;
  /** How many requests are answered in a second, minute or hour, such as `10/m`. */
  readonly rateLimit?: string | undefined;
  /** After so many requests the service is away, for so many milliseconds. */
  readonly outageAfter?: number | undefined;
  readonly outageFor?: number | undefined;
};

type Key = { readonly scopes: readonly string[]; readonly isExpired?: boolean | undefined };

/** The keys with what is rehearsed of the first one. Throws a usage error for what is no scope. */
export function rehearsedKeys<One extends Key>(
  keys: readonly One[],
  { scopes, expiredKey }: Rehearsal,
): readonly (One & Key)[] {
  const wrong = scopes?.find((scope) => !/^(?:[a-z_]+:(?:read|write)|\*)$/.test(scope));
  if (wrong !== undefined)
    throw usageError(`"${wrong}" is not a scope`, 'scopes look like person:read; separate them by commas');
  return keys.map((key, at) =>
    at === 0 ? { ...key, scopes: scopes ?? key.scopes, isExpired: expiredKey } : key,
  );
}

/** What each request meets before it is answered: throws a `Refusal` 429 or 503. `elapsed` are milliseconds. */
export function createObstacles(
  { rateLimit, outageAfter, outageFor }: Rehearsal,
  elapsed: () => number,
): () => void {
  if ((outageAfter === undefined) !== (outageFor === undefined))
    throw usageError('--outage-after and --outage-for need each other', 'give both, or neither');
  const limit = rateLimit === undefined ? undefined : readRate(rateLimit);
  let [count, away] = [0, 0];
  let answered: number[] = [];
  return () => {
    const now = elapsed();
    count += 1;
    if (outageAfter !== undefined && count === outageAfter + 1) away = now + (outageFor ?? 0);
    if (now < away)
      throw new Refusal(503, 'The service is temporarily unavailable.', {
        type: 'server_error',
        code: 'service_unavailable',
      });
    if (limit === undefined) return;
    answered = answered.filter((time) => time > now - limit.span);
    const [first = now] = answered;
    if (answered.length < limit.requests) return void answered.push(now);
    const seconds = Math.ceil((first + limit.span - now) / 1000);
    throw new Refusal(429, `Request was throttled. Expected available in ${seconds} seconds.`, {
      type: 'throttled_error',
      code: 'throttled',
      retryAfter: seconds,
    });
  };
}

const SPANS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function readRate(text: string) {
  const [, requests = '', unit = ''] = /^([1-9]\d{0,6})\/([smh])$/.exec(text) ?? [];
  const span = SPANS[unit];
  if (span === undefined)
    throw usageError(`"${text}" is not a rate`, 'give requests a second, minute or hour, such as 10/m');
  return { requests: Number(requests), span };
}

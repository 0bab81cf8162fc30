const FIRST_MILLISECONDS = 1000;
const LONGEST_BACKOFF = 30_000;

/** The longest wait that a service may ask for with Retry-After; beyond it the command gives up and says so. */
export const LONGEST_WAIT = 10 * 60_000;

export type Waiting = {
  /** How many tries failed so far, from 1. */
  readonly failures: number;
  /** The Retry-After header, if there was one. */
  readonly retryAfter: string | undefined;
  readonly now: () => number;
  readonly random: () => number;
};

/**
 * Milliseconds to wait before the next try: what Retry-After says, in seconds or as a date, plus up to half a second
 * so that several programs do not come back together; else a growing wait, each between half and the whole of twice
 * the one before. Dates in the past and values that are neither count as absent.
 */
export function waitTime({ failures, retryAfter, now, random }: Waiting): number {
  const asked = parseRetryAfter(retryAfter, now());
  if (asked !== undefined) return asked + Math.round(random() * 500);
  const ceiling = Math.min(FIRST_MILLISECONDS * 2 ** (failures - 1), LONGEST_BACKOFF);
  return Math.round(ceiling * (0.5 + random() / 2));
}

/** Milliseconds from now, undefined for what is absent, past or no time at all. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Only the forms that HTTP knows, which name the day of the week: `Date.parse` alone reads "-5" as a year. */
function httpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text) ? Date.parse(text) : Number.NaN;
}

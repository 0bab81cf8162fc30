import { type Moment, readMoment } from './clock.ts';
import { invalid } from './refusal.ts';

const DAY = 86_400_000_000n;
const DAYS_OF: Readonly<Record<string, bigint>> = { d: 1n, w: 7n };

/**
 * The range of days that two dates name, in UTC: YYYY-MM-DD, a relative `-7d`, `-2w` or `-1m`, or `all`. Without
 * dates it is everything up to now; the last day counts whole. Throws a `Refusal` 400 for anything else.
 */
export function readRange(
  input: { readonly date_from?: string | undefined; readonly date_to?: string | undefined },
  now: Moment,
): { readonly from: Moment; readonly to: Moment } {
  const to = input.date_to === undefined ? now : startOfDay('date_to', input.date_to, now);
  const from = input.date_from ?? 'all';
  return {
    from: from === 'all' ? -62_135_596_800_000_000n : startOfDay('date_from', from, now),
    to: to - (((to % DAY) + DAY) % DAY) + DAY,
  };
}

function startOfDay(name: string, text: string, now: Moment): Moment {
  const today = now - (now % DAY);
  const [, count, unit] = /^-(\d{1,5})([dwm])$/.exec(text) ?? [];
  if (count !== undefined && unit === 'm') {
    const date = new Date(Number(today / 1000n));
    date.setUTCMonth(date.getUTCMonth() - Number(count));
    return BigInt(date.getTime()) * 1000n;
  }
  if (count !== undefined) return today - BigInt(count) * (DAYS_OF[unit ?? 'd'] ?? 1n) * DAY;
  const moment = readMoment(text);
  if (moment === undefined) throw invalid(name, `"${text}" is not a date.`);
  return moment;
}

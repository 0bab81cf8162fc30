import { usageError } from '../errors.ts';

/** A length of time in the service's units. */
export type Duration = {
  readonly count: number;
  readonly unit: 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH';
};

const UNITS: Readonly<Record<string, Duration['unit']>> = {
  s: 'SECOND',
  sec: 'SECOND',
  second: 'SECOND',
  min: 'MINUTE',
  minute: 'MINUTE',
  h: 'HOUR',
  hour: 'HOUR',
  d: 'DAY',
  day: 'DAY',
  w: 'WEEK',
  week: 'WEEK',
  mo: 'MONTH',
  month: 'MONTH',
};

const SECONDS: Readonly<Record<Duration['unit'], number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3600,
  DAY: 86_400,
  WEEK: 7 * 86_400,
  MONTH: 30 * 86_400,
};

/**
 * Reads `14d`, `30min`, `2 hours`. A bare `m` is refused: in dates it means months, elsewhere minutes.
 * `name` is how the option was spelt. Throws a usage error for anything else.
 */
export function readDuration(name: string, text: string): Duration {
  const [, digits = '', word = ''] = /^([1-9]\d{0,8}) ?([a-z]+)$/i.exec(text.trim()) ?? [];
  const lower = word.toLowerCase();
  const unit = UNITS[lower] ?? UNITS[lower.replace(/s$/, '')];
  if (unit !== undefined) return { count: Number(digits), unit };
  throw usageError(
    `${name} wants a length of time, not "${text}"`,
    lower === 'm'
      ? `write ${digits}min for minutes, ${digits}mo for months`
      : 'write 45s, 30min, 2h, 14d, 3w or 1mo',
  );
}

/** The length in milliseconds; a month counts 30 days. */
export function inMilliseconds({ count, unit }: Duration): number {
  return count * SECONDS[unit] * 1000;
}

import { describe, expect, it } from 'vitest';
import { inMilliseconds, readDuration } from '../../../src/semantics/calendar.ts';

describe('a length of time', () => {
  it.each([
    ['14d', 14, 'DAY', 1_209_600_000],
    ['1 day', 1, 'DAY', 86_400_000],
    ['30min', 30, 'MINUTE', 1_800_000],
    ['2 Hours', 2, 'HOUR', 7_200_000],
    ['45s', 45, 'SECOND', 45_000],
    ['3w', 3, 'WEEK', 1_814_400_000],
    ['2mo', 2, 'MONTH', 5_184_000_000],
  ] as const)('is read from %s', (text, count, unit, milliseconds) => {
    const duration = readDuration('--window', text);
    expect(duration).toEqual({ count, unit });
    expect(inMilliseconds(duration)).toBe(milliseconds);
  });

  it.each(['14', '0d', '-3d', '1.5h', 'd', '', '3 fortnights', '1e3s', '30m'])('is not %j', (text) => {
    expect(() => readDuration('--window', text)).toThrow(`--window takes a length of time, not "${text}"`);
  });

  it.each([
    ['90', 90, 'SECOND', 90_000],
    ['0.3', 0.3, 'SECOND', 300],
    ['1.5h', 1.5, 'HOUR', 5_400_000],
    ['0d', 0, 'DAY', 0],
  ] as const)('is read from %s if plain numbers have a unit', (text, count, unit, milliseconds) => {
    const duration = readDuration('--timeout', text, { unit: 'SECOND' });
    expect(duration).toEqual({ count, unit });
    expect(inMilliseconds(duration)).toBe(milliseconds);
  });

  it.each(['', '-1', '.5', '30m', '1e3', 's'])('is not %j, even if plain numbers have a unit', (text) => {
    expect(() => readDuration('--timeout', text, { unit: 'SECOND' })).toThrow('takes a length of time');
  });
});

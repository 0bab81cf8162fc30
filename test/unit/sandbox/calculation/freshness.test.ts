import { describe, expect, it } from 'vitest';
import { planRefresh, readRefresh } from '../../../../src/sandbox/calculation/ask.ts';
import { REFRESH_MODES } from '../../../../src/service/parameters.ts';

const MINUTE = 60_000_000n;
const NOW = 1000n * MINUTE;

const result = (minutes: bigint, isOutdated = false) => ({
  calculatedAt: NOW - minutes * MINUTE,
  isOutdated,
  document: {},
});

describe('the refresh modes', () => {
  it.each([
    ['force_cache', 'stored', 'stored', 'stored', 'stored', 'stored'],
    ['blocking', 'calculate', 'stored', 'calculate', 'calculate', 'calculate'],
    ['async', 'background', 'stored', 'background', 'background', 'background'],
    ['lazy_async', 'background', 'stored', 'stored', 'stored', 'background'],
    ['force_blocking', 'calculate', 'calculate', 'calculate', 'calculate', 'calculate'],
    ['force_async', 'background', 'background', 'background', 'background', 'background'],
    ['async_except_on_cache_miss', 'calculate', 'stored', 'background', 'background', 'background'],
  ] as const)('%s: none %s, very fresh %s, outdated %s, fresh %s, stale %s', (mode, ...plans) => {
    const results = [undefined, result(3n), result(0n, true), result(60n), result(61n)];
    expect(results.map((stored) => planRefresh(mode, stored, NOW))).toEqual(plans);
  });

  it.each(REFRESH_MODES)('reads %s as itself', (mode) => {
    expect(readRefresh(mode, 'blocking')).toBe(mode);
  });

  it('takes true and nothing for force_blocking, and other words for the fallback', () => {
    expect(['true', '', 'now', undefined].map((text) => readRefresh(text, 'force_cache'))).toEqual([
      'force_blocking',
      'force_blocking',
      'force_cache',
      'force_cache',
    ]);
  });
});

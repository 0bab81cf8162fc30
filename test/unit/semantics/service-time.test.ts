import { describe, expect, it } from 'vitest';
import { readMoment } from '../../../src/semantics/service-time.ts';

const at = Date.UTC(2026, 10, 29, 8, 46, 10);

describe('a time of the service', () => {
  it.each([
    ['2026-11-29T08:46:10Z', at, 1000],
    ['2026-11-29T08:46:10.123456Z', at + 123, 1],
    ['2026-11-29T08:46:10.5Z', at + 500, 100],
    ['2026-11-29T10:46:10.120+02:00', at + 120, 1],
    ['2026-11-29T10:46:10+0200', at, 1000],
    ['2026-11-29T10:46:10+02', at, 1000],
    // SQL writes no zone, which is not the one of this computer.
    ['2026-11-29 08:46:10', at, 1000],
    ['2026-11-29 08:46:10.123000', at + 123, 1],
  ])('is read from %s', (text, time, unit) => {
    expect(readMoment(text)).toEqual({ at: time, unit });
  });

  it.each([
    ['', '2026-11-29', 'yesterday', '2026-13-01T00:00:00Z', '2026-06-31T00:00:00Z', '2026-11-29T25:00:00Z'],
    ['20261129', '1764405970', '+275000-01-01T00:00:00Z', '2026-11-29T08:46:10 Z'],
    [null, undefined, 1764405970, {}],
  ])('is none in %j', (...values) => {
    for (const value of values) expect(readMoment(value)).toBeUndefined();
  });
});

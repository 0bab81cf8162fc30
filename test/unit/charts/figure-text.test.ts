import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import {
  dayTexts,
  drawable,
  durationText,
  figureText,
  isRounded,
  niceScale,
  tickText,
} from '../../../src/charts/chart.ts';
import type { Json } from '../../../src/json/kinds.ts';

const isDrawable = (value: number) => drawable(value) !== undefined;

describe('figures in charts', () => {
  it.each([
    [47258, '47258', false],
    [370.48673834484913, '370.49', true],
    [0.004567, '0.0046', true],
    [-0.5, '-0.5', false],
    [null, 'no figure', false],
    [0, '0', false],
    [9007199254740993n, '9007199254740993', false],
  ])('%s is written as %s', (value, text, rounded) => {
    const json = (typeof value === 'bigint' ? new LosslessNumber(String(value)) : value) as Json;
    expect([figureText(json), isRounded(json)]).toEqual([text, rounded]);
  });

  it.each([
    [0, '0s'],
    [0.25, '0.25s'],
    [61.4, '1m 1s'],
    [14435, '4h 35s'],
    [90_061, '1d 1h 1m 1s'],
    [-90, '-1m 30s'],
    [null, 'no figure'],
  ])('%s seconds are %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it('days lose a time that is always midnight, and keep any other', () => {
    expect(dayTexts(['2026-01-01T00:00:00Z', '2026-01-02'])).toEqual(['2026-01-01', '2026-01-02']);
    expect(dayTexts(['2026-01-01T00:00:00Z', '2026-01-01T13:00:00Z'])).toEqual([
      '2026-01-01 00:00',
      '2026-01-01 13:00',
    ]);
    expect(dayTexts(['week one', null])).toEqual(['week one', '']);
  });
});

describe('the scale of an axis', () => {
  it('holds every value and zero, with few ticks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e12, max: 1e12, noNaN: true }).filter(isDrawable), { minLength: 1 }),
        (values) => {
          const { step, first, last } = niceScale(values, 5);
          expect(first * step).toBeLessThanOrEqual(Math.min(0, ...values) + step * 1e-6);
          expect(last * step).toBeGreaterThanOrEqual(Math.max(0, ...values) - step * 1e-6);
          expect(first).toBeLessThanOrEqual(0);
          expect(last).toBeGreaterThan(first);
          expect(last - first).toBeLessThanOrEqual(7);
        },
      ),
    );
  });

  it('has ticks with nothing rounded', () => {
    const scale = niceScale([10_220], 4);
    const ticks = Array.from({ length: scale.last + 1 }, (_, tick) => tickText(scale, tick));
    expect(ticks).toEqual(['0', '5k', '10k', '15k']);
    expect(tickText({ step: 0.25 }, 3)).toBe('0.75');
    expect(tickText({ step: 2_500_000 }, 1)).toBe('2.5M');
    expect(tickText({ step: 5 }, 201)).toBe('1005');
  });
});

import { describe, expect, it } from 'vitest';
import { readTruth } from '../../../support/truth.ts';
import type { TruthCase } from './truth-cases.ts';
import { checkFunnelCase } from './truth-funnels.ts';
import { checkOtherCase } from './truth-others.ts';

/** Requests about persons and their changes; these are answered by handlers, not calculated. */
const HANDLED_ELSEWHERE = [
  'O-PER-01',
  'O-PER-02',
  'O-PER-03',
  'O-PER-04',
  'O-PER-05',
  'O-PER-06',
  'O-PER-07',
  'O-PER-08',
  'O-PER-09',
  'O-PER-10',
] as const;

const CASE_COUNTS = { funnels: 84, others: 38 } as const;

/** What a case may assert; a key that is not here would be passed over in silence. */
const CHECKED_KEYS: ReadonlySet<string> = new Set([
  'breakdown_order_asserted',
  'breakdown_values',
  'breakdowns',
  'breakdowns_total',
  'correlation',
  'empty_or_zero',
  'error',
  'lifecycle',
  'persons',
  'series',
  'steps',
  'steps_total',
  'stickiness',
  'time_to_convert',
  'trend',
  'trend_breakdowns',
]);

describe('expected values of the service', () => {
  for (const name of ['funnels', 'others'] as const) {
    const cases = readTruth<TruthCase>(name);
    it(`knows all ${CASE_COUNTS[name]} cases of ${name}.json`, () => {
      expect(new Set(cases.map(({ id }) => id)).size).toBe(CASE_COUNTS[name]);
    });
    const calculated = cases.filter(({ id }) => !HANDLED_ELSEWHERE.some((other) => other === id));
    for (const truth of calculated) {
      it(`${truth.id}: ${truth.title}`, () => {
        expect.hasAssertions();
        expect(Object.keys(truth.expect).filter((key) => !CHECKED_KEYS.has(key))).toEqual([]);
        if (name === 'funnels') checkFunnelCase(truth);
        else checkOtherCase(truth);
      });
    }
  }
});

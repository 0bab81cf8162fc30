import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dropExpectation,
  judge,
  type Measured,
  QUANTITIES,
  timeExpectation,
} from '../../../../src/insights/judging/judge.ts';
import { parseExpectation } from '../../../../src/insights/judging/parse-expectation.ts';

const verdict = (text: string, measured: Measured) => judge(parseExpectation(text), measured);

describe('the figures of a series', () => {
  const measured: Measured = {
    values: [4, 10, 1, 5, 8],
    conversion: { overall: 40, steps: [null, 80, 50] },
    age: 93_600,
    newest: { day: '2026-06-18', lag: 7200 },
  };

  it.each([
    ['first == 4', 'first is 4'],
    ['last == 8', 'last is 8'],
    ['previous == 5', 'previous is 5'],
    ['min == 1', 'min is 1'],
    ['max == 10', 'max is 10'],
    ['lag <= 3h', 'lag is 2h on 2026-06-18'],
    ['sum == 28', 'sum is 28'],
    ['mean == 5.6', 'mean is 5.6'],
    ['count == 5', 'count is 5'],
    ['change == 60%', 'change is 60%'],
    ['drop == 0', 'drop is 0%'],
    ['conversion >= 40', 'conversion is 40%'],
    ['conversion(3) >= 50%', 'conversion(3) is 50%'],
    ['age == 26h', 'age is 26h'],
    ['last >= previous - 1', 'last is 8, previous is 5'],
  ])('hold what is expected: %s', (text, found) => {
    expect(verdict(text, measured)).toEqual({ holds: true, found });
  });

  it.each([
    ['conversion(1) > 0', 'refused'],
    ['conversion(4) > 0', 'step 4 does not exist'],
  ])('have no conversion of %s', (text, reason) => {
    if (reason === 'refused') expect(() => parseExpectation(text)).toThrow();
    else expect(verdict(text, measured)).toEqual({ holds: false, found: reason });
  });

  it.each([
    [30, '30s'],
    [90, '1min'],
    [7200, '2h'],
    [9000, '2h 30min'],
    [172_800, '2d'],
    [176_400, '2d 1h'],
  ])('tell an age of %d s', (age, text) => {
    expect(verdict('age > 1d', { values: [1], age }).found).toBe(`age is ${text}`);
    expect(timeExpectation('age', age * 1000).text).toBe(`age <= ${text}`);
  });
});

describe('what is missing', () => {
  const names = Object.entries(QUANTITIES).map(([name, { unit }]) => ({
    name,
    zero: unit === 'time' ? '0h' : '0',
  }));

  it('never holds, whatever is expected of nothing', () => {
    for (const { name, zero } of names) {
      for (const comparison of ['>=', '<=', '==', '!=', '>', '<']) {
        expect(verdict(`${name} ${comparison} ${zero}`, { values: [] }).holds).toBe(false);
      }
    }
  });

  it('never holds where every figure is null but the number of them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), (length) => {
        const values = new Array<null>(length).fill(null);
        const broken = names.filter(({ name, zero }) => verdict(`${name} != ${zero}`, { values }).holds);
        expect(broken.map(({ name }) => name)).toEqual(['count']);
      }),
    );
  });

  it('spoils what is made of all figures', () => {
    expect(verdict('sum >= 0', { values: [1, null, 3] })).toEqual({
      holds: false,
      found: '1 of 3 figures are missing',
    });
    expect(verdict('last >= 0', { values: [1, null, 3] }).holds).toBe(true);
  });

  it('is said of one figure, which has none before it', () => {
    expect(verdict('change > -100%', { values: [4] }).found).toBe('the figure before the last is missing');
  });
});

describe('a drop', () => {
  const holds = (values: readonly number[], text = '20%') => judge(dropExpectation(text), { values }).holds;

  it('may be as large as was said, and no larger', () => {
    expect([holds([100, 80]), holds([100, 79.9]), holds([100, 120])]).toEqual([true, false, true]);
  });

  it('from nothing is none, unless it goes below', () => {
    expect([holds([0, 0]), holds([0, 5]), holds([0, -1])]).toEqual([true, true, false]);
  });

  it('is measured against figures below zero too', () => {
    expect([holds([-100, -120]), holds([-100, -121]), holds([-100, -50])]).toEqual([true, false, true]);
  });

  it('of 100% is allowed to end at nothing', () => {
    expect(holds([5, 0], '100%')).toBe(true);
  });
});

import type { Expectation } from './expectation.ts';
import { figureText } from './figure-text.ts';

/** `--max-age 24h` as an expectation. */
export function ageExpectation(milliseconds: number): Expectation {
  const seconds = milliseconds / 1000;
  return {
    text: `age <= ${figureText(seconds, 'age')}`,
    left: { kind: 'named', name: 'age' },
    comparison: '<=',
    right: { kind: 'constant', value: seconds, unit: 'time' },
  };
}

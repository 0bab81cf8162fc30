import { usageError } from '../../errors.ts';
import type { Expectation } from './expectation.ts';

/** `--max-drop 20%` as an expectation. Throws a usage error for anything but a percentage from 0 to 100. */
export function dropExpectation(text: string): Expectation {
  const [, digits] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text.trim()) ?? [];
  const percent = digits === undefined ? Number.NaN : Number(digits);
  if (!(percent >= 0 && percent <= 100))
    throw usageError(`--max-drop wants a percentage, not "${text}"`, 'write --max-drop 20%');
  return {
    text: `drop <= ${digits}%`,
    left: { kind: 'named', name: 'drop' },
    comparison: '<=',
    right: { kind: 'constant', value: percent, unit: 'percent' },
  };
}

import type { ExactNumber } from './json.ts';

const mark: unique symbol = Symbol.for('lossless-json.LosslessNumber');

/**
 * Whether a value is a number that kept its digits. It is told by the library's own mark: an object of the service or
 * the user that merely looks like one is an object.
 */
export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === 'object' && value !== null && mark in value;
}

import type { ErrorKind } from '../errors.ts';

/** The one table from kinds of failure to exit codes; docs/exit-codes.md explains them. */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = {
  usage: 2,
  'not-found': 3,
  authentication: 4,
  refused: 5,
  unavailable: 6,
  cancelled: 7,
  partial: 8,
  check: 9,
  interrupted: 130,
  terminated: 143,
};

export const DONE = 0;
/** A failure that nobody foresaw: a bug of ours. */
export const BUG = 1;

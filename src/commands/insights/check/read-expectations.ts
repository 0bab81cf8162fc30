import { type Duration, inMilliseconds } from '../../../cli/command/typed-value.ts';
import { usageError } from '../../../errors.ts';
import { ageExpectation } from '../../../queries/expectation/age-expectation.ts';
import { dropExpectation } from '../../../queries/expectation/drop-expectation.ts';
import type { Expectation } from '../../../queries/expectation/expectation.ts';
import { parseExpectation } from '../../../queries/expectation/parse-expectation.ts';

type Given = {
  readonly expect: readonly string[] | undefined;
  readonly maxDrop: string | undefined;
  readonly maxAge: Duration | undefined;
};

/** Everything that is expected. Throws a usage error for nothing at all, and for what cannot be read. */
export function readExpectations({ expect = [], maxDrop, maxAge }: Given): readonly Expectation[] {
  const all = [
    ...expect.map(parseExpectation),
    ...(maxDrop === undefined ? [] : [dropExpectation(maxDrop)]),
    ...(maxAge === undefined ? [] : [ageExpectation(inMilliseconds(maxAge))]),
  ];
  if (all.length > 0) return all;
  throw usageError('nothing is expected', "give --expect 'last >= 100', --max-drop 20% or --max-age 24h");
}

import { CliError } from '../../../errors.ts';
import type { Column } from '../../../output/look.ts';
import type { Result } from './judge-answer.ts';

export const checkColumns: readonly Column[] = [
  { key: 'series' },
  { key: 'breakdown' },
  { key: 'expected' },
  { key: 'found' },
  { key: 'holds' },
];

/** Throws `check` with a sentence for each expectation that does not hold. */
export function refuseFailed(results: readonly Result[], insight: string): void {
  const failed = results.filter(({ holds }) => !holds);
  if (failed.length === 0) return;
  const sentences = failed.map(sentence);
  const count = results.length === 1 ? '' : `${failed.length} of ${results.length} checks do not hold: `;
  throw new CliError('check', `${insight}: ${count}${sentences.join('; ')}`);
}

function sentence({ series, breakdown, expected, found }: Result): string {
  const who = [series, breakdown].filter((name) => name !== null).map((name) => `"${name}"`);
  const where = who.length > 0 ? ` for ${who.join(', ')}` : '';
  return `expected ${expected}${where}, but ${found}`;
}

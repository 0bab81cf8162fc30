import { CliError } from '../../../errors.ts';
import type { Series } from './series-of.ts';

type Wish = { readonly series: string | undefined; readonly breakdown: string | undefined };

const MOST_NAMED = 10;

/** The series that were asked for. Throws `check` where there is none: what is not there cannot hold. */
export function chooseSeries(all: readonly Series[], wish: Wish, insight: string): readonly Series[] {
  const { series, breakdown } = wish;
  const labelled = all.filter(({ label }) => series === undefined || label === series);
  if (labelled.length === 0)
    throw absent(
      `${insight} has no series "${series}"`,
      all.map(({ label }) => label),
    );
  const found = labelled.filter((one) => breakdown === undefined || one.breakdown === breakdown);
  if (found.length > 0) return found;
  throw absent(
    `${insight} has no breakdown value "${breakdown}"`,
    labelled.map((one) => one.breakdown),
  );
}

function absent(message: string, names: readonly (string | null)[]): CliError {
  const known = [...new Set(names.filter((name) => name !== null))];
  const more = known.length > MOST_NAMED ? ', ...' : '';
  const hint = known.length > 0 ? `there are ${known.slice(0, MOST_NAMED).join(', ')}${more}` : 'it has none';
  return new CliError('check', message, { hint });
}

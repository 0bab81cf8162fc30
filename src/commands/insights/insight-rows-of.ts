import { CliError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';

/** The rows of a list that comes bare or in an envelope. */
export function insightRowsOf(answer: Json | object | undefined): readonly Json[] {
  if (isRows(answer)) return answer;
  const results =
    typeof answer === 'object' && answer !== null && 'results' in answer ? answer.results : undefined;
  if (isRows(results)) return results;
  throw new CliError('unavailable', 'the service answered with something that is not a list of insights');
}

/** Elements of an answer are JSON, whatever they are. */
function isRows(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

import type { Context } from '../../../cli/context.ts';
import { CliError, changed } from '../../../errors.ts';

/**
 * What ended a run in its midst, with the name of the run and how to go on with it: nothing else has told of it by then.
 * A usage error comes before the first call and stays as it is, and so does a bug, beside which the name is told.
 */
export function nameRun(error: unknown, name: string, context: Context): unknown {
  const resume = `hogctl runs resume ${name} sends what is left`;
  if (!(error instanceof CliError)) {
    context.warn(`Run ${name}: ${resume}.`);
    return error;
  }
  if (error.kind === 'usage') return error;
  const hint = [error.hint, resume].filter(Boolean).join('; then ');
  return changed(error, { message: `run ${name}: ${error.message}`, hint });
}

import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';

/** Throws `interrupted` once a signal asked to stop: before the first deletion there is nothing to finish. */
export function stopIfAsked({ signal }: Pick<Context, 'signal'>): void {
  if (signal.aborted) throw new CliError('interrupted', 'interrupted, nothing was deleted');
}

import { CliError } from '../../errors.ts';

/** What to throw when a row of changes fails in its midst: `partial` where some were made, unless a signal ended it. */
export function inPart(
  failure: unknown,
  { done, total }: { readonly done: number; readonly total: number },
): unknown {
  if (!(failure instanceof CliError) || done === 0) return failure;
  const kind = failure.kind === 'interrupted' ? failure.kind : 'partial';
  const message = `${failure.message}; ${done} of ${total} changes were made before`;
  return new CliError(kind, message, { ...failure, cause: failure });
}

import { CliError } from '../../../errors.ts';

/** The same error, with each of the ids in its message replaced: the service may quote the ones that it refuses. */
export function maskIds(error: CliError, ids: readonly string[]): CliError {
  const { kind, hint, status, code, outcome, cause } = error;
  let message = error.message;
  // The longest first, so that an id within another one leaves nothing of it behind.
  for (const id of [...ids].sort((left, right) => right.length - left.length)) {
    if (id !== String(status) && message.includes(id)) message = replaceWhole(message, id);
  }
  return new CliError(kind, message, { hint, status, code, outcome, cause });
}

function replaceWhole(text: string, id: string): string {
  const pattern = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu'), '(an id)');
}

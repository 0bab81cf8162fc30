import { CliError } from '../errors.ts';
import { BUG, EXIT_CODES } from './exit-codes.ts';
import type { Talk } from './talk.ts';

/**
 * Says what went wrong on stderr, as two lines or as one line of JSON, and returns the exit code.
 * What is not a `CliError` is a bug of ours, and says so.
 */
export function printError(failure: unknown, talk: Talk, { json }: { readonly json: boolean }): number {
  const error = failure instanceof CliError ? failure : undefined;
  const code = error ? EXIT_CODES[error.kind] : BUG;
  const message =
    error?.message ?? `unexpected: ${failure instanceof Error ? failure.message : String(failure)}`;
  const hint = error ? error.hint : 'this is a bug in hogctl; --debug shows where';
  if (json) {
    const kind = error?.kind ?? 'bug';
    const { status = null, code: serviceCode = null } = error ?? {};
    const body = {
      kind,
      message: talk.redact(message),
      hint: hint === undefined ? null : talk.redact(hint),
      status,
      code: serviceCode,
      exit_code: code,
    };
    talk.warn(JSON.stringify({ error: body }));
    return code;
  }
  talk.warn(`error: ${message}`);
  if (hint !== undefined) talk.warn(`hint: ${hint}`);
  return code;
}

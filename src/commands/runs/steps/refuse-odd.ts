import type { PersonReference } from '../../../cli/command/arguments.ts';
import { findReason } from '../../../erasure/suspicious-ids.ts';
import { usageError } from '../../../errors.ts';

type Named = PersonReference | { readonly email?: string | undefined };

/** Throws a usage error for a person named by what a script or a spreadsheet leaves of an id, unless it is meant. */
export function refuseOdd(named: Named, allowOddIds = false): void {
  const distinctId = 'distinctId' in named ? named.distinctId : undefined;
  const text = 'email' in named ? named.email : distinctId;
  const reason = text === undefined || allowOddIds ? undefined : findReason(text);
  if (reason === undefined) return;
  const what = distinctId === undefined ? 'email' : 'distinct id';
  throw usageError(
    `the ${what} ${JSON.stringify(text)} looks damaged: ${reason}`,
    'correct it, or say --allow-odd-ids where it is meant as it stands; nothing was sent',
  );
}

import { idText } from '../api/ids.ts';
import type { Person } from '../api/schemas.ts';
import { findIdFault } from '../erasure/ids.ts';
import { CliError } from '../errors.ts';

/** The id of a person to act upon, as the service named it. Throws `refused` where that is neither an integer nor a UUID. */
export function actOn(id: Person['id'] | Person['uuid']): string {
  const text = idText(id);
  if (findIdFault('ids', text) === undefined) return text;
  throw new CliError('refused', 'the service answered with a person who has no id that can be used', {
    hint: 'check the host: an id is an integer or a UUID',
  });
}

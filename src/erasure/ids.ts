import { CliError } from '../errors.ts';
import { idText } from '../service/answer.ts';
import type { Person } from '../service/schemas.ts';

/** `ids`: person ids, an integer or a UUID. `distinct-ids`: the ids that events carry, any text. One call holds one kind. */
export type IdKind = 'ids' | 'distinct-ids';

const integer = /^[1-9]\d{0,18}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isInteger(id: string): boolean {
  return integer.test(id);
}

export function isUuid(id: string): boolean {
  return uuid.test(id);
}

/** The spelling by which ids are compared: person ids in lower case, distinct ids exactly as they are. */
export function normalizeId(kind: IdKind, id: string): string {
  return kind === 'ids' ? id.toLowerCase() : id;
}

export type IdFault = 'empty' | 'control character' | 'broken text' | 'not a person id';

/** What keeps a text from being an id of its kind, or nothing. */
export function findIdFault(kind: IdKind, id: string): IdFault | undefined {
  if (kind === 'ids' && (isUuid(id) || isInteger(id))) return undefined;
  if (id.trim() === '') return 'empty';
  if (/\p{Cc}/u.test(id)) return 'control character';
  if (/\p{Surrogate}/u.test(id)) return 'broken text';
  return kind === 'ids' ? 'not a person id' : undefined;
}

/** The id of a person to act upon, as the service named it. Throws `refused` where that is neither an integer nor a UUID. */
export function actOn(id: Person['id'] | Person['uuid']): string {
  const text = idText(id);
  if (findIdFault('ids', text) === undefined) return text;
  throw new CliError('refused', 'the service answered with a person who has no id that can be used', {
    hint: 'check the host: an id is an integer or a UUID',
  });
}

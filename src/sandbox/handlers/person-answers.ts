import type { Dialect } from '../../api/endpoint.ts';
import type { Person } from '../../api/schemas.ts';
import { toJsonInteger } from '../../json/parse.ts';
import { toText } from '../../json/write.ts';
import { writeMoment } from '../clock.ts';
import type { StoredPerson } from '../store/persons.ts';

const LIVE_LIST_DISTINCT_IDS = 1000;

/** A person as a single answer shows it, with the number as id. */
export function personAnswer(person: StoredPerson, dialect: Dialect): Person {
  const fields = {
    id: toJsonInteger(person.id),
    name: nameOf(person),
    distinct_ids: person.distinctIds,
    properties: person.properties,
    created_at: writeMoment(person.createdAt),
    uuid: person.uuid,
  };
  return dialect === 'live' ? { ...fields, last_seen_at: null } : fields;
}

/** A person as lists show it: in the live service under its uuid. */
export function personRow(person: StoredPerson, dialect: Dialect): Person {
  if (dialect === 'specification') return personAnswer(person, dialect);
  return {
    type: 'person',
    id: person.uuid,
    uuid: person.uuid,
    name: nameOf(person),
    distinct_ids: person.distinctIds.slice(0, LIVE_LIST_DISTINCT_IDS),
    properties: person.properties,
    created_at: writeMoment(person.createdAt),
    is_identified: person.isIdentified,
    matched_recordings: [],
    value_at_data_point: null,
  };
}

/** The address, else the name, else the first distinct id. */
export function nameOf(person: StoredPerson): string {
  const { email, name } = person.properties;
  for (const value of [email, name]) {
    if (value !== undefined && value !== null && value !== '') return toText(value);
  }
  return person.distinctIds[0] ?? person.uuid;
}

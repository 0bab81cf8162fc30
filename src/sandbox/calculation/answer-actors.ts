import type { Dialect } from '../../api/endpoint.ts';
import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { readActorsQuery } from '../analysis/definitions/actors-query.ts';
import { writeMoment } from '../clock.ts';
import { nameOf, personRow } from '../handlers/person-answers.ts';
import { personsCondition } from '../person-condition.ts';
import { invalid } from '../refusal.ts';
import { DEFAULT_ROWS, MOST_ROWS } from '../sql/row-limits.ts';
import { type StoredPerson, selectPersons } from '../store/persons.ts';
import { isGroup, listPeople, type PeoplePage, type PeoplePart, type PeopleSource } from './list-people.ts';
import type { Group } from './remember-people.ts';

const DEFAULT_SELECT = ['actor'];

type Surface = PeopleSource & { readonly dialect: Dialect };

/** Answers an `ActorsQuery`: rows in the order of `select`. Throws a `Refusal` 400 for what it cannot select. */
export async function answerActorsQuery(query: JsonObject, surface: Surface): Promise<JsonObject> {
  const part = { limit: readCount(query, 'limit', DEFAULT_ROWS), offset: readCount(query, 'offset', 0) };
  if (part.limit > MOST_ROWS) throw invalid('limit', `A query gives ${MOST_ROWS} rows at most.`);
  refuse(query, ['orderBy', 'fixedProperties']);
  const { select = DEFAULT_SELECT } = query;
  if (!isList(select)) throw invalid('select', 'Expected a list of items.', 'not_a_list');
  const columns = select.map((column) => readColumn(column, surface.dialect));
  const { people, missing, hasMore } = await readPage(query, part, surface);
  return {
    results: people.map((actor) => columns.map(({ read }) => read(actor))),
    columns: columns.map(({ name }) => name),
    types: null,
    hasMore,
    ...part,
    missing_actors_count: missing,
    hogql: null,
  };
}

function readCount(query: JsonObject, name: string, fallback: number): number {
  const value = query[name] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(name, 'A valid integer is required.');
}

/** Fields that would change the answer and are not read here. */
function refuse(query: JsonObject, names: readonly string[]): void {
  const given = names.find((name) => {
    const value = query[name] ?? null;
    return value !== null && !(isList(value) && value.length === 0) && value !== '';
  });
  if (given !== undefined) throw invalid(given, `The sandbox lists actors without ${given}.`);
}

async function readPage(query: JsonObject, part: PeoplePart, surface: Surface): Promise<PeoplePage> {
  if (isObject(query.source)) {
    refuse(query, ['search', 'properties']);
    return listPeople(readActorsQuery(query), part, surface);
  }
  const { session } = surface;
  const { search, properties } = query;
  const condition = await personsCondition(session, {
    search: typeof search === 'string' ? search : undefined,
    properties,
    withNames: true,
  });
  const found = await selectPersons(session, condition, { ...part, limit: part.limit + 1 });
  return { people: found.slice(0, part.limit), missing: 0, hasMore: found.length > part.limit };
}

type Actor = StoredPerson | Group;
type ActorColumn = { readonly name: string; readonly read: (actor: Actor) => Json };

const OF_PERSONS: Readonly<Record<string, (person: StoredPerson, dialect: Dialect) => Json>> = {
  actor: personRow,
  person: personRow,
  id: ({ uuid }) => uuid,
  uuid: ({ uuid }) => uuid,
  name: (person) => nameOf(person),
  distinct_ids: ({ distinctIds }) => distinctIds,
  distinct_id: ({ distinctIds }) => distinctIds[0] ?? null,
  created_at: ({ createdAt }) => writeMoment(createdAt),
  is_identified: ({ isIdentified }) => isIdentified,
  properties: ({ properties }) => properties,
  matched_recordings: () => [],
};

function readColumn(column: Json, dialect: Dialect): ActorColumn {
  const name = typeof column === 'string' ? column.trim() : '';
  const [, property] = /^(?:person\.)?properties\.(.+)$/.exec(name) ?? [];
  const key = property?.replace(/^["`](.*)["`]$/, '$1');
  const read = Object.hasOwn(OF_PERSONS, name) ? OF_PERSONS[name] : undefined;
  if (key === undefined && read === undefined) {
    throw invalid('select', `Actors have no "${name}" here, only ${Object.keys(OF_PERSONS).join(', ')}.`);
  }
  return {
    name: key ?? name,
    read: (actor) => {
      if (key !== undefined)
        return Object.hasOwn(actor.properties, key) ? (actor.properties[key] ?? null) : null;
      return isGroup(actor) ? groupColumn(actor, name) : (read?.(actor, dialect) ?? null);
    },
  };
}

function groupColumn(group: Group, name: string): Json {
  if (name === 'actor') return groupRow(group);
  if (name === 'id' || name === 'name') return group.key;
  return name === 'properties' ? group.properties : null;
}

/** A group as lists of actors show it. */
export function groupRow({ key, typeIndex, properties }: Group): JsonObject {
  return { type: 'group', id: key, group_key: key, group_type_index: typeIndex, properties };
}

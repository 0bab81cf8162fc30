import type { ActorsRequest } from '../analysis/definitions/actors-request.ts';
import { findActors } from '../analysis/find-actors.ts';
import type { Session } from '../store/open-session.ts';
import { personsByIds, type StoredPerson } from '../store/persons.ts';
import { neededEvents } from './needed-events.ts';
import { neededProperties } from './needed-properties.ts';
import { readSurroundings } from './project-settings.ts';
import { readDataset } from './read-dataset.ts';
import type { Everybody, FindPeople, Group } from './remember-people.ts';

/** One page of the people, or groups, behind a number. `missing` counts those of the page who have no profile. */
export type PeoplePage = {
  readonly people: readonly (StoredPerson | Group)[];
  readonly missing: number;
  readonly hasMore: boolean;
};

export type PeoplePart = { readonly limit: number; readonly offset: number };

/** What people are looked for in. */
export type PeopleSource = {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly findPeople: FindPeople;
};

/** A page of everybody behind a number of an analysis. Throws a `Refusal` 400 where the analysis does. */
export async function listPeople(
  request: ActorsRequest,
  { limit, offset }: PeoplePart,
  source: PeopleSource,
): Promise<PeoplePage> {
  const everybody = await source.findPeople(JSON.stringify(request), () => findEverybody(request, source));
  const page = everybody.slice(offset, offset + limit);
  const uuids = page.filter((actor) => typeof actor === 'string');
  const stored = new Map((await personsByIds(source.session, uuids)).map((person) => [person.uuid, person]));
  const people = page.flatMap((actor) => {
    const found = typeof actor === 'string' ? stored.get(actor) : actor;
    return found === undefined ? [] : [found];
  });
  return { people, missing: page.length - people.length, hasMore: everybody.length > offset + limit };
}

async function findEverybody(request: ActorsRequest, { session, signal }: PeopleSource): Promise<Everybody> {
  const surroundings = await readSurroundings(session);
  const needs = {
    events: neededEvents(request.of, surroundings, request.wanted),
    properties: neededProperties(request.of, surroundings, request.wanted),
  };
  const actors = findActors(request, await readDataset(session, needs, signal), surroundings);
  return actors.map((actor) => (actor.kind === 'group' ? actor : actor.person.uuid));
}

/** Whether an actor of a page is a group. */
export function isGroup(actor: StoredPerson | Group): actor is Group {
  return 'kind' in actor;
}

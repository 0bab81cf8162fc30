import type { Actor } from '../analysis/actors.ts';
import type { ActorsRequest } from '../analysis/definitions/actors-request.ts';
import { findActors } from '../analysis/find-actors.ts';
import type { Session } from '../store/open-session.ts';
import { personsByIds, type StoredPerson } from '../store/persons.ts';
import { neededEvents } from './needed-events.ts';
import { neededProperties } from './needed-properties.ts';
import { readSurroundings } from './project-settings.ts';
import { readDataset } from './read-dataset.ts';

export type Group = Extract<Actor, { kind: 'group' }>;

/** One page of the people, or groups, behind a number. `missing` counts those of the page who have no profile. */
export type PeoplePage = {
  readonly people: readonly (StoredPerson | Group)[];
  readonly missing: number;
  readonly hasMore: boolean;
};

export type PeoplePart = { readonly limit: number; readonly offset: number };

/** Everybody behind a number of an analysis, a page of them. Throws a `Refusal` 400 where the analysis does. */
export async function listPeople(
  request: ActorsRequest,
  { limit, offset }: PeoplePart,
  { session, signal }: { readonly session: Session; readonly signal: AbortSignal },
): Promise<PeoplePage> {
  const surroundings = await readSurroundings(session);
  const needs = {
    events: neededEvents(request.of, surroundings, request.wanted),
    properties: neededProperties(request.of, surroundings, request.wanted),
  };
  const actors = findActors(request, await readDataset(session, needs, signal), surroundings);
  const page = actors.slice(offset, offset + limit);
  const uuids = page.flatMap((actor) => (actor.kind === 'person' ? [actor.person.uuid] : []));
  const stored = new Map((await personsByIds(session, uuids)).map((person) => [person.uuid, person]));
  const people = page.flatMap((actor) => {
    const found = actor.kind === 'group' ? actor : stored.get(actor.person.uuid);
    return found === undefined ? [] : [found];
  });
  return { people, missing: page.length - people.length, hasMore: actors.length > offset + limit };
}

/** Whether an actor of a page is a group. */
export function isGroup(actor: StoredPerson | Group): actor is Group {
  return 'kind' in actor;
}

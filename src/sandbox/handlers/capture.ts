import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import type { NewEvent } from '../content.ts';
import { type Moment, readMoment } from '../operator.ts';
import { Refusal } from '../refusal.ts';
import { loadEvents, loadPersons } from '../store/load-content.ts';
import type { Store } from '../store/open-store.ts';
import {
  giveDistinctId,
  markIdentified,
  mergePersons,
  personsByDistinctIds,
  replaceProperties,
  type StoredPerson,
} from '../store/persons.ts';

/** What clients in people's own programs send, by its path; their key is the project token in the body. */
export const CAPTURE_PATHS = ['/batch', '/flags'] as const;

type Capturing = { readonly store: Store; readonly now: Moment; readonly token: string };

/** Answers a client: events are taken, and there are no feature flags. Throws a `Refusal` 401 without the token. */
export async function capture(
  path: (typeof CAPTURE_PATHS)[number],
  body: JsonObject,
  { store, now, token }: Capturing,
): Promise<JsonObject> {
  const { api_key: key = body.token } = body;
  if (key !== token)
    throw new Refusal(401, 'Project API key invalid. You can find it where the sandbox was started.', {
      type: 'authentication_error',
      code: 'invalid_api_key',
    });
  if (path === '/flags')
    return { flags: {}, featureFlags: {}, featureFlagPayloads: {}, errorsWhileComputingFlags: false };
  const broken = await takeBatch(store, body, now);
  // The others of a batch are kept, and the service answers that all went well; here one is told what did not.
  return { status: 1, ...(broken.length === 0 ? {} : { broken }) };
}

type Arrival = NewEvent & { readonly fields: JsonObject };

/** Takes the events in their order; answers which could not be read, and why. */
async function takeBatch(
  store: Store,
  { batch, sent_at: sentAt }: JsonObject,
  now: Moment,
): Promise<readonly string[]> {
  const broken: string[] = [];
  const sent = typeof sentAt === 'string' ? readMoment(sentAt) : undefined;
  const arrivals = (batch !== undefined && isList(batch) ? batch : []).flatMap(
    (value, at): readonly Arrival[] => {
      const arrival = readArrival(value, { now, sent });
      if (typeof arrival !== 'string') return [arrival];
      broken.push(`batch[${at}] ${arrival}`);
      return [];
    },
  );
  for (const arrival of arrivals) await settlePerson(store, arrival, now);
  await loadEvents(store, arrivals, now);
  return broken;
}

type Clocks = { readonly now: Moment; readonly sent: Moment | undefined };

/** A client's clock may be wrong, so that what counts is how long before sending something happened. */
function readArrival(value: Json, { now, sent }: Clocks): Arrival | string {
  if (!isObject(value)) return 'is not an object';
  const { event, timestamp, properties = {} } = value;
  if (!isObject(properties)) return 'has properties that are not an object';
  const { distinct_id: distinctId = properties.distinct_id } = value;
  if (typeof event !== 'string' || event === '') return 'has no event';
  if (typeof distinctId !== 'string' || distinctId === '') return 'has no distinct_id';
  const given = typeof timestamp === 'string' ? readMoment(timestamp) : undefined;
  const happened = given === undefined || sent === undefined ? given : now - (sent - given);
  return {
    event,
    distinctId,
    timestamp: happened ?? now,
    properties: writeJson(properties),
    fields: { ...value, ...properties },
  };
}

/** Makes, merges and changes the person of an event, as the service does by the names of a few events. */
async function settlePerson(
  store: Store,
  { event, distinctId, fields, timestamp }: Arrival,
  now: Moment,
): Promise<void> {
  const { $process_person_profile: wantsPerson, $anon_distinct_id: anonymous, alias } = fields;
  if (wantsPerson === false) return;
  const person = (await personOf(store, distinctId)) ?? (await makePerson(store, distinctId, timestamp));
  const other = { $identify: anonymous, $create_alias: alias, $merge_dangerously: alias }[event];
  if (typeof other === 'string' && other !== '' && other !== distinctId)
    await join(store, person, { other, isForced: event === '$merge_dangerously' });
  if (event === '$identify') await markIdentified(store, person.id);
  const joined = (await personOf(store, distinctId)) ?? person;
  const properties = changed(joined.properties, fields);
  if (writeJson(properties) !== writeJson(joined.properties))
    await replaceProperties(store, [{ person: joined, properties, now }]);
}

async function personOf(store: Store, distinctId: string): Promise<StoredPerson | undefined> {
  const [person] = await personsByDistinctIds(store, [distinctId]);
  return person;
}

async function makePerson(store: Store, distinctId: string, createdAt: Moment): Promise<StoredPerson> {
  const made = {
    id: undefined,
    uuid: undefined,
    distinctIds: [distinctId],
    properties: '{}',
    createdAt,
    isIdentified: false,
  };
  await loadPersons(store, [made], () => distinctId);
  const person = await personOf(store, distinctId);
  if (person === undefined) throw new Error(`${distinctId} was given to a person who was not found`);
  return person;
}

/** The person of another distinct id becomes part of this one, unless it is known by a name already. */
async function join(
  store: Store,
  person: StoredPerson,
  { other, isForced }: { readonly other: string; readonly isForced: boolean },
): Promise<void> {
  const found = await personOf(store, other);
  if (found === undefined) await giveDistinctId(store, other, person);
  else if (found.id !== person.id && (isForced || !found.isIdentified))
    await mergePersons(store, { from: found, into: person });
}

function changed(before: JsonObject, { $set, $set_once: once, $unset }: JsonObject): JsonObject {
  const gone = $unset !== undefined && isList($unset) ? $unset : [];
  const properties = {
    ...(isObject(once ?? null) ? (once as JsonObject) : {}),
    ...before,
    ...(isObject($set ?? null) ? ($set as JsonObject) : {}),
  };
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !gone.includes(key)));
}

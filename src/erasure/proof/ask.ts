import { foreseen } from '../../errors.ts';
import { readTime } from '../../semantics/service-time.ts';
import type { IdKind } from '../input/checks.ts';
import { lookUpSize } from '../people/resolve.ts';
import type { EventsCount, LookUp, SqlAccess, SqlPerson, SqlStore, StoreName } from '../people/sql.ts';
import { askedAs, type Entry } from '../record/entry.ts';
import type { MemberLine } from '../record/ids-file.ts';
import type { EventsCheck, Verification } from '../record/journal.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { isOfNobody, lastAnswer, type Outcome, reconcile } from '../record/outcome.ts';
import { countOpen, lostAnswers, type Part, partsOf, stateOf } from '../record/state.ts';
import { findByOtherIds, findNow, personMemberOf } from '../sending/look-again.ts';
import {
  countBySql,
  countByStatus,
  countOwedEvents,
  type EventDeletions,
  eventsNotBefore,
  isWaitingOnly,
  lastMoment,
  momentText,
  sqlChunksOf,
  subjectOf,
} from './verdict.ts';

/** Somebody who is there now, by an id of the run. Personal data: shown, never written down. */
export type Seen = {
  readonly kind: IdKind;
  readonly id: string;
  readonly uuid: string;
  /**
   * `left`: the person of the plan, from before the deletion. `come back`: somebody from after it. `another`: somebody else
   * from before it, or of whom that cannot be told, whom no call was about.
   */
  readonly state: 'left' | 'come back' | 'another';
  readonly stores: readonly StoreName[];
  readonly created_at: string | null;
  /** The last event that came after the deletion, and the distinct id that sent it. */
  readonly last_event: string | null;
  readonly sent_by: string | null;
};

export type VerificationAnswer = Verification & {
  readonly people: readonly Seen[];
  /** What of a line is known to be done, as receipts tell it. */
  readonly prove: Prove;
  /** Ids that are not known to be done: the run can be resumed. */
  readonly open: number;
  /** What came of the run before it was asked about. */
  readonly outcome: Outcome;
};

/** What a verification tells of a line of the record; nothing if it was not asked about. */
export type Prove = (line: MemberLine) => boolean | null;

type Asking = {
  readonly lookUp: LookUp;
  /** Whether one request asks about many, so that all ids of the plan can be asked about: SQL may lag behind. */
  readonly canLookUpMany?: (() => boolean) | undefined;
  /** Absent if the service does not tell. */
  readonly eventDeletions?: EventDeletions | undefined;
  readonly sql: SqlAccess;
  /** Now (ISO), by the service's clock if it told. */
  readonly now: () => string;
  /** What the service's clock said last (ISO), if it told. */
  readonly serviceTime?: (() => string | undefined) | undefined;
  /** Told how many ids were asked about. */
  readonly onProgress?: ((asked: number) => void) | undefined;
};

/**
 * Asks both stores whether anybody of the run is left and, if events were to be deleted, whether they have gone;
 * writes the figures into the journal. It holds if all that was asked for is known to be done. Somebody who came back,
 * and events from after the deletion, are told and owe nothing. Throws what the service's refusals are not.
 */
export async function verifyRun(run: Run, asking: Asking): Promise<VerificationAnswer> {
  const { flags } = run.plan;
  const people: Seen[] = [];
  const search = { people, asked: 0, there: new Set<string>() };
  for (const part of partsOf(run.state())) {
    // With --keep-person they are meant to stay, so only their events are asked about.
    if (!flags.keepPerson) await searchPart(run, part, { ...asking, search });
    else if (flags.deleteEvents) search.asked += run.entries(part.from, part.count).length;
  }
  const inState = (state: Seen['state']) => search.people.filter((one) => one.state === state).length;
  const [left, others] = [inState('left'), inState('another')];
  const unsent = partsOf(run.state()).filter(isUnsent);
  const unsentIds = unsent.reduce((sum, { count }) => sum + count, 0);
  const proof = flags.deleteEvents ? await proveEvents(run, asking) : { events: null };
  const open = countOpen(run.state());
  const outcome = reconcile(run);
  const recordingsNotQueued = outcome.recordingsQueued?.notQueued ?? 0;
  const owed = countOwedEvents(proof.events);
  // Without an answered call, no deletion of events or recordings was asked for.
  const isAsked = open === 0 || !(flags.deleteEvents || flags.deleteRecordings);
  const isAllProven = owed + recordingsNotQueued === 0 && isAsked && !('missingScope' in proof);
  const verification: Verification = {
    asked: search.asked,
    left,
    recreated: inState('come back'),
    ...(others > 0 ? { others } : {}),
    ...(unsentIds > 0 ? { unsent: unsentIds } : {}),
    holds: left + others + unsentIds === 0 && isAllProven,
    stores: 'store' in asking.sql ? ['person list', 'sql'] : ['person list'],
    ...proof,
    ...(owed > 0 && isPending(outcome, proof.events) ? pendingUntil(run, asking.now()) : {}),
  };
  run.append({ type: 'verified', ...verification });
  return {
    ...verification,
    people: search.people,
    prove: createProve(run, { there: search.there, isAllProven }),
    open,
    outcome,
  };
}

/** No call was about its ids: a person who is not there was not deleted by this run. */
function isUnsent({ sending }: Part): boolean {
  return ['not sent', 'failed'].includes(stateOf(sending));
}

/** A further id of somebody shares what was found of that person. Nothing is told of an id without a person. */
function createProve(
  run: RunRecord,
  { there, isAllProven }: { readonly there: ReadonlySet<string>; readonly isAllProven: boolean },
): Prove {
  let asked: ReadonlyMap<string, boolean> | undefined;
  const listAsked = () =>
    partsOf(run.state()).flatMap((part) =>
      run
        .entries(part.from, part.count)
        .map((entry) => [personMemberOf(run, entry) ?? '', !isUnsent(part)] as const),
    );
  return ({ member, person }) => {
    if (person === null) return null;
    asked ??= new Map(listAsked());
    return asked.get(person) === true && isAllProven && ![member, person].some((one) => there.has(one));
  };
}

type Proof = { readonly events: EventsCheck | EventsCount | null; readonly missingScope?: string };

/** By the deletion status if the service has one, else by counting. */
async function proveEvents(run: RunRecord, { eventDeletions, sql }: Asking): Promise<Proof> {
  if (eventDeletions !== undefined) {
    try {
      return { events: await countByStatus(run, eventDeletions) };
    } catch (error) {
      const failure = foreseen(error);
      // An older service has no such endpoint.
      if (failure.status !== 404 && failure.status !== 405) throw failure;
    }
  }
  if ('store' in sql) return { events: await countBySql(run, sql.store) };
  if (sql.refusal.kind === 'authentication') return { events: null, missingScope: 'query:read' };
  throw sql.refusal;
}

/** Otherwise the service took none on, and waiting does not help. */
function isPending(outcome: Outcome, events: Proof['events']): boolean {
  return !isOfNobody(outcome) && !outcome.eventsQueued?.notQueued && isWaitingOnly(events);
}

/** Nothing if the day has passed, too. */
function pendingUntil(run: RunRecord, now: string): { readonly pendingUntil?: string } {
  const last = lastAnswer(run.state());
  if (last === undefined) return {};
  const { at } = eventsNotBefore(last);
  return Date.parse(now) < Date.parse(at) ? { pendingUntil: at } : {};
}

type Search = Asking & {
  readonly search: { readonly people: Seen[]; asked: number; readonly there: Set<string> };
};

async function searchPart(run: RunRecord, part: Part, asking: Search): Promise<void> {
  const { sql, search, onProgress } = asking;
  const moments = momentsOf(run, part);
  for (const entries of sqlChunksOf(run, part)) {
    const found = new Map<string, Found>();
    for (let from = 0; from < entries.length; from += lookUpSize) {
      const some = entries.slice(from, from + lookUpSize);
      search.asked += some.length;
      await searchList(run, some, { ...asking, found, isSure: moments.isSure && 'store' in sql });
      onProgress?.(search.asked);
    }
    if ('store' in sql) await searchSql(entries, { store: sql.store, found });
    // The service tells its time with the answers above.
    const now = asking.serviceTime?.();
    const seen = [...found.values()].map((one) => {
      const person = toSeen(run, one, { ...moments, now: endOf(now) });
      if (person.state === 'come back') return person;
      search.there.add(run.memberOf(one.entry.kind, one.entry.id));
      search.there.add(personMemberOf(run, one.entry) ?? run.memberOf('ids', one.uuid));
      return person;
    });
    const dating = 'store' in sql ? { entries, store: sql.store, last: moments.last } : undefined;
    search.people.push(...(dating && seen.length > 0 ? await dateSenders(seen, dating) : seen));
  }
}

/** What dates who is behind the ids of a part now. */
type Moments = {
  /** Of the deletion, in milliseconds. */
  readonly last: number;
  /** The call found as many persons as it was about, so each of them was there until then. */
  readonly isSure: boolean;
  /** Of the plan, by the service's clock: then all known ids led to its persons. Later looks ask by the given ones only. */
  readonly lookedUp: number;
};

/** A second of the service's clock (ISO) to its end; endless if it does not tell. */
function endOf(time: string | undefined): number {
  return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time) + 999;
}

function momentsOf({ plan }: RunRecord, { sending }: Part): Moments {
  const { answer, gone, withheld } = sending;
  const isWhole = answer?.found === sending.sent && gone + withheld.length + lostAnswers(sending) === 0;
  const lookedUp = Date.parse(plan.serviceTime ?? '');
  return { last: lastMoment(sending, plan), isSure: isWhole, lookedUp };
}

/**
 * By the ids as they were given, and by all others that the plan knows of their persons if one was split, or merged, or
 * may have been.
 */
async function searchList(
  run: RunRecord,
  entries: readonly Entry[],
  {
    lookUp,
    canLookUpMany = () => false,
    found,
    isSure,
  }: Asking & { readonly found: Map<string, Found>; readonly isSure: boolean },
): Promise<void> {
  const now = await findNow(entries, lookUp);
  const moved = now.filter(({ entry, person }) => isAnother(run, entry, person.uuid));
  // The service is known by its first answer.
  const open = isSure && !canLookUpMany() ? moved.map(({ entry }) => entry) : entries;
  for (const { entry, person } of [...now, ...(await findByOtherIds(open, lookUp))])
    addFound(found, { ...person, entry, id: askedAs(entry) }, 'person list');
}

function isAnother(run: RunRecord, entry: Entry, uuid: string): boolean {
  return personMemberOf(run, entry) !== run.memberOf('ids', uuid);
}

type Found = {
  readonly entry: Entry;
  readonly id: string;
  readonly uuid: string;
  readonly createdAt?: string | undefined;
  readonly stores: readonly StoreName[];
};

function addFound(found: Map<string, Found>, one: Omit<Found, 'stores'>, store: StoreName): void {
  const key = JSON.stringify([one.entry.kind, one.entry.id, one.uuid.toLowerCase()]);
  const known = found.get(key) ?? { ...one, stores: [] };
  found.set(key, { ...known, stores: [...new Set([...known.stores, store])] });
}

/** By the persons of the plan and by all of their distinct ids, since SQL may show either. */
async function searchSql(
  entries: readonly Entry[],
  { store, found }: { readonly store: SqlStore; readonly found: Map<string, Found> },
): Promise<void> {
  const owners = new Map<string, Entry>();
  for (const entry of entries) {
    const { distinctIds, uuids } = subjectOf([entry]);
    for (const id of [...distinctIds, ...uuids]) owners.set(id, entry);
  }
  const shown = new Map<string, SqlPerson>();
  for (const person of await store.findPersons(subjectOf(entries))) {
    const entry = owners.get(person.id);
    const key = JSON.stringify([entry?.kind, entry?.id, person.uuid]);
    if (entry === undefined || shown.has(key)) continue;
    shown.set(key, person);
    addFound(found, { ...person, entry, id: askedAs(entry) }, 'sql');
  }
}

function toSeen(
  run: RunRecord,
  { entry, id, uuid, createdAt, stores }: Found,
  moments: Moments & { readonly now: number },
): Seen {
  const { last, isSure, lookedUp, now } = moments;
  const created = readTime(createdAt) ?? Number.NaN;
  const stays = isAnother(run, entry, uuid) ? 'another' : 'left';
  // The id led to the planned person until the look-up, and that person was there until the call.
  const isOlder = stays === 'another' && isSure && created < lookedUp;
  // Nobody was created after the service's present, nor answers before the plan was made.
  const isLater = created > last && created <= now;
  const state = isLater || isOlder ? 'come back' : stays;
  const created_at = createdAt ?? null;
  return { kind: entry.kind, id, uuid, state, stores, created_at, last_event: null, sent_by: null };
}

type Dating = {
  readonly entries: readonly Entry[];
  readonly store: SqlStore;
  /** Of the deletion, in milliseconds. */
  readonly last: number;
};

/** Adds which distinct id still sends, and when it last did: that is what to stop. */
async function dateSenders(
  seen: readonly Seen[],
  { entries, store, last }: Dating,
): Promise<readonly Seen[]> {
  const ids = new Set(seen.map(({ id }) => id));
  const { distinctIds, uuids } = subjectOf(entries.filter((entry) => ids.has(askedAs(entry))));
  const all = { distinctIds, uuids: [...new Set([...uuids, ...seen.map(({ uuid }) => uuid)])] };
  const senders = await store.findSenders(all, momentText(last));
  return seen.map((one) => {
    const sender = senders.find(
      ({ uuid, distinctId }) => uuid === one.uuid.toLowerCase() || distinctId === one.id,
    );
    return sender === undefined ? one : { ...one, last_event: sender.lastEvent, sent_by: sender.distinctId };
  });
}

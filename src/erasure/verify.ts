import { type CliError, foreseen, usageError } from '../errors.ts';
import { askedAs, type Entry, type IdKind } from './collect-ids.ts';
import type { EventsCheck, EventsCount, StoreName, Verification } from './journal.ts';
import { lastAnswer, type Outcome, reconcile } from './outcome.ts';
import {
  countAskable,
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
} from './proof.ts';
import type { Prove } from './receipt.ts';
import { findNow, lookUpSize } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { countOpen, type Part, partsOf } from './run-state.ts';
import { personMemberOf } from './send-again.ts';
import type { LookUp, SqlAccess, SqlPerson, SqlStore } from './sql-store.ts';

/** Somebody who is there now, by an id of the run. Personal data: shown, never written down. */
export type Seen = {
  readonly kind: IdKind;
  readonly id: string;
  readonly uuid: string;
  /** `left`: the person of the plan, from before the deletion. `come back`: somebody from after it, or another person. */
  readonly state: 'left' | 'come back';
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

type Asking = {
  readonly lookUp: LookUp;
  /** Absent if the service does not tell. */
  readonly eventDeletions?: EventDeletions | undefined;
  readonly sql: SqlAccess;
  /** Now (ISO), by the service's clock if it told. */
  readonly now: () => string;
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
  const search = { people, asked: 0, left: new Set<string>() };
  for (const part of partsOf(run.state())) {
    // With --keep-person they are meant to stay, so only their events are asked about.
    if (!flags.keepPerson) await searchPart(run, part, { ...asking, search });
    else if (flags.deleteEvents) search.asked += run.entries(part.from, part.count).length;
  }
  if (search.asked === 0 && countAskable(run) > 0) throw nothingToAsk();
  const left = search.people.filter(({ state }) => state === 'left').length;
  const recreated = search.people.length - left;
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
    recreated,
    holds: left === 0 && isAllProven,
    stores: 'store' in asking.sql ? ['person list', 'sql'] : ['person list'],
    ...proof,
    ...(owed > 0 && isPending(outcome, proof.events) ? pendingUntil(run, asking.now()) : {}),
  };
  run.append({ type: 'verified', ...verification });
  return {
    ...verification,
    people: search.people,
    prove: createProve(run, { left: search.left, isAllProven }),
    open,
    outcome,
  };
}

function nothingToAsk(): CliError {
  return usageError(
    'none of the ids that were given was sent: this run sent other ids of these persons',
    'give the whole list of the request',
  );
}

/** A further id of somebody shares what was found of that person; of somebody who was not asked about nothing is told. */
function createProve(
  run: RunRecord,
  { left, isAllProven }: { readonly left: ReadonlySet<string>; readonly isAllProven: boolean },
): Prove {
  let asked: ReadonlySet<string> | undefined;
  const listAsked = () =>
    partsOf(run.state()).flatMap((part) =>
      run
        .entries(part.from, part.count)
        .map((entry) => personMemberOf(run, entry) ?? run.memberOf(entry.kind, entry.id)),
    );
  return ({ member, person }) => {
    asked ??= new Set(listAsked());
    if (person === null || !asked.has(person ?? member)) return null;
    return isAllProven && ![member, person ?? member].some((one) => left.has(one));
  };
}

type Proof = { readonly events: EventsCheck | EventsCount | null; readonly missingScope?: string };

/** By the deletion status if the service has one and the run knows the persons that it names, else by counting. */
async function proveEvents(run: RunRecord, { eventDeletions, sql }: Asking): Promise<Proof> {
  const { resolved, groups } = run.plan;
  const isUnresolved = resolved === undefined && groups.some(({ kind }) => kind === 'distinct-ids');
  if (isUnresolved && 'store' in sql) return { events: await countBySql(run, sql.store) };
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
function isPending({ verdict, eventsQueued }: Outcome, events: Proof['events']): boolean {
  return verdict !== 'nobody found' && !eventsQueued?.notQueued && isWaitingOnly(events);
}

/** Nothing if the day has passed, too. */
function pendingUntil(run: RunRecord, now: string): { readonly pendingUntil?: string } {
  const last = lastAnswer(run.state());
  if (last === undefined) return {};
  const { at } = eventsNotBefore(last);
  return Date.parse(now) < Date.parse(at) ? { pendingUntil: at } : {};
}

type Search = Asking & {
  readonly search: { readonly people: Seen[]; asked: number; readonly left: Set<string> };
};

async function searchPart(run: RunRecord, part: Part, asking: Search): Promise<void> {
  const { sql, search, onProgress } = asking;
  const last = lastMoment(part.sending);
  for (const entries of sqlChunksOf(run, part)) {
    const found = new Map<string, Found>();
    for (let from = 0; from < entries.length; from += lookUpSize) {
      const some = entries.slice(from, from + lookUpSize);
      search.asked += some.length;
      for (const { entry, person } of await findNow(some, asking.lookUp))
        addFound(found, { entry, ...person }, 'person list');
      onProgress?.(search.asked);
    }
    if ('store' in sql) await searchSql(entries, { store: sql.store, found });
    const seen = [...found.values()].map((one) => {
      const person = toSeen(run, one, last);
      if (person.state === 'left') {
        search.left.add(run.memberOf(one.entry.kind, one.entry.id));
        search.left.add(run.memberOf('ids', one.uuid));
      }
      return person;
    });
    const isDated = seen.length > 0 && 'store' in sql;
    search.people.push(...(isDated ? await dateSenders(seen, { entries, store: sql.store, last }) : seen));
  }
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
  found.set(key, { ...known, stores: [...known.stores, store] });
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

function toSeen(run: RunRecord, { entry, id, uuid, createdAt, stores }: Found, last: number): Seen {
  const planned = personMemberOf(run, entry);
  const isOther = typeof planned === 'string' && planned !== run.memberOf('ids', uuid);
  const state = isOther || Date.parse(createdAt ?? '') > last ? 'come back' : 'left';
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

import { readMoment } from '../../semantics/service-time.ts';
import { isOwed, questionsOf } from '../core.ts';
import type { Batch, Person, StoreName, Target, Verdict } from '../facts.ts';
import type { IdKind } from '../input/checks.ts';
import { type AskedId, idsOfPerson, type StoreAnswer } from '../people/look.ts';
import type { SqlStore, SqlSubject } from '../people/sql.ts';
import type { EventsFound, Verification } from '../record/journal.ts';
import type { Run } from '../record/open.ts';
import { idsOf, toRanges } from '../record/sightings.ts';
import { countOwed } from '../record/state.ts';
import { knownIds, type Looking } from '../sending/look.ts';
import { type EventDeletions, eventsNotBefore, rowsOf } from './events.ts';
import { lastAnswer } from './outcome.ts';

/** Somebody who is there now, by an id of the run. Personal data: shown, never written down. */
export type Seen = {
  readonly kind: IdKind;
  readonly id: string;
  readonly uuid: string;
  /**
   * `left`: the person of the plan. `came back`: somebody who has an id since it was free. `another`: somebody else who
   * has an id that was never seen free.
   */
  readonly state: 'left' | 'came back' | 'another';
  readonly stores: readonly StoreName[];
  readonly created_at: string | null;
  /** The last event that came after the deletion, and the distinct id that sent it. */
  readonly last_event: string | null;
  readonly sent_by: string | null;
};

export type VerificationAnswer = Verification & { readonly people: readonly Seen[] };

type Asking = {
  readonly looking: Looking;
  /** Absent if the service does not tell. */
  readonly eventDeletions?: EventDeletions | undefined;
  /** Now (ISO) by the clock here. */
  readonly now: () => string;
  /** Told how many ids were asked about. */
  readonly onProgress?: ((asked: number) => void) | undefined;
};

/**
 * Asks both stores whether anybody of the run is left and, if events were to be deleted, whether they have gone; writes
 * down what they said, and what that proves. It holds if nothing is owed any more. Throws what the service's refusals
 * are not.
 */
export async function verifyRun(run: Run, asking: Asking): Promise<VerificationAnswer> {
  const { flags } = run.plan;
  const { sql, refusal } = await asking.looking.stores();
  const people: Seen[] = [];
  const events: Counting = { gone: 0, open: 0, left: 0, later: 0, isCounted: false };
  let asked = 0;
  let isUnasked = false;
  const numbers = run.state().batches.map((_, at) => at + 1);
  for (const batch of numbers) {
    if (!flags.keepPerson)
      for (const one of await searchBatch(run, batch, { ...asking, sql })) people.push(one);
    if (flags.deleteEvents)
      isUnasked = !(await proveEvents(run, batch, { ...asking, sql }, events)) || isUnasked;
    asked += run.state().batches[batch - 1]?.ids ?? 0;
    asking.onProgress?.(asked);
  }
  const tally = run.tally();
  const count = (state: Seen['state']) => people.filter((one) => one.state === state).length;
  const isWaiting = flags.deleteEvents && events.open > 0 && countWaiting(tally) > 0;
  const verification: Verification = {
    asked,
    left: count('left'),
    others: count('another'),
    cameBack: count('came back'),
    tally,
    holds: countOwed(tally) === 0,
    stores: run.core().stores.filter((store) => store === 'list' || sql !== undefined),
    events: flags.deleteEvents ? toFound(events, asking) : null,
    ...(isWaiting
      ? pendingUntil(run, asking.looking.serviceTime() ?? events.serviceTime ?? asking.now())
      : {}),
    ...missingScope(run, { isUnasked, isRefused: refusal?.kind === 'authentication' }),
  };
  run.append({ type: 'verified', ...verification });
  return { ...verification, people };
}

type Counting = {
  gone: number;
  open: number;
  left: number;
  later: number;
  isCounted: boolean;
  serviceTime?: string | undefined;
};

function toFound({ gone, open, left, later, isCounted }: Counting, { eventDeletions }: Asking): EventsFound {
  return eventDeletions === undefined || isCounted ? { gone, open, left, later } : { gone, open };
}

/** A store that answered in this run, and may not be asked any more; or events of which nothing may be asked. */
function missingScope(
  run: Run,
  { isUnasked, isRefused }: { readonly isUnasked: boolean; readonly isRefused: boolean },
): { readonly missingScope?: string } {
  const isStoreGone = isRefused && run.core().stores.includes('sql');
  return (isUnasked && isRefused) || isStoreGone ? { missingScope: 'query:read' } : {};
}

/** Nothing if the day has passed, too. */
function pendingUntil(run: Run, now: string): { readonly pendingUntil?: string } {
  const last = lastAnswer(run.state());
  if (last === undefined) return {};
  const { at } = eventsNotBefore(last);
  return Date.parse(now) < Date.parse(at) ? { pendingUntil: at } : {};
}

type Searching = Asking & { readonly sql: SqlStore | undefined };

async function searchBatch(run: Run, batch: number, { looking, sql }: Searching): Promise<readonly Seen[]> {
  const { batch: before } = run.standing(batch);
  const answers = await looking.everybody(batch);
  const seen = peopleIn(run, before, answers);
  return sql !== undefined && seen.length > 0 ? dateSenders(seen, { run, batch, sql }) : seen;
}

/** Each person that the stores showed, once, by an id that was given, if they have one, else by another that is known. */
function peopleIn(run: Run, { named, targets }: Batch, answers: readonly StoreAnswer[]): readonly Seen[] {
  const owners = new Map<string, Target>();
  for (const one of targets.values()) for (const id of one.ids) if (!owners.has(id)) owners.set(id, one);
  const people = new Map<string, Seen>();
  const given = new Map<string, AskedId>();
  for (const { store, found } of answers) {
    // An answer may show somebody once for each of their ids.
    const shown = new Map(found.map((one) => [one.person.uuid.toLowerCase(), one]));
    for (const [uuid, { asked, person }] of shown) {
      const known = people.get(uuid);
      const ids = [asked, ...idsOfPerson(person)].map(
        (one) => [run.memberOf(one.kind, one.id), one] as const,
      );
      const own = ids.find(([id]) => named.has(id))?.[1];
      if (own !== undefined && !given.has(uuid)) given.set(uuid, own);
      const seen = { store, uuid: run.memberOf('ids', person.uuid), born: readMoment(person.createdAt) };
      const states = [known?.state, ...ids.map(([id]) => stateOf(id, owners.get(id), seen))];
      people.set(uuid, {
        ...(known ?? { uuid, last_event: null, sent_by: null, ...asked }),
        ...given.get(uuid),
        created_at: known?.created_at ?? person.createdAt ?? null,
        state: STATES.find((one) => states.includes(one)) ?? 'another',
        stores: [...new Set([...(known?.stores ?? []), store])],
      });
    }
  }
  return [...people.values()];
}

/** The first that holds for one of somebody's ids is told. */
const STATES: readonly Seen['state'][] = ['left', 'another', 'came back'];

type Shown = Pick<Person, 'uuid' | 'born'> & { readonly store: StoreName };

/** Absent for an id that nobody of the batch had. */
function stateOf(
  id: string,
  own: Target | undefined,
  { store, uuid, born }: Shown,
): Seen['state'] | undefined {
  if (own === undefined) return undefined;
  const isLater = (born?.at ?? 0) > (own.born?.at ?? Number.POSITIVE_INFINITY);
  if (own.uuid === uuid && !isLater) return 'left';
  return own.free[store].includes(id) || (own.uuid === uuid && isLater && own.calls > 0)
    ? 'came back'
    : 'another';
}

type Dating = { readonly run: Run; readonly batch: number; readonly sql: SqlStore };

/** Adds which distinct id still sends, and when it last did: that is what to stop. */
async function dateSenders(seen: readonly Seen[], { run, batch, sql }: Dating): Promise<readonly Seen[]> {
  const subject = subjectOf([...knownIds(run, batch).values()]);
  const uuids = [...new Set([...subject.uuids, ...seen.map(({ uuid }) => uuid)])];
  const last = lastAnswer(run.state());
  const after = last?.serviceTime ?? last?.at ?? run.plan.createdAt;
  const senders = await sql.findSenders({ ...subject, uuids }, after);
  return seen.map((one) => {
    const sender = senders.find(({ uuid, distinctId }) => uuid === one.uuid || distinctId === one.id);
    return sender === undefined ? one : { ...one, last_event: sender.lastEvent, sent_by: sender.distinctId };
  });
}

function subjectOf(ids: readonly AskedId[]): SqlSubject {
  const of = (kind: IdKind) => ids.flatMap((one) => (one.kind === kind ? one.id : []));
  return { distinctIds: of('distinct-ids'), uuids: of('ids') };
}

/** Asks what of the events of a batch: by the deletion status, else by counting. False if nothing may be asked. */
async function proveEvents(
  run: Run,
  batch: number,
  { eventDeletions, sql }: Searching,
  sums: Counting,
): Promise<boolean> {
  const questions = () => {
    const { run: core, batch: standing } = run.standing(batch);
    return questionsOf(core, standing).events;
  };
  const planned = questions().length;
  let isAsked = planned === 0;
  const status = isAsked ? undefined : await eventDeletions?.();
  if (status !== undefined) {
    const { rows, serviceTime } = rowsOf(run, batch, status);
    run.append({ type: 'saw-status', batch, rows, serviceTime });
    sums.serviceTime = serviceTime ?? sums.serviceTime;
    isAsked = true;
  }
  for (const [until, persons] of byTime(questions())) {
    if (sql === undefined) continue;
    const { upTo, later, serviceTime } = await countEvents(run, batch, { sql, until, persons });
    sums.left += upTo;
    sums.later += later;
    sums.isCounted = sums.isCounted || status === undefined;
    sums.serviceTime = serviceTime ?? sums.serviceTime;
    isAsked = true;
  }
  const { targets } = run.standing(batch).batch;
  sums.open += questions().length;
  sums.gone += [...targets.values()].filter(({ areEventsGone }) => areEventsGone).length;
  return isAsked;
}

type Questions = readonly { readonly ids: readonly string[]; readonly time?: number | undefined }[];

/** Persons whose events count up to the same time are counted together. */
function byTime(questions: Questions): ReadonlyMap<number | undefined, Questions> {
  const groups = new Map<number | undefined, Questions>();
  for (const one of questions) groups.set(one.time, [...(groups.get(one.time) ?? []), one]);
  return groups;
}

type EventsAsked = {
  readonly sql: SqlStore;
  readonly until: number | undefined;
  readonly persons: Questions;
};

async function countEvents(run: Run, batch: number, { sql, until, persons }: EventsAsked) {
  const known = knownIds(run, batch);
  const positions = new Map(idsOf(run.standing(batch).batch).map((id, at) => [id, at]));
  const asked = [...new Set(persons.flatMap(({ ids }) => ids))];
  const bound = until === undefined ? undefined : new Date(until).toISOString();
  const subject = subjectOf(asked.flatMap((id) => known.get(id) ?? []));
  const { upTo, later, serviceTime } = await sql.countEvents(subject, bound);
  run.append({
    type: 'saw-count',
    batch,
    asked: toRanges(asked.flatMap((id) => positions.get(id) ?? [])),
    count: upTo,
    // None at all needs no time.
    until: upTo + later === 0 ? undefined : bound,
    serviceTime,
  });
  return { upTo, later, serviceTime };
}

/** Lines that the service has taken on, and that time may settle. */
export function countWaiting(tally: Verification['tally']): number {
  return (tally.told ?? 0) + (tally.accepted ?? 0) + (tally['rest waiting'] ?? 0);
}

/** Whether all that is owed waits for the service to delete what it took on. */
export function isOnlyWaiting({ tally }: Pick<Verification, 'tally'>): boolean {
  // Cast: the keys of a tally are verdicts.
  return Object.keys(tally).every((verdict) => verdict === 'rest waiting' || !isOwed(verdict as Verdict));
}

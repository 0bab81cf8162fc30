import type { Context } from '../../cli/context.ts';
import { isUuid, objectRows } from '../../service/endpoint.ts';
import { platform } from '../../service/platform.ts';
import type { DeletionStatus } from '../../service/schemas.ts';
import { type EventsCount, type SqlStore, type SqlSubject, sqlSize } from '../people/sql.ts';
import type { Entry } from '../record/entry.ts';
import type { EventsCheck, Owed, Verification } from '../record/journal.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { isOfNobody, type LastAnswer, lastAnswer, reconcile, shareOf } from '../record/outcome.ts';
import type { Plan } from '../record/plan.ts';
import { countOpen, type Part, partsOf, type Sending, stateOf } from '../record/state.ts';

/** Reads whether the deletion of events is completed, by person UUID, for all that the service shows. */
export type EventDeletions = () => Promise<ReadonlyMap<string, boolean>>;

/** Counts the persons of a run by what the service shows of their events. */
export async function countByStatus(run: RunRecord, deletions: EventDeletions): Promise<EventsCheck> {
  const count = { completed: 0, pending: 0, unconfirmed: 0 };
  const parts = partsOf(run.state());
  if (parts.length === 0) return count;
  const all = await deletions();
  const shown = new Map([...all].map(([uuid, completed]) => [uuid.toLowerCase(), completed]));
  for (const { from, count: size } of parts) {
    for (const { person } of run.entries(from, size)) {
      const completed = shown.get(person?.uuid.toLowerCase() ?? '');
      if (completed === undefined) count.unconfirmed += 1;
      else count[completed ? 'completed' : 'pending'] += 1;
    }
  }
  return count;
}

/** The ids of a part in pieces that lead to as many values as one SQL statement takes, or a single one that leads to more. */
export function* sqlChunksOf(run: RunRecord, part: Part): Generator<readonly Entry[]> {
  let chunk: Entry[] = [];
  let size = 0;
  for (const entry of run.entries(part.from, part.count)) {
    const { distinctIds, uuids } = subjectOf([entry]);
    const more = distinctIds.length + uuids.length;
    if (chunk.length > 0 && size + more > sqlSize) {
      yield chunk;
      chunk = [];
      size = 0;
    }
    chunk.push(entry);
    size += more;
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * After a run that deletes events: each resolved person must show in the service's deletion status, whether completed
 * or pending. Writes the figures into the journal, where the outcome finds them.
 */
export async function checkEvents(run: Run, eventDeletions: EventDeletions): Promise<EventsCheck> {
  const check = await countByStatus(run, eventDeletions);
  run.append({ type: 'events-checked', ...check });
  return check;
}

/** By the service's clock if it told, which also dates persons and events; it tells no parts of a second. */
export function lastMoment(
  { answer, answeredAt, firstSentAt }: Sending,
  plan: Pick<Plan, 'serviceTime'>,
): number {
  const { serviceTime } = answer ?? {};
  // A time before the plan contradicts it: nothing can have come after that.
  if (serviceTime !== undefined && plan.serviceTime !== undefined && serviceTime < plan.serviceTime)
    return Number.POSITIVE_INFINITY;
  if (serviceTime !== undefined) return Date.parse(serviceTime) + 999;
  return Date.parse(answeredAt ?? firstSentAt ?? '');
}

/**
 * Counts the events of the persons of a run and of all their distinct ids: up to the service's time of the call, which
 * are those that were to go, and later ones. Throws what the store throws.
 */
export async function countBySql(run: RunRecord, sql: SqlStore): Promise<EventsCount> {
  const count = { left: 0, later: 0 };
  for (const part of partsOf(run.state())) {
    const last = lastMoment(part.sending, run.plan);
    for (const entries of sqlChunksOf(run, part)) {
      const { upTo, later } = await sql.countEvents(subjectOf(entries), momentText(last));
      count.left += upTo;
      count.later += later;
    }
  }
  return count;
}

/** What was not sent has no time: then all events there are count as left. */
export function momentText(moment: number): string {
  return new Date(Number.isFinite(moment) ? moment : 8.64e12).toISOString();
}

/** The persons and distinct ids that are known to belong to some ids of a run. */
export function subjectOf(entries: readonly Entry[]): SqlSubject {
  const distinctIds = entries.flatMap(({ kind, id, person }) => [
    ...(kind === 'distinct-ids' ? [id] : []),
    ...(person?.distinctIds ?? []),
  ]);
  const uuids = entries.flatMap(({ person }) => person?.uuid ?? []);
  return { distinctIds: [...new Set(distinctIds)], uuids: [...new Set(uuids.filter(isUuid))] };
}

/** Persons, or ids, whose events are not known to have gone, or events that are still there. */
export function countOwedEvents(events: EventsCheck | EventsCount | null): number {
  if (events === null) return 0;
  if ('left' in events) return events.left;
  return events.pending + events.unconfirmed;
}

/** Whether nothing but the service's next deletion of events stands between them and their end. */
export function isWaitingOnly(events: EventsCheck | EventsCount | null): boolean {
  if (events === null) return false;
  return 'left' in events ? events.left > 0 : events.pending > 0 && events.unconfirmed === 0;
}

/**
 * Reads the service's deletion status to its end: one person at a time would cost a request each, and a missing row proves
 * nothing. Somebody with several rows, deleted and come back, is done only when all of them are; what was completed before
 * the run first asked is about events from before.
 */
export async function readEventDeletions(run: RunRecord, context: Context): ReturnType<EventDeletions> {
  const client = await context.client();
  const completed = new Map<string, boolean>();
  // Times in ISO are in the order of their texts; without one nothing is earlier.
  const times = partsOf(run.state()).flatMap(({ sending: { serviceTime } }) => serviceTime ?? []);
  const begun = Date.parse(times.toSorted()[0] ?? '');
  for await (const page of client.pages(platform.deletionStatus, { status: 'all' }, { pageSize: 1000 })) {
    for (const { person_uuid: uuid, status, delete_verified_at: at } of objectRows<DeletionStatus>(page)) {
      const isEarlier = status === 'completed' && Date.parse(at ?? '') < begun;
      if (uuid !== undefined && !isEarlier)
        completed.set(uuid, status === 'completed' && completed.get(uuid) !== false);
    }
  }
  return completed;
}

export type Verified = Verification & { readonly at: string };

type Asked = Pick<RunRecord, 'state'>;

/** The last verification; nothing if there was none. */
export function lastVerification(run: Asked): Verified | undefined {
  return run.state().verifications.at(-1);
}

/** Whether the last verification held; nothing if there was none. */
export function isVerified(run: Asked): boolean | undefined {
  return lastVerification(run)?.holds;
}

/** The figures of a verification as data. */
export function verificationFields(verification: Verification) {
  const { asked, recreated, left, others, unsent, holds } = verification;
  const { events, pendingUntil, missingScope, stores } = verification;
  return {
    asked,
    recreated,
    left,
    others: others ?? 0,
    unsent: unsent ?? 0,
    holds,
    events: events && { ...events },
    pending_until: pendingUntil ?? null,
    missing_scope: missingScope ?? null,
    stores,
  };
}

/** The figures of a verification in words, the same for the terminal and the report. */
export function verificationLines(
  verification: Verification,
): readonly (readonly [string, string | number])[] {
  const { asked, left, recreated, others, unsent } = verification;
  const { events, pendingUntil, missingScope, stores } = verification;
  return [
    ['ids asked about', asked],
    ['persons still there', left],
    ['persons who came back', recreated],
    ...(others === undefined ? [] : [['other persons behind the ids', others] as const]),
    ...(unsent === undefined ? [] : [['ids never sent', unsent] as const]),
    ...Object.entries(events ?? {}).map(([name, count]) => [eventFigures[name] ?? name, count] as const),
    ...(pendingUntil === undefined ? [] : [['events pending until', pendingUntil] as const]),
    ...(missingScope === undefined ? [] : [['scope that events need', missingScope] as const]),
    ['stores asked', stores.join(', ')],
  ];
}

const eventFigures: Readonly<Record<string, string>> = {
  completed: 'persons whose events have gone',
  pending: 'persons whose events are to go',
  unconfirmed: 'persons whose events are not confirmed to go',
  left: 'events still there',
  later: 'events sent since',
};

/** A verification in a few words. */
export function verificationTitle({ at, holds }: Verified): string {
  return `Verified at ${at}: ${holds ? 'holds' : 'does not hold'}`;
}

/**
 * What a run asked for that is not known to be done. A run that sent nothing yet owes nothing, and one that found
 * no person neither. What was queued or accepted is known to be done only once a verification holds.
 */
export function owedOf(run: RunRecord): readonly Owed[] {
  const state = run.state();
  if (state.sessions.length === 0 || isVerified(run) === true) return [];
  const outcome = reconcile(run);
  const open = countOpen(state);
  if (outcome.verdict === 'nobody found' && outcome.gone === 0) return [];
  const last = lastVerification(run);
  const { keepPerson, deleteEvents } = run.plan.flags;
  const { queued = 0, accepted, failed, notDeleted, untold, recreated, gone } = outcome;
  const thereIn = ({ left, others = 0 }: Verified) => left + others;
  const unasked = queued + accepted + failed + notDeleted + untold + recreated + gone;
  const unproven = open + (last === undefined ? unasked : thereIn(last));
  const haveGone =
    last?.missingScope === undefined && last?.events != null && countOwedEvents(last.events) === 0;
  return [
    ...(!keepPerson && unproven > 0 ? (['persons'] as const) : []),
    ...(deleteEvents && (open > 0 || !haveGone) ? (['events'] as const) : []),
    ...((outcome.recordingsQueued?.notQueued ?? 0) > 0 ? (['recordings'] as const) : []),
  ];
}

/** How far the deletion of events is; nothing if it was not asked for, or no person was there. */
export function eventsWord(run: RunRecord): string | undefined {
  const { deleteEvents } = run.plan.flags;
  const outcome = reconcile(run);
  if (!deleteEvents || isOfNobody(outcome)) return undefined;
  const asked = partsOf(run.state()).map(({ sending }) => isAsked(sending));
  if (!asked.includes(true)) return 'not requested';
  if (asked.includes(false)) return 'partly requested';
  if (shareOf(outcome.eventsQueued) === 'none') return 'not queued';
  const last = lastVerification(run);
  if (last?.pendingUntil !== undefined) return `pending until ${last.pendingUntil.slice(0, 10)}`;
  const isGone = last !== undefined && last.events !== null && countOwedEvents(last.events) === 0;
  return isGone ? 'gone' : 'requested';
}

/** Whether a call about it may have run. */
function isAsked(sending: Sending): boolean {
  return sending.attempts > 0 && !['not sent', 'failed'].includes(stateOf(sending));
}

/** When the events of a run will go at the earliest, and whose clock that is reckoned by. */
export function eventsNotBefore({ at, serviceTime }: LastAnswer) {
  return {
    at: nextEventDeletion(Date.parse(serviceTime ?? at)),
    clock: serviceTime === undefined ? 'the clock of the computer that asked' : "the service's clock",
  } as const;
}

const hour = 3_600_000;

const day = 24 * hour;

/** When the service next deletes events that were queued at `at` (milliseconds): Sundays at 05:00 UTC, as ISO text. */
export function nextEventDeletion(at: number): string {
  const date = new Date(at);
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const sunday = midnight + ((7 - date.getUTCDay()) % 7) * day + 5 * hour;
  return new Date(sunday > at ? sunday : sunday + 7 * day).toISOString();
}

/** What to say about the events of a run: a request, not a deletion. */
function eventsSentence(last: LastAnswer): string {
  const { at, clock } = eventsNotBefore(last);
  const [date = ''] = at.split('T');
  return `the deletion of events was requested; it does not run before Sunday ${date}, 05:00 UTC, by ${clock}`;
}

/** The same for a run; nothing if no events can go by it any more, since a day to come would contradict that. */
export function findEventsSentence(run: RunRecord): string | undefined {
  const last = run.plan.flags.deleteEvents ? lastAnswer(run.state()) : undefined;
  if (last === undefined) return undefined;
  const state = eventsWord(run) ?? 'gone';
  return ['gone', 'not queued', 'not requested'].includes(state) ? undefined : eventsSentence(last);
}

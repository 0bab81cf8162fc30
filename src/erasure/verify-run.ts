import { type Entry, idToSend } from './entry.ts';
import type { IdKind } from './id-kind.ts';
import type { EventsCheck, Verification } from './journal.ts';
import { type LookUp, lookUpSize } from './resolve-ids.ts';
import type { Run, RunRecord } from './run.ts';
import { type Part, partsOf } from './run-state.ts';

/** What the service shows of the deletion of one person's events. */
export type EventDeletion = { readonly uuid: string; readonly completed: boolean };

/** Asks the service for them, at most 200 uuids a call; whoever is not in the answer is not shown. */
export type FindEventDeletions = (uuids: readonly string[]) => Promise<readonly EventDeletion[]>;

export type Left = { readonly kind: IdKind; readonly id: string; readonly uuid: string };

export type VerificationAnswer = Verification & {
  /** Who is still there from before the deletion. Personal data: shown, never written down. */
  readonly people: readonly Left[];
};

/**
 * Asks whether anybody of the run is left and, where events were to be deleted and the service can tell, whether they
 * have gone; writes the figures into the journal. It holds if nobody is left and each resolved person's events are
 * shown as gone. People created after the deletion are counted apart. Throws what the look-ups throw.
 */
export async function verifyRun(
  run: Run,
  {
    lookUp,
    findEventDeletions,
  }: { readonly lookUp: LookUp; readonly findEventDeletions?: FindEventDeletions | undefined },
): Promise<VerificationAnswer> {
  const { flags } = run.plan;
  const people: Left[] = [];
  const counts = { asked: 0, recreated: 0 };
  // With --keep-person they are meant to stay, so there is nothing to ask.
  if (!flags.keepPerson) {
    for (const part of partsOf(run.state())) await askPart(run, part, { lookUp, people, counts });
  }
  const events =
    flags.deleteEvents && findEventDeletions !== undefined
      ? await countEvents(run, findEventDeletions)
      : null;
  const eventsHold = events === null || events.pending + events.unconfirmed + events.unresolved === 0;
  const verification: Verification = {
    ...counts,
    left: people.length,
    events,
    holds: people.length === 0 && eventsHold,
  };
  run.append({ type: 'verified', ...verification });
  return { ...verification, people };
}

/**
 * After a run that deletes events: each resolved person must show in the service's deletion status, whether completed
 * or pending. Writes the figures into the journal, where the outcome finds them.
 */
export async function checkEvents(
  run: Run,
  { findEventDeletions }: { readonly findEventDeletions: FindEventDeletions },
): Promise<EventsCheck> {
  const check = await countEvents(run, findEventDeletions);
  run.append({ type: 'events-checked', ...check });
  return check;
}

async function askPart(
  run: RunRecord,
  part: Part,
  {
    lookUp,
    people,
    counts,
  }: {
    readonly lookUp: LookUp;
    readonly people: Left[];
    readonly counts: { asked: number; recreated: number };
  },
): Promise<void> {
  const last = Date.parse(part.sending.answeredAt ?? part.sending.firstSentAt ?? '');
  for (const entries of chunksOf(run, part)) {
    counts.asked += entries.length;
    const ids = entries.map(idToSend);
    for (const { id, uuid, createdAt } of await lookUp({ kind: part.kind, ids })) {
      if (Date.parse(createdAt ?? '') > last) counts.recreated += 1;
      else people.push({ kind: part.kind, id, uuid });
    }
  }
}

async function countEvents(run: RunRecord, find: FindEventDeletions): Promise<EventsCheck> {
  const count = { completed: 0, pending: 0, unconfirmed: 0, unresolved: 0 };
  for (const part of partsOf(run.state())) {
    for (const entries of chunksOf(run, part)) {
      count.unresolved += entries.filter(({ person }) => person === undefined).length;
      const uuids = [...new Set(entries.flatMap(({ person }) => person?.uuid ?? []))];
      if (uuids.length === 0) continue;
      const shown = new Map(
        (await find(uuids)).map(({ uuid, completed }) => [uuid.toLowerCase(), completed]),
      );
      for (const uuid of uuids) {
        const completed = shown.get(uuid.toLowerCase());
        if (completed === undefined) count.unconfirmed += 1;
        else if (completed) count.completed += 1;
        else count.pending += 1;
      }
    }
  }
  return count;
}

function* chunksOf(run: RunRecord, part: Part): Generator<readonly Entry[]> {
  for (let from = 0; from < part.count; from += lookUpSize) {
    yield run.entries(part.from + from, Math.min(lookUpSize, part.count - from));
  }
}

import { chunksOf, countEvents, type EventDeletions } from './count-events.ts';
import { idToSend } from './entries.ts';
import type { IdKind } from './ids.ts';
import type { EventsCheck, Verification } from './journal.ts';
import type { LookUp } from './resolve-ids.ts';
import { countOpen } from './resume-decision.ts';
import type { Run, RunRecord } from './run.ts';
import { type Part, partsOf, type Sending } from './run-state.ts';

export type Left = { readonly kind: IdKind; readonly id: string; readonly uuid: string };

export type VerificationAnswer = Verification & {
  /** Who is still there from before the deletion. Personal data: shown, never written down. */
  readonly people: readonly Left[];
  /** Ids that are not known to be done: the run can be resumed. */
  readonly open: number;
};

type Asking = {
  readonly lookUp: LookUp;
  /** Absent where the service does not tell. */
  readonly eventDeletions?: EventDeletions | undefined;
  /** Told how many ids were asked about. */
  readonly onProgress?: ((asked: number) => void) | undefined;
};

/**
 * Asks whether anybody of the run is left and, where events were to be deleted and the service can tell, whether they
 * have gone; writes the figures into the journal. It holds if nobody is left and each resolved person's events are
 * shown as gone. People created after the deletion are counted apart. Throws what the look-ups throw.
 */
export async function verifyRun(
  run: Run,
  { lookUp, eventDeletions, onProgress }: Asking,
): Promise<VerificationAnswer> {
  const { flags } = run.plan;
  const people: Left[] = [];
  const counts = { asked: 0, recreated: 0 };
  // With --keep-person they are meant to stay, so there is nothing to ask.
  if (!flags.keepPerson) {
    for (const part of partsOf(run.state())) await askPart(run, part, { lookUp, people, counts, onProgress });
  }
  const events =
    flags.deleteEvents && eventDeletions !== undefined ? await countEvents(run, eventDeletions) : null;
  const open = countOpen(run.state());
  // Nobody asked for the deletion of events that no call was answered for.
  const isAsked = !flags.deleteEvents || open === 0;
  const eventsHold =
    isAsked && (events === null || events.pending + events.unconfirmed + events.unresolved === 0);
  const verification: Verification = {
    ...counts,
    left: people.length,
    events,
    holds: people.length === 0 && eventsHold,
  };
  run.append({ type: 'verified', ...verification });
  return { ...verification, people, open };
}

/**
 * After a run that deletes events: each resolved person must show in the service's deletion status, whether completed
 * or pending. Writes the figures into the journal, where the outcome finds them.
 */
export async function checkEvents(run: Run, eventDeletions: EventDeletions): Promise<EventsCheck> {
  const check = await countEvents(run, eventDeletions);
  run.append({ type: 'events-checked', ...check });
  return check;
}

async function askPart(
  run: RunRecord,
  part: Part,
  {
    lookUp,
    onProgress,
    people,
    counts,
  }: Pick<Asking, 'lookUp' | 'onProgress'> & {
    readonly people: Left[];
    readonly counts: { asked: number; recreated: number };
  },
): Promise<void> {
  const last = lastMoment(part.sending);
  for (const entries of chunksOf(run, part)) {
    counts.asked += entries.length;
    const ids = entries.map(idToSend);
    for (const { id, uuid, createdAt } of await lookUp({ kind: part.kind, ids })) {
      if (Date.parse(createdAt ?? '') > last) counts.recreated += 1;
      else people.push({ kind: part.kind, id, uuid });
    }
    onProgress?.(counts.asked);
  }
}

/** By the service's clock where it told, which also dates the persons; it tells no parts of a second. */
function lastMoment({ answer, answeredAt, firstSentAt }: Sending): number {
  const { serviceTime } = answer ?? {};
  if (serviceTime !== undefined) return Date.parse(serviceTime) + 999;
  return Date.parse(answeredAt ?? firstSentAt ?? '');
}

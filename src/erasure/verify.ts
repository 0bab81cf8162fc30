import type { Context } from '../cli/context.ts';
import { objectRows } from '../service/ids.ts';
import { platform } from '../service/platform.ts';
import type { DeletionStatus } from '../service/schemas.ts';
import { type Entry, idToSend } from './entries.ts';
import { type IdKind, isInteger } from './ids.ts';
import type { EventsCheck, Verification } from './journal.ts';
import { type LookUp, lookUpSize } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { type Part, partsOf, type Sending } from './run-state.ts';
import { countOpen } from './tasks.ts';

type Left = { readonly kind: IdKind; readonly id: string; readonly uuid: string };

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

/** What the service shows of the deletion of one person's events. */
type EventDeletion = { readonly uuid: string; readonly completed: boolean };

export type EventDeletions = {
  /** Those of at most 200 persons; whoever is not in the answer is not shown. */
  readonly find: (uuids: readonly string[]) => Promise<readonly EventDeletion[]>;
  /** All that the service shows. */
  readonly list: () => Promise<readonly EventDeletion[]>;
};

/**
 * Counts the persons of a run by what the service shows of their events. Where an id was given again, its person is gone
 * and cannot be looked up; the record knows that person by HMAC, and so it is found among all that the service shows.
 */
async function countEvents(run: RunRecord, deletions: EventDeletions): Promise<EventsCheck> {
  const count = { completed: 0, pending: 0, unconfirmed: 0, unresolved: 0 };
  const findMembers = once(async () => {
    const all = await deletions.list();
    return new Map(all.map(({ uuid, completed }) => [run.memberOf('ids', uuid), completed]));
  });
  const tell = (completed: boolean | undefined, otherwise: 'unconfirmed' | 'unresolved') => {
    if (completed === undefined) count[otherwise] += 1;
    else if (completed) count.completed += 1;
    else count.pending += 1;
  };
  for (const part of partsOf(run.state())) {
    for (const entries of chunksOf(run, part)) {
      const uuids = new Set(entries.flatMap(({ person }) => person?.uuid.toLowerCase() ?? []));
      const members = new Set(entries.flatMap(({ personMember }) => personMember ?? []));
      const guesses = new Set(entries.flatMap((entry) => uuidOf(entry) ?? []));
      const shown = await findByUuid([...uuids, ...guesses], deletions);
      for (const uuid of uuids) tell(shown.get(uuid), 'unconfirmed');
      // Nobody looked whether there was such a person, so that nothing shown proves nothing.
      for (const uuid of guesses) tell(shown.get(uuid), 'unresolved');
      for (const member of members) tell((await findMembers()).get(member), 'unconfirmed');
      count.unresolved += entries.filter(isUnknown).length;
    }
  }
  return count;
}

/** The ids of a part, as many at a time as a look-up takes. */
function* chunksOf(run: RunRecord, part: Part): Generator<readonly Entry[]> {
  for (let from = 0; from < part.count; from += lookUpSize) {
    yield run.entries(part.from + from, Math.min(lookUpSize, part.count - from));
  }
}

async function findByUuid(
  uuids: readonly string[],
  { find }: EventDeletions,
): Promise<ReadonlyMap<string, boolean>> {
  if (uuids.length === 0) return new Map();
  return new Map((await find(uuids)).map(({ uuid, completed }) => [uuid.toLowerCase(), completed]));
}

/** A person id that nobody looked up is the uuid already, unless it is an integer. */
function uuidOf({ kind, id, person, personMember }: Entry): string | undefined {
  if (person !== undefined || personMember !== undefined) return undefined;
  return kind === 'ids' && !isInteger(id) ? id.toLowerCase() : undefined;
}

function isUnknown(entry: Entry): boolean {
  const { person, personMember } = entry;
  return person === undefined && personMember === undefined && uuidOf(entry) === undefined;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Verified = Verification & { readonly at: string };

type Asked = Pick<RunRecord, 'plan' | 'state'>;

/** How many ids a verification of the whole run asks about: fewer were asked where only some were given again. */
export function countAskable({ plan, state }: Asked): number {
  // Persons that are kept are meant to stay.
  if (plan.flags.keepPerson) return 0;
  return partsOf(state()).reduce((total, { count }) => total + count, 0);
}

/**
 * The last verification of the whole run, and those of some of its ids since then: what a later one of a few ids found
 * cannot outweigh what was found of all.
 */
export function verificationsOf(run: Asked): {
  readonly whole: Verified | undefined;
  readonly partial: readonly Verified[];
} {
  const { verifications } = run.state();
  const askable = countAskable(run);
  const last = verifications.findLastIndex(({ asked }) => asked >= askable);
  return { whole: verifications[last], partial: verifications.slice(last + 1) };
}

/** Whether the last verification of the whole run held, and each one since; nothing where there was none at all. */
export function isVerified(run: Asked): boolean | undefined {
  const { whole, partial } = verificationsOf(run);
  if (whole === undefined && partial.length === 0) return undefined;
  return whole?.holds === true && partial.every(({ holds }) => holds);
}

/** A verification in a few words. */
export function verificationTitle(run: Asked, { at, asked, holds }: Verified): string {
  const total = countAskable(run);
  const share = asked < total ? `, for ${asked} of ${total} ids` : '';
  return `Verified at ${at}: ${holds ? 'holds' : 'does not hold'}${share}`;
}

/**
 * Reads the service's deletion status once and answers from it. One person at a time would cost a request each; the
 * list is read to its end, since a missing row proves nothing. Somebody with several rows, deleted and come back, is
 * done only when all of them are.
 */
export async function readEventDeletions(context: Context): Promise<EventDeletions> {
  const client = await context.client();
  let known: Promise<ReadonlyMap<string, boolean>> | undefined;
  const readAll = async () => {
    const completed = new Map<string, boolean>();
    for await (const page of client.pages(platform.deletionStatus, { status: 'all' }, { pageSize: 1000 })) {
      for (const { person_uuid: uuid, status } of objectRows<DeletionStatus>(page)) {
        if (uuid !== undefined) completed.set(uuid, status === 'completed' && completed.get(uuid) !== false);
      }
    }
    return completed;
  };
  const shown = () => {
    known ??= readAll();
    return known;
  };
  return {
    async find(uuids) {
      const all = await shown();
      return uuids.flatMap((uuid) => {
        const completed = all.get(uuid);
        return completed === undefined ? [] : [{ uuid, completed }];
      });
    },
    list: async () => [...(await shown())].map(([uuid, completed]) => ({ uuid, completed })),
  };
}

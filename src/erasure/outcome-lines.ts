import { countOwedEvents } from './event-proof.ts';
import type { Owed, Verification } from './journal.ts';
import { type Outcome, type Queued, reconcile, shareOf } from './outcome.ts';
import type { RunRecord } from './run.ts';
import { partsOf, type RunState } from './run-state.ts';
import { countOpen } from './tasks.ts';

/** One figure of an outcome in words, the same for the terminal and the report. */
type OutcomeLine = { readonly name: string; readonly count: number; readonly remark?: string };

/** The figures of an outcome that there are. Nothing is called deleted or queued that the service did not call so. */
export function outcomeLines(outcome: Outcome): readonly OutcomeLine[] {
  const lines: readonly (OutcomeLine | undefined)[] = [
    { name: 'ids asked for', count: outcome.asked },
    some('repeats dropped', outcome.repeats),
    { name: 'different ids', count: outcome.unique },
    { name: 'sent and answered', count: outcome.sent },
    told('persons found', outcome.found),
    told('deleted', outcome.deleted),
    told('queued for deletion', outcome.queued),
    some('failed', outcome.failed, 'the service named these persons and the step'),
    some('not in this run', outcome.notInRun, 'of those failed: nobody asked for them, and nothing was sent'),
    some('neither deleted nor queued', outcome.notDeleted, 'found, and the service does not say why'),
    some('not found again', outcome.notFoundAgain, 'failed, and gone after an answer that was lost'),
    some('beyond what was sent', outcome.beyond, 'the service counted more persons than ids'),
    some('not accounted for', outcome.notAccountedFor, 'sent minus found'),
    some('accepted', outcome.accepted, 'answered as a success, without figures'),
    some('outcome unknown', outcome.unknown, 'the answer was lost; resume the run'),
    some('refused', outcome.refused, 'known not to have been carried out'),
    some('not sent', outcome.notSent),
    some('ids of nobody', outcome.leftOut - outcome.samePerson, 'when they were looked up; not sent'),
    some('further ids', outcome.samePerson, 'of persons who are sent by another id'),
    some('gone when looked up', outcome.gone),
    some('withheld', outcome.recreated, 'not known to be from before the sending'),
    some('batches settled', outcome.batches.settled, 'an answer was lost; the last one counts'),
    ...queuedLines('events', outcome.eventsQueued),
    ...queuedLines('recordings', outcome.recordingsQueued),
    some('events of nobody', outcome.eventsOfNobody, 'ids; their events stay, if there are any'),
    some('events unconfirmed', outcome.events?.unconfirmed ?? 0, 'not in the deletion status'),
  ];
  return lines.flatMap((line) => line ?? []);
}

/** The persons of a further deletion: a request that was taken on, or not, or of which the service said nothing. */
function queuedLines(what: string, queued: Queued | undefined): readonly (OutcomeLine | undefined)[] {
  if (queued === undefined) return [];
  return [
    some(`${what} queued`, queued.queued, `persons whose ${what} the service says it will delete`),
    some(`${what} not queued`, queued.notQueued, `persons whose ${what} the service says it will not delete`),
    some(`${what} not told`, queued.notTold, `persons of whose ${what} the service says nothing`),
  ];
}

/** What to say about the events of a run: a request, not a deletion. */
export function eventsSentence(last: LastAnswer): string {
  const { at, clock } = eventsNotBefore(last);
  const [date = ''] = at.split('T');
  return `the deletion of events was requested; it does not run before Sunday ${date}, 05:00 UTC, by ${clock}`;
}

/** The same for a run; nothing where nobody's events can go by it: nobody was found, or the service took none on. */
export function findEventsSentence(run: RunRecord, outcome: Outcome): string | undefined {
  const last = lastAnswer(run.state());
  const isRefused = shareOf(outcome.eventsQueued) === 'none';
  if (!run.plan.flags.deleteEvents || last === undefined || isRefused) return undefined;
  return outcome.verdict === 'nobody found' ? undefined : eventsSentence(last);
}

function some(name: string, count: number, remark?: string): OutcomeLine | undefined {
  if (count === 0) return undefined;
  return remark === undefined ? { name, count } : { name, count, remark };
}

function told(name: string, count: number | undefined): OutcomeLine | undefined {
  return count === undefined ? undefined : { name, count };
}

/** When the service last answered a run (ISO). */
type LastAnswer = {
  /** By the clock of the computer that asked, as all times of the journal. */
  readonly at: string;
  /** By the service's own clock, where its answer told. */
  readonly serviceTime: string | undefined;
};

/** The last answer of a run; undefined where nothing was answered. */
export function lastAnswer(state: RunState): LastAnswer | undefined {
  const answered = partsOf(state)
    .flatMap(({ sending, retry }) => [sending, retry ?? []].flat())
    .flatMap(({ answeredAt: at, answer }) =>
      at === undefined ? [] : { at, serviceTime: answer?.serviceTime },
    );
  return answered.reduce<LastAnswer | undefined>(
    (last, one) => (last === undefined || one.at >= last.at ? one : last),
    undefined,
  );
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

type Verified = Verification & { readonly at: string };

type Asked = Pick<RunRecord, 'plan' | 'state'>;

/** How many ids a verification of the whole run asks about: fewer were asked where only some were given again. */
export function countAskable({ plan, state }: Asked): number {
  if (plan.flags.keepPerson && !plan.flags.deleteEvents) return 0;
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
  // An older version wrote 0 where it asked about events only.
  const isWhole = (asked: number) => asked >= askable || (asked === 0 && run.plan.flags.keepPerson);
  const last = verifications.findLastIndex(({ asked }) => isWhole(asked));
  return { whole: verifications[last], partial: verifications.slice(last + 1) };
}

/** Whether the last verification of the whole run held, and each one since; nothing where there was none at all. */
export function isVerified(run: Asked): boolean | undefined {
  const { whole, partial } = verificationsOf(run);
  if (whole === undefined && partial.length === 0) return undefined;
  return whole?.holds === true && partial.every(({ holds }) => holds);
}

/** The figures of a verification in words, the same for the terminal and the report. */
export function verificationLines(
  verification: Verification,
): readonly (readonly [string, string | number])[] {
  const { asked, left, recreated, events, pendingUntil, missingScope, stores } = verification;
  return [
    ['ids asked about', asked],
    ['persons still there', left],
    ['persons who came back', recreated],
    ...Object.entries(events ?? {}).map(([name, count]) => [eventFigures[name] ?? name, count] as const),
    ...(pendingUntil === undefined ? [] : [['events pending until', pendingUntil] as const]),
    ...(missingScope === undefined ? [] : [['scope that events need', missingScope] as const]),
    ...(stores === undefined ? [] : [['stores asked', stores.join(', ')] as const]),
  ];
}

const eventFigures: Readonly<Record<string, string>> = {
  completed: 'persons whose events have gone',
  pending: 'persons whose events are to go',
  unconfirmed: 'persons whose events are not confirmed to go',
  unresolved: 'ids whose events cannot be asked about',
  left: 'events still there',
  later: 'events sent since',
  partial: 'ids with only their own events counted',
};

/** A verification in a few words. */
export function verificationTitle(run: Asked, { at, asked, holds }: Verified): string {
  const total = countAskable(run);
  const share = asked < total ? `, for ${asked} of ${total} ids` : '';
  return `Verified at ${at}: ${holds ? 'holds' : 'does not hold'}${share}`;
}

/**
 * What a run asked for that is not known to be done. A run that sent nothing yet owes nothing, and one that found
 * nobody neither. What was queued or accepted is known to be done only once a verification holds.
 */
export function owedOf(run: RunRecord): readonly Owed[] {
  const state = run.state();
  if (state.sessions.length === 0 || isVerified(run) === true) return [];
  const outcome = reconcile(run);
  const open = countOpen(state);
  if (outcome.verdict === 'nobody found') return [];
  const { whole } = verificationsOf(run);
  const { keepPerson, deleteEvents } = run.plan.flags;
  const { queued = 0, accepted, failed, notDeleted } = outcome;
  const unproven = open + (whole === undefined ? queued + accepted + failed + notDeleted : whole.left);
  const haveGone =
    whole?.missingScope === undefined && whole?.events != null && countOwedEvents(whole.events) === 0;
  return [
    ...(!keepPerson && unproven > 0 ? (['persons'] as const) : []),
    ...(deleteEvents && (open > 0 || !haveGone) ? (['events'] as const) : []),
    ...((outcome.recordingsQueued?.notQueued ?? 0) > 0 ? (['recordings'] as const) : []),
  ];
}

/** How far the deletion of events is; nothing where it was not asked for, or nobody was there. */
export function eventsWord(run: RunRecord): string | undefined {
  const { deleteEvents } = run.plan.flags;
  const outcome = reconcile(run);
  if (!deleteEvents || outcome.verdict === 'nobody found') return undefined;
  if (shareOf(outcome.eventsQueued) === 'none') return 'not queued';
  const { whole } = verificationsOf(run);
  if (whole?.pendingUntil !== undefined) return `pending until ${whole.pendingUntil.slice(0, 10)}`;
  const isGone = whole !== undefined && whole.events !== null && countOwedEvents(whole.events) === 0;
  return isGone ? 'gone' : 'requested';
}

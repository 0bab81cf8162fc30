import type { ErrorKind } from '../../errors.ts';
import type { RecordedAnswer, RecordedError, StopReason } from './journal.ts';
import type { RunRecord } from './open.ts';
import { countEventsOfNobody, countSamePerson, sum } from './plan.ts';
import {
  lostAnswers,
  type Part,
  type PartState,
  partsOf,
  type RunState,
  type Sending,
  stateOf,
} from './state.ts';

type OutcomeKind =
  /** Every batch was answered, and no person failed. */
  | 'done'
  /** Every batch was answered, and the service found no person. */
  | 'nobody found'
  /** Somebody failed, the outcome of some is unknown, or the events of some ids were asked for by no call. */
  | 'partly done'
  /** Ended before all was sent. */
  | 'stopped'
  /** Planned, at work, or crashed. */
  | 'not finished';

type Judgement = {
  readonly verdict: OutcomeKind;
  /** The error that a command ends with; absent if the run is done. */
  readonly kind?: ErrorKind | undefined;
  readonly stopped?: StopReason | undefined;
  readonly status?: number | undefined;
};

/** What came of a run. A figure that the service gave for no batch is absent; nothing is inferred from another. */
export type Outcome = Judgement & Figures;

type Figures = Readonly<ReturnType<typeof figuresOf>>;

/** Persons by what the service said of one of the two further deletions that a call can ask for. */
export type Queued = { readonly queued: number; readonly notQueued: number; readonly notTold: number };

/** Reads the outcome of a run from its journal. */
export function reconcile(run: RunRecord): Outcome {
  const figures = figuresOf(run);
  return { ...judge(run, figures), ...figures };
}

function figuresOf({ plan, state }: RunRecord) {
  const { events, batches } = state();
  const parts = batches.flat();
  const { asked, unique, repeats, leftOut, flags } = plan;
  const failures = parts.flatMap(({ batch, errors }) => errors.map((error) => ({ batch, ...error })));
  const done = parts.filter(({ sending }) => stateOf(sending) === 'done');
  return {
    asked,
    unique,
    repeats,
    /** Ids that the plan does not send: without a person, and of one who is sent by another id. */
    leftOut,
    samePerson: countSamePerson(plan),
    /** Ids without a person whose events no call asks for, though the deletion of events is asked for. */
    eventsOfNobody: countEventsOfNobody(plan),
    ...countDone(done),
    /** Gone when they were looked up before they were sent again. */
    gone: sum(done.map((part) => part.sending.gone + leftOutAgain(part).missing.length)),
    /** Found by the plan, and not by the call as far as its answer says. */
    untold: sum(done.map(({ sending }) => unseenIn(sending))),
    ...countByState(parts),
    notDeleted: flags.keepPerson ? 0 : sum(parts.map(countNotDeleted)),
    /** What the service said of the two further deletions; absent if the plan does not ask for it. */
    eventsQueued: flags.deleteEvents ? addQueued(done, 'eventsQueued') : undefined,
    recordingsQueued: flags.deleteRecordings ? addQueued(done, 'recordingsQueued') : undefined,
    /** People that the service could not delete. */
    failed: sum(parts.map(({ errors }) => countFailed(errors))),
    /** By step: somebody may have failed in several. */
    failures,
    /** Of those failed: named by the service, though this run is not about them. */
    notInRun: failures.filter(({ notInRun }) => notInRun).length,
    events,
  };
}

function countDone(done: readonly Part[]) {
  return {
    /** Ids in answered calls. */
    sent: sum(done.map(({ sending }) => sending.sent)),
    /** People, as the service counted them in its last answer about each batch. */
    found: total(done, ({ sending }) => sending.answer?.found),
    deleted: total(done, ({ sending, retried }) => plus(sending.answer?.deleted, retried.deleted)),
    queued: total(done, ({ sending, retried }) => plus(sending.answer?.queued, retried.queued)),
    /** Without a person, or several ids of one. */
    notAccountedFor: sum(done.map(({ sending }) => unseenIn(sending))),
    beyond: sum(done.map(countBeyond)),
    /** Ids in calls that were answered as a success without figures. */
    accepted: sum(
      done.map(({ sending, retried }) => (sending.answer?.accepted ? sending.sent : 0) + retried.accepted),
    ),
  };
}

function countByState(parts: readonly Part[]) {
  const inState = (state: PartState) => parts.filter(({ sending }) => stateOf(sending) === state);
  const [done, unknown, failed] = [inState('done'), inState('unknown'), inState('failed')];
  const notSent = inState('not sent');
  const ids = (some: readonly Part[]) => sum(some.map(({ count }) => count));
  return {
    /** Ids in calls that may have run, that are known not to have run, and that were never sent. */
    unknown: ids(unknown),
    refused: ids(failed),
    notSent: ids(notSent),
    /** Not as planned when they were looked up before they were sent again. */
    recreated: sum(parts.map((part) => part.sending.withheld.length + leftOutAgain(part).withheld.length)),
    batches: {
      total: parts.length,
      done: done.length,
      unknown: unknown.length,
      failed: failed.length,
      notSent: notSent.length,
      /** Of those done: answered only after an answer was lost. */
      settled: done.filter(({ sending }) => lostAnswers(sending) > 0).length,
    },
  };
}

type QueuedFigure = 'eventsQueued' | 'recordingsQueued';

/** A person who was not found has nothing to queue. A retry is about some of the same persons, so only its no counts. */
function addQueued(done: readonly Part[], figure: QueuedFigure): Queued {
  const total = { queued: 0, notQueued: 0, notTold: 0 };
  for (const { sending, retry } of done) {
    const { answer, sent, gone } = sending;
    const isQueued = answer?.[figure];
    const count = answer === undefined ? gone : (answer.found ?? sent);
    if (isQueued === undefined) total.notTold += count;
    else if (isQueued) total.queued += count;
    else total.notQueued += count;
    if (isQueued !== false && retry?.answer?.[figure] === false) {
      total.notQueued += retry.answer.found ?? retry.sent;
    }
  }
  return total;
}

/** Whether no call found anybody, so that none queued a deletion of events. */
export function isOfNobody({ verdict, found, accepted, batches }: Outcome): boolean {
  const isTold = accepted + batches.settled + batches.unknown === 0;
  return verdict === 'nobody found' || (found === 0 && isTold);
}

/** For how many of those that the service told of it queued a deletion; nothing if it told of none. */
export function shareOf(queued: Queued | undefined): 'all' | 'some' | 'none' | undefined {
  if (queued === undefined || queued.queued + queued.notQueued === 0) return undefined;
  if (queued.notQueued === 0) return 'all';
  return queued.queued === 0 ? 'none' : 'some';
}

function judge(run: RunRecord, counts: Figures): Judgement {
  const { end } = run.state();
  const { batches } = counts;
  const stop = end?.stopped;
  if (stop) {
    // What may have been done is looked at before it is tried again, like what was.
    const isBegun = batches.done + batches.unknown > 0;
    const kind = isBegun && stop.kind !== 'interrupted' ? 'partial' : stop.kind;
    return { verdict: 'stopped', kind, stopped: stop.reason, status: stop.status };
  }
  if (end === undefined) return { verdict: 'not finished', kind: 'partial' };
  const { failed, notDeleted, untold, beyond, recreated, eventsQueued, recordingsQueued } = counts;
  const notQueued = (eventsQueued?.notQueued ?? 0) + (recordingsQueued?.notQueued ?? 0);
  const isAnyOpen = failed + notDeleted + untold + beyond + recreated + notQueued > 0;
  const isOpen = isAnyOpen || batches.done < batches.total;
  if (isOpen || (counts.events?.unconfirmed ?? 0) > 0) {
    return { verdict: 'partly done', kind: isAllFailed(counts) ? firstFailure(run) : 'partial' };
  }
  // After a lost answer, or without figures, finding no person proves nothing.
  const isTold = counts.accepted === 0 && batches.settled === 0;
  const anybody = counts.found ?? (counts.deleted ?? 0) + (counts.queued ?? 0);
  if (isTold && anybody === 0) return { verdict: 'nobody found', kind: 'not-found' };
  return counts.eventsOfNobody > 0 ? { verdict: 'partly done', kind: 'partial' } : { verdict: 'done' };
}

function isAllFailed({ batches }: Figures): boolean {
  return batches.failed > 0 && batches.failed === batches.total;
}

/** If nothing at all was done, the reason says more than that it is partial. */
function firstFailure(run: RunRecord): ErrorKind {
  const kind = partsOf(run.state())[0]?.sending.failure?.kind;
  return kind === undefined || kind === 'bug' ? 'partial' : kind;
}

/** The sum of a figure over the parts of which the service gave it. */
function total(parts: readonly Part[], read: (part: Part) => number | undefined): number | undefined {
  const told = parts.flatMap((part) => read(part) ?? []);
  return told.length === 0 ? undefined : sum(told);
}

function plus(figure: number | undefined, more: number): number | undefined {
  return figure === undefined && more === 0 ? undefined : (figure ?? 0) + more;
}

/** Persons that were found in a part, but neither deleted nor queued nor named as failed, or not found again then. */
function countNotDeleted({ sending, retry }: Part): number {
  const vanished = retry === undefined ? 0 : unseenIn(retry);
  return missingIn(sending.answer) + missingIn(retry?.answer) + vanished;
}

/** Whom the look-ups before its retries left out, of all of them. */
export function leftOutAgain({ retry, retried }: Part): Pick<Sending, 'withheld' | 'missing'> {
  const all = (kind: 'withheld' | 'missing') => [...retried[kind], ...(retry?.[kind] ?? [])];
  return { withheld: all('withheld'), missing: all('missing') };
}

/** Those of a call that its answer does not say it found: all of them if it has figures, and not this one. */
function unseenIn({ answer, sent }: Sending): number {
  if (answer === undefined || answer.accepted === true) return 0;
  return Math.max(0, sent - (answer.found ?? 0));
}

function missingIn(answer: RecordedAnswer | undefined): number {
  const { found = 0, deleted = 0, queued = 0, errors = [] } = answer ?? {};
  return Math.max(0, found - deleted - queued - countFailed(errors));
}

/** Persons, each once in however many steps they failed; a row that names nobody of the run may be about anybody. */
export function countFailed(errors: readonly RecordedError[]): number {
  const named = errors.flatMap(({ person }) => person ?? []);
  return new Set(named).size + errors.length - named.length;
}

/** Persons that were counted beyond the ids of a part: an id belongs to one person at most. */
function countBeyond({ sending, retry }: Part): number {
  return sum(
    [sending, retry ?? []].flat().map((one) => {
      const { found = 0, deleted = 0, queued = 0 } = one.answer ?? {};
      return Math.max(0, Math.max(found, deleted, queued) - one.sent);
    }),
  );
}

/** When the service last answered a run (ISO). */
export type LastAnswer = {
  /** By the clock of the computer that asked, as all times of the journal. */
  readonly at: string;
  /** By the service's own clock, if its answer told. */
  readonly serviceTime: string | undefined;
};

/** The last answer of a run; undefined if nothing was answered. */
export function lastAnswer(state: RunState): LastAnswer | undefined {
  const answered = partsOf(state)
    .flatMap(({ sending, retry }) => [sending, retry ?? []].flat())
    .flatMap(({ answeredAt: at, answer, attempts }) =>
      // A look-up may find that there is no person left to send.
      at === undefined || attempts === 0 ? [] : { at, serviceTime: answer?.serviceTime },
    );
  return answered.reduce<LastAnswer | undefined>(
    (last, one) => (last === undefined || isLater(one, last) ? one : last),
    undefined,
  );
}

/** By the service's clock if both have it: the one here may have been set back between two answers. */
function isLater(one: LastAnswer, other: LastAnswer): boolean {
  const { serviceTime: time, at } = one;
  return time !== undefined && other.serviceTime !== undefined ? time >= other.serviceTime : at >= other.at;
}

/** One figure of an outcome in words, the same for the terminal and the report; nothing for one that is not there. */
type OutcomeLine = readonly [name: string, count: number | undefined, remark?: string];

/** The figures of an outcome that there are. Nothing is called deleted or queued that the service did not call so. */
export function outcomeLines(outcome: Outcome) {
  const { asked, unique, sent, found, deleted, queued } = outcome;
  const told: readonly OutcomeLine[] = [
    ['ids asked for', asked],
    ['repeats dropped', outcome.repeats || undefined],
    ['different ids', unique],
    ['sent and answered', sent],
    ['persons found', found],
    ['deleted', deleted],
    ['queued for deletion', queued],
  ];
  const others: readonly OutcomeLine[] = [
    ['failed', outcome.failed, 'the service named these persons and the step'],
    ['not in this run', outcome.notInRun, 'of those failed: persons not asked for; nothing was sent'],
    ['neither deleted nor queued', outcome.notDeleted, 'found, and the service does not say why'],
    ['beyond what was sent', outcome.beyond, 'the service counted more persons than ids'],
    ['not accounted for', outcome.notAccountedFor, 'sent minus found'],
    ['accepted', outcome.accepted, 'answered as a success, without figures'],
    ['outcome unknown', outcome.unknown, 'the answer was lost; resume the run'],
    ['refused', outcome.refused, 'known not to have been carried out'],
    ['not sent', outcome.notSent],
    ['ids without a person', outcome.leftOut - outcome.samePerson, 'when they were looked up; not sent'],
    ['further ids', outcome.samePerson, 'of persons who are sent by another id'],
    ['gone when looked up', outcome.gone],
    ['withheld', outcome.recreated, 'may have come since, or have an id of the plan by now'],
    ['batches settled', outcome.batches.settled, 'an answer was lost; the last one counts'],
    ...queuedLines('events', outcome.eventsQueued),
    ...queuedLines('recordings', outcome.recordingsQueued),
    ['events without a person', outcome.eventsOfNobody, 'ids; their events stay, if there are any'],
    ['events unconfirmed', outcome.events?.unconfirmed, 'not in the deletion status'],
  ];
  return [...told, ...others.filter(([, count]) => count !== 0)].flatMap(([name, count, remark = null]) =>
    count === undefined ? [] : { figure: name, count, remark },
  );
}

/** The persons of a further deletion: a request that was taken on, or not, or of which the service said nothing. */
function queuedLines(what: string, queued: Queued | undefined): readonly OutcomeLine[] {
  return [
    [`${what} queued`, queued?.queued, `persons whose ${what} the service says it will delete`],
    [`${what} not queued`, queued?.notQueued, `persons whose ${what} the service says it will not delete`],
    [`${what} not told`, queued?.notTold, `persons of whose ${what} the service says nothing`],
  ];
}

/** What is said of so many, unless there are none. */
export type Told = readonly [count: number, text: string];

export function tellCounts(lines: readonly Told[]): readonly string[] {
  return lines.flatMap(([count, text]) => (count > 0 ? text : []));
}

export function asSentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

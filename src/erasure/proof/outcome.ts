import type { ErrorKind } from '../../errors.ts';
import { exitOf } from '../core.ts';
import type { Tally } from '../facts.ts';
import type { RecordedAnswer } from '../record/answer.ts';
import { verdictsOf } from '../record/batches.ts';
import type { StopReason } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import { countSamePerson, sum } from '../record/plan.ts';
import { type Call, isLost, type RunState } from '../record/state.ts';

type OutcomeKind =
  /** The service said of each line what was asked for, or it is known to be done. */
  | 'done'
  /** Nobody has any of the ids. */
  | 'nobody found'
  /** Something is not told, or in doubt. */
  | 'partly done'
  /** Ended before all was sent. */
  | 'stopped'
  /** Planned, and nobody has carried it out yet. */
  | 'not begun'
  /** At work, or crashed. */
  | 'not finished';

type Judgement = {
  readonly verdict: OutcomeKind;
  /** The error that a command ends with; absent if the run is done. */
  readonly kind?: ErrorKind | undefined;
  readonly stopped?: StopReason | undefined;
  readonly status?: number | undefined;
};

/** What came of a run. A figure that the service gave for no call is absent; nothing is inferred from another. */
export type Outcome = Judgement & Figures;

type Figures = Readonly<ReturnType<typeof figuresOf>>;

/** Persons by what the service said of one of the two further deletions that a call can ask for. */
export type Queued = { readonly queued: number; readonly notQueued: number; readonly notTold: number };

/** Reads the outcome of a run from its record: what is known of each line is what the core says. */
export function reconcile(run: RunRecord, { ignoreMissing = false } = {}): Outcome {
  const tally = run.state().tally ?? run.tally();
  const figures = figuresOf(run, tally);
  return { ...judge(run, tally, { figures, ignoreMissing }), ...figures };
}

function figuresOf(run: RunRecord, tally: Tally) {
  const { plan, state } = run;
  const { batches, calls } = state();
  const { asked, unique, repeats, flags } = plan;
  const answered = calls.filter(({ answer }) => answer !== undefined);
  const isFirst = firstCalls(answered);
  const failures = failuresOf(run);
  return {
    asked,
    unique,
    repeats,
    /** What is known of each line. */
    tally,
    samePerson: countSamePerson(plan),
    /** Persons in calls that were answered. */
    sent: sum(answered.map((call) => (isFirst(call) ? call.count : 0))),
    /** Persons, as the service counted them when each was sent for the first time. */
    found: total(answered, (call) => (isFirst(call) ? call.answer?.found : undefined)),
    deleted: total(answered, ({ answer }) => answer?.deleted),
    queued: total(answered, ({ answer }) => answer?.queued),
    /** Persons in calls that were answered as a success, without figures. */
    accepted: sum(answered.map(({ count, answer }) => (answer?.kind === 'figures' ? 0 : count))),
    /** Persons whom the service counted beyond those whom a call was about. */
    beyond: sum(answered.map(countBeyond)),
    /** Ids by what is known of them. */
    answered: tally.answered ?? 0,
    unknown: (tally.unknown ?? 0) + (tally['in flight'] ?? 0),
    refused: tally.refused ?? 0,
    notSent: (tally['not sent'] ?? 0) + (tally['not agreed'] ?? 0),
    doubtful: tally.doubtful ?? 0,
    nobody: tally.nobody ?? 0,
    /** Addresses that led to no id, so that the core knows nothing of them. */
    addressesOfNobody: (plan.byAddresses && plan.list?.nobody) ?? 0,
    /** Ids of nobody, whose events no call deletes. */
    eventsOfNobody: flags.deleteEvents ? (tally.nobody ?? 0) : 0,
    gone: (tally.gone ?? 0) + (tally['rest waiting'] ?? 0),
    cleared: tally.cleared ?? 0,
    restUnknown: tally['rest unknown'] ?? 0,
    excepted: tally.excepted ?? 0,
    odd: tally.odd ?? 0,
    /** Persons whom the service could not delete, and those whom it named without their being asked for. */
    failed: countFailed(failures, tally),
    failures,
    notInRun: failures.filter(({ notInRun }) => notInRun).length,
    /** What the service said of the two further deletions; absent if the plan does not ask for it. */
    eventsQueued: flags.deleteEvents ? addQueued(answered, 'eventsQueued') : undefined,
    recordingsQueued: flags.deleteRecordings ? addQueued(answered, 'recordingsQueued') : undefined,
    calls: countCalls(batches, calls),
  };
}

function countBeyond({ count, answer }: Call): number {
  const { found = 0, deleted = 0, queued = 0 } = answer ?? {};
  return Math.max(0, found - count, deleted + queued - count);
}

/** Whether a call was the first to be answered about its people. */
function firstCalls(answered: readonly Call[]): (call: Call) => boolean {
  const told = new Map<number, Set<number>>();
  const first = new Set<Call>();
  for (const call of answered) {
    const known = told.get(call.batch) ?? new Set();
    if (!call.persons.some((person) => known.has(person))) first.add(call);
    for (const person of call.persons) known.add(person);
    told.set(call.batch, known);
  }
  return (call) => first.has(call);
}

type FailedStep = {
  readonly batch: number;
  /** Null for somebody whom the run is not about. */
  readonly person: string | null;
  readonly step: string;
  readonly notInRun?: true | undefined;
};

/** Several steps may fail for a person. Of those who are not in the run nothing tells who is the same. */
function countFailed(failures: readonly FailedStep[], { failed = 0 }: Tally): number {
  const named = failures.flatMap(({ batch, person }) => (person === null ? [] : `${batch} ${person}`));
  const others = failures.filter(({ person }) => person === null);
  return Math.max(failed, new Set(named).size) + others.length;
}

/**
 * Who is known as failed, with the steps of the last answer that named them. Of people who are not in the run, those of
 * the answer that named the most.
 */
function failuresOf(run: RunRecord): readonly FailedStep[] {
  const others = new Map<number, readonly FailedStep[]>();
  const named = new Map<number, Map<string, readonly FailedStep[]>>();
  for (const { batch, answer } of run.state().calls) {
    if (answer === undefined || answer.errors.length === 0) continue;
    const steps = answer.errors.map((error) => ({ batch, ...error }));
    const strangers = steps.filter(({ person }) => person === null);
    if (strangers.length > (others.get(batch)?.length ?? 0)) others.set(batch, strangers);
    const known = named.get(batch) ?? new Map<string, readonly FailedStep[]>();
    named.set(batch, known);
    for (const { person } of steps)
      if (person !== null)
        known.set(
          person,
          steps.filter((one) => one.person === person),
        );
  }
  const failed = [...named].flatMap(([batch, persons]) => {
    const still = failedIn(run, batch);
    return [...persons].flatMap(([person, steps]) => (still.has(person) ? steps : []));
  });
  return [...failed, ...[...others.values()].flat()];
}

/** UUIDs of the persons of a batch whom the core knows as failed. */
function failedIn(run: RunRecord, batch: number): ReadonlySet<string> {
  const standing = run.standing(batch);
  const { named } = standing.batch;
  const ids = [...verdictsOf(standing)].filter(([, verdict]) => verdict === 'failed');
  return new Set(ids.flatMap(([id]) => named.get(id) ?? []));
}

/** How many calls the plan takes, and how far each batch is by its last one. */
function countCalls(batches: RunState['batches'], calls: readonly Call[]) {
  const last = new Map(calls.map((call) => [call.batch, call]));
  const states = batches.flatMap(({ persons }, at) => (persons === 0 ? [] : stateOf(last.get(at + 1))));
  const count = (state: string) => states.filter((one) => one === state).length;
  return {
    total: states.length,
    done: count('done'),
    unknown: count('unknown'),
    failed: count('failed'),
    notSent: count('not sent'),
  };
}

/** How a call ended, if there was one. */
export function stateOf(call: Call | undefined): 'done' | 'unknown' | 'failed' | 'not sent' {
  if (call === undefined) return 'not sent';
  if (call.answer !== undefined) return 'done';
  if (isLost(call)) return 'unknown';
  return call.failure?.kind === 'interrupted' ? 'not sent' : 'failed';
}

type QueuedFigure = 'eventsQueued' | 'recordingsQueued';

/** A person who was not found has nothing to queue. */
function addQueued(answered: readonly Call[], figure: QueuedFigure): Queued {
  const all = { queued: 0, notQueued: 0, notTold: 0 };
  for (const { answer, count } of answered) {
    const isQueued = answer?.[figure];
    const persons = answer?.found ?? count;
    if (isQueued === undefined) all.notTold += persons;
    else if (isQueued) all.queued += persons;
    else all.notQueued += persons;
  }
  return all;
}

/** For how many of those that the service told of it queued a deletion; nothing if it told of none. */
export function shareOf(queued: Queued | undefined): 'all' | 'some' | 'none' | undefined {
  if (queued === undefined || queued.queued + queued.notQueued === 0) return undefined;
  if (queued.notQueued === 0) return 'all';
  return queued.queued === 0 ? 'none' : 'some';
}

type Judging = { readonly figures: Figures; readonly ignoreMissing: boolean };

function judge(run: RunRecord, tally: Tally, { figures, ignoreMissing }: Judging): Judgement {
  const { end, calls, sessions } = run.state();
  const stop = end?.stopped;
  if (stop) {
    // What may have been done is looked at before it is tried again, like what was.
    const isBegun = calls.some((call) => ['done', 'unknown'].includes(stateOf(call)));
    const kind = isBegun && stop.kind !== 'interrupted' ? 'partial' : stop.kind;
    return { verdict: 'stopped', kind, stopped: stop.reason, status: stop.status };
  }
  if (end === undefined)
    return { verdict: sessions.length === 0 ? 'not begun' : 'not finished', kind: 'partial' };
  const core = run.core();
  const exitWith = (missing: boolean) =>
    exitOf({ ...core, options: { ...core.options, ignoreMissing: missing } }, tally);
  const verdict = outcomeKindOf(exitWith(false), figures);
  if (figures.beyond === 0 && exitWith(ignoreMissing) === 0) return { verdict };
  return {
    verdict,
    kind: verdict === 'nobody found' ? 'not-found' : (firstFailure(calls, sessions.at(-1)?.at) ?? 'partial'),
  };
}

function outcomeKindOf(exit: 0 | 3 | 8, { beyond }: Pick<Figures, 'beyond'>): OutcomeKind {
  if (exit === 3) return 'nobody found';
  return exit === 0 && beyond === 0 ? 'done' : 'partly done';
}

/** If nothing at all was done, and the last session tried, the reason says more than that it is partial. */
function firstFailure(calls: readonly Call[], begun = ''): ErrorKind | undefined {
  const isTried = calls.some(({ sentAt }) => sentAt >= begun);
  const isAllFailed = isTried && calls.every((call) => stateOf(call) === 'failed');
  const kind = isAllFailed ? calls[0]?.failure?.kind : undefined;
  return kind === 'bug' ? undefined : kind;
}

/** The sum of a figure over the calls for which the service gave it. */
function total(calls: readonly Call[], read: (call: Call) => number | undefined): number | undefined {
  const told = calls.flatMap((call) => read(call) ?? []);
  return told.length === 0 ? undefined : sum(told);
}

/** When the service last answered a run (ISO). */
export type LastAnswer = {
  /** By the clock of the computer that asked, as all times of the journal. */
  readonly at: string;
  /** By the service's own clock, if its answer told. */
  readonly serviceTime: string | undefined;
};

/** The last answer of a run; undefined if nothing was answered. */
export function lastAnswer({ calls }: RunState): LastAnswer | undefined {
  const answered = calls.flatMap(({ endedAt: at, answer }) =>
    at === undefined || answer === undefined ? [] : { at, serviceTime: answer.serviceTime },
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

/** What a service said became of the people of a call, if it is the same of all who did not fail. */
export function wordOf(
  answer: RecordedAnswer | undefined,
  count: number,
): 'deleted' | 'queued' | 'accepted' | undefined {
  if (answer === undefined) return undefined;
  if (answer.kind !== 'figures') return 'accepted';
  const failed = new Set(answer.errors.map(({ person }) => person));
  if (answer.found !== count || failed.has(null)) return undefined;
  const others = count - failed.size;
  if (answer.deleted === others) return 'deleted';
  return answer.queued === others ? 'queued' : undefined;
}

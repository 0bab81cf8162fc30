import { CliError } from '../../errors.ts';
import type {
  Address,
  EventsCheck,
  Failure,
  JournalLine,
  Owed,
  RecordedAnswer,
  RecordedError,
  Verification,
} from './journal.ts';
import { mostPerCall, type Plan } from './plan.ts';

/** What is known of one sending, over all its attempts. */
export type Sending = {
  readonly attempts: number;
  /** Written down as sent, without a line about how it ended. */
  readonly pending: boolean;
  /** Attempts that may have run and whose answer never came. */
  readonly lost: number;
  /** Ids in the last attempt: fewer than planned if a look-up found some of them gone. */
  readonly sent: number;
  readonly firstSentAt?: string | undefined;
  /** The last that the service's clock said before the first attempt. */
  readonly serviceTime?: string | undefined;
  readonly answeredAt?: string | undefined;
  readonly answer?: RecordedAnswer | undefined;
  readonly failure?: Failure | undefined;
  /** From the look-up before it was sent again: how many were gone, and who came back since and was spared. */
  readonly gone: number;
  readonly withheld: readonly string[];
  /** Those gone, by member. */
  readonly missing: readonly string[];
  /** Before any attempt: who was withheld then was in no call. */
  readonly isLookedUpFirst: boolean;
  /** A look-up found no person left to send, so there is no further answer. */
  readonly settledByLookUp: boolean;
};

/** The part of the plan that one call carries: a batch, or a piece of one that was too large for the service. */
export type Part = {
  readonly batch: number;
  readonly part: number;
  /** Position of its first id among the ids of the run, and how many it plans. */
  readonly from: number;
  readonly count: number;
  readonly sending: Sending;
  /** The people that the service could not delete, as of its last answer about them. */
  readonly errors: readonly RecordedError[];
  /** The people of those errors sent again. */
  readonly retry?: Sending;
  /** Sums over answered retries: each is about people the answers before did not delete. */
  readonly retried: Retried;
};

type Retried = Readonly<Record<'deleted' | 'queued' | 'accepted', number>> &
  /** Whom the look-ups before them left out. */
  Readonly<Record<'withheld' | 'missing', readonly string[]>>;

export type PartState = 'done' | 'unknown' | 'failed' | 'not sent';

type LineOf<Type> = JournalLine & { readonly type: Type };

export type RunState = {
  readonly run: string;
  readonly batches: readonly (readonly Part[])[];
  /** Ids that one call may hold, as far as the service has told. */
  readonly limit: number;
  readonly sessions: readonly LineOf<'started'>[];
  readonly repairs: number;
  /** The end of the last session; absent while one is at work, or after a crash. */
  readonly end?: LineOf<'ended'> | undefined;
  readonly events?: EventsCheck & { readonly at: string };
  /** All of them, also those that asked about some of the ids only. */
  readonly verifications: readonly (Verification & { readonly at: string })[];
  readonly idsDropped: boolean;
  /** What was owed when the ids were dropped all the same. */
  readonly droppedOwing: readonly Owed[];
};

const unsent: Sending = {
  attempts: 0,
  pending: false,
  lost: 0,
  sent: 0,
  gone: 0,
  withheld: [],
  missing: [],
  isLookedUpFirst: false,
  settledByLookUp: false,
};

/** `done`: answered. `unknown`: may have run. `failed`: known not to have run. */
export function stateOf(sending: Sending): PartState {
  if (sending.answer !== undefined || sending.settledByLookUp) return 'done';
  if (sending.pending || sending.lost > 0) return 'unknown';
  // Known not to have run, and not for any reason of the service.
  const isBrokenOff = sending.failure?.kind === 'interrupted';
  return sending.failure === undefined || isBrokenOff ? 'not sent' : 'failed';
}

/** Answers that were lost before the one that counts. */
export function lostAnswers(sending: Sending): number {
  return sending.lost;
}

export function partsOf(state: RunState): readonly Part[] {
  return state.batches.flat();
}

/** How long a plan is taken as it is by the session that made it. */
const trustMilliseconds = 15 * 60_000;

/** What a session has to send: a part of the plan, or the errors of one that was answered. */
export type Task = Address;

/** Everything that is not known to be done, in the order of the plan. */
export function tasksOf(state: RunState): readonly Task[] {
  return partsOf(state).flatMap((part) => {
    const retry = stateOf(part.sending) === 'done';
    return retry && failedIn(part).size === 0 ? [] : { batch: part.batch, part: part.part, retry };
  });
}

/** How many ids are not known to be done. */
export function countOpen(state: RunState): number {
  const count = (part: Part, { retry }: Task) => (retry ? failedIn(part).size : part.count);
  return tasksOf(state).reduce((total, task) => total + count(findPart(state, task), task), 0);
}

type Looking = {
  readonly state: () => RunState;
  readonly plan: Pick<Plan, 'lookedUpAt'>;
  readonly isReopened: boolean;
};

/**
 * Whether ids may lead to others by now than the plan resolved: a call was about them, whatever came of it, another
 * session planned them, or the plan is old.
 */
export function needsLookUp({ state, plan, isReopened }: Looking, task: Task, now: number): boolean {
  if (isReopened || task.retry || sendingOf(state(), task).attempts > 0) return true;
  const passed = now - Date.parse(plan.lookedUpAt);
  // A clock that was set back does not tell how long ago it was.
  return passed < 0 || passed > trustMilliseconds;
}

export function sendingOf(state: RunState, task: Task): Sending {
  const part = findPart(state, task);
  return task.retry ? (part.retry ?? unsent) : part.sending;
}

/** The part that a task is about. Throws a `RangeError` for one that the run has not: nothing may be sent for it. */
export function findPart(state: RunState, { batch, part }: Pick<Task, 'batch' | 'part'>): Part {
  const found = state.batches[batch - 1]?.[part - 1];
  if (found === undefined) throw new RangeError(`The run has no part ${part} of a batch ${batch}`);
  return found;
}

/** The people of its errors, each once in however many steps they failed. */
export function failedIn({ errors }: Part): ReadonlySet<string> {
  return new Set(errors.flatMap(({ person }) => person ?? []));
}

/** The lines of a journal, or any first ones of them, to the state they describe. Throws for lines that contradict. */
export function replay(lines: Iterable<JournalLine>): RunState {
  let state: RunState | undefined;
  for (const line of lines) state = applyLine(state, line);
  if (state === undefined)
    throw new CliError('check', 'the journal is empty', { hint: 'nothing was sent in this run' });
  return state;
}

/** The state after one more line. The list of batches is carried over and changed in place: there may be 100,000. */
export function applyLine(state: RunState | undefined, line: JournalLine): RunState {
  if (line.type === 'created') {
    if (state !== undefined) throw contradiction(line, 'the run was created already');
    return create(line.run, line.persons, line.batchSize);
  }
  if (state === undefined) throw contradiction(line, 'the run was not created');
  switch (line.type) {
    case 'started':
      return { ...state, end: undefined, sessions: [...state.sessions, line] };
    // Who took over is for readers of the journal.
    case 'taken-over':
      return state;
    case 'repaired':
      return { ...state, repairs: state.repairs + 1 };
    case 'cut':
      return cut(state, line.batch, line);
    case 'ended':
      return { ...state, end: line };
    case 'events-checked': {
      const { completed, pending, unconfirmed, at } = line;
      return { ...state, events: { completed, pending, unconfirmed, at } };
    }
    case 'verified': {
      const { type: _, line: __, ...verification } = line;
      return { ...state, verifications: [...state.verifications, verification] };
    }
    case 'ids-dropped':
      return { ...state, idsDropped: true, droppedOwing: line.owed ?? [] };
    case 'sending':
    case 'answered':
    case 'failed':
    case 'looked-up':
      return changePart(state, line);
    default:
      // Exhaustive for the lines of this version; a newer one may write others.
      throw contradiction(line, 'it is of a kind that this version does not know');
  }
}

function create(run: string, persons: number, batchSize: number): RunState {
  const batches = Array.from({ length: Math.ceil(persons / batchSize) }, (_, index) => {
    const from = index * batchSize;
    const count = Math.min(batchSize, persons - from);
    return [newPart({ batch: index + 1, part: 1, from, count, sending: unsent })];
  });
  const nothing = { sessions: [], repairs: 0, verifications: [], idsDropped: false, droppedOwing: [] };
  return { run, batches, limit: mostPerCall, ...nothing };
}

function newPart(part: Omit<Part, 'retried' | 'errors'>): Part {
  const retried = { deleted: 0, queued: 0, accepted: 0, withheld: [], missing: [] };
  return { ...part, errors: [], retried };
}

/** Replaces a batch by parts of the size that the service takes. A call about the whole was one about each part. */
function cut(state: RunState, batch: number, line: LineOf<'cut'>): RunState {
  const [whole, ...others] = state.batches[batch - 1] ?? [];
  if (whole === undefined || others.length > 0 || stateOf(whole.sending) === 'done') {
    throw contradiction(line, `batch ${batch} cannot be cut`);
  }
  const sending = { ...whole.sending, failure: undefined };
  const parts: Part[] = [];
  for (let start = 0; start < whole.count; start += line.limit) {
    const count = Math.min(line.limit, whole.count - start);
    parts.push(newPart({ ...whole, part: parts.length + 1, from: whole.from + start, count, sending }));
  }
  // Cast: `create` made this list, and only this file holds it as one that changes.
  (state.batches as Part[][])[batch - 1] = parts;
  return { ...state, limit: Math.min(state.limit, line.limit) };
}

type PartLine = LineOf<'sending' | 'answered' | 'failed' | 'looked-up'>;

function changePart(state: RunState, line: PartLine): RunState {
  const parts = state.batches[line.batch - 1] as Part[] | undefined; // Cast: as in `cut`.
  const part = parts?.[line.part - 1];
  if (parts === undefined || part === undefined) throw contradiction(line, 'the plan has no such batch');
  if (line.retry && part.sending.answer === undefined)
    throw contradiction(line, 'a retry comes before its answer');
  const before = line.retry ? (part.retry ?? unsent) : part.sending;
  const after = change(before, line);
  const isOver = line.type === 'answered';
  const retry = isOver ? { ...after, withheld: [], missing: [], gone: 0 } : after;
  parts[line.part - 1] = {
    ...part,
    ...(line.retry ? { retry } : { sending: after }),
    ...tally(part, line, after),
  };
  return state;
}

/** What is left, and what retries did: each is about people that the answers before it did not delete. */
function tally({ errors, retried }: Part, line: PartLine, after: Sending): Pick<Part, 'errors' | 'retried'> {
  const unnamed = errors.filter(({ person }) => person === null);
  if (line.type === 'looked-up' && line.left === 0) return { errors: unnamed, retried };
  if (line.type !== 'answered') return { errors, retried };
  const { answer } = line;
  if (!line.retry) return { errors: answer.errors, retried };
  const deleted = retried.deleted + (answer.deleted ?? 0);
  const queued = retried.queued + (answer.queued ?? 0);
  const accepted = retried.accepted + (answer.accepted === true ? after.sent : 0);
  const withheld = [...retried.withheld, ...after.withheld];
  const missing = [...retried.missing, ...after.missing];
  const more = { deleted, queued, accepted, withheld, missing };
  return { errors: [...unnamed, ...answer.errors], retried: more };
}

function change(before: Sending, line: PartLine): Sending {
  switch (line.type) {
    case 'sending': {
      if (!line.retry && before.answer !== undefined) {
        throw contradiction(line, 'the batch was answered already');
      }
      return {
        ...before,
        attempts: before.attempts + 1,
        pending: true,
        lost: before.lost + (before.pending ? 1 : 0),
        sent: line.count,
        firstSentAt: before.firstSentAt ?? line.at,
        serviceTime: before.attempts > 0 ? before.serviceTime : line.serviceTime,
        answer: undefined,
        failure: undefined,
      };
    }
    case 'answered':
      if (!before.pending) throw contradiction(line, 'an answer comes without a sending');
      return { ...before, pending: false, answer: line.answer, answeredAt: line.at };
    case 'failed':
      if (!before.pending) throw contradiction(line, 'a failure comes without a sending');
      return {
        ...before,
        pending: false,
        failure: line.failure,
        lost: before.lost + (line.failure.outcome === 'unknown' ? 1 : 0),
      };
    case 'looked-up':
      return {
        ...before,
        gone: line.gone,
        withheld: line.withheld,
        missing: line.missing,
        isLookedUpFirst: before.attempts === 0,
        settledByLookUp: line.left === 0,
        ...(line.left === 0 ? { sent: 0, answeredAt: line.at } : {}),
      };
  }
}

function contradiction(line: JournalLine, problem: string): CliError {
  return new CliError('check', `the journal contradicts itself on line ${line.line}: ${problem}`, {
    hint: 'keep the run directory as it is, and start afresh with --new-run',
  });
}

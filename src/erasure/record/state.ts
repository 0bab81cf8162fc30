import { CliError } from '../../errors.ts';
import { isOpen, isOwed } from '../core.ts';
import { type StoreName, type Tally, VERDICTS, type Verdict } from '../facts.ts';
import type { Failure, RecordedAnswer } from './answer.ts';
import type { Author, BatchSize, JournalLine, Owed, Verification } from './journal.ts';
import { fromRanges } from './sightings.ts';

type LineOf<Type> = JournalLine & { readonly type: Type };

/** One call about some persons of a batch. */
export type Call = {
  readonly batch: number;
  /** Among the calls of its batch, from 0. */
  readonly call: number;
  /** Persons in it, and their positions in the batch. */
  readonly count: number;
  readonly persons: readonly number[];
  readonly sentAt: string;
  /** Absent while it is under way, and for good after a crash. */
  readonly endedAt?: string;
  readonly answer?: RecordedAnswer;
  readonly failure?: Failure;
};

/** Where the entries of a batch stand among those of the run, and how many persons they lead to. */
export type BatchPlace = { readonly from: number; readonly ids: number; readonly persons: number };

export type Verified = Verification & { readonly at: string };

/** What the journal says of a run as a whole. What it means for a person is for the core to say. */
export type RunState = {
  readonly run: string;
  readonly batches: readonly BatchPlace[];
  /** Who planned it, and who confirmed that, as far as they are known. */
  readonly planner?: Author | undefined;
  readonly confirmer?: Author | undefined;
  /** How many persons somebody agreed to; absent for a plan that waits for that. */
  readonly agreed?: number;
  /** Stores that answer besides those of the plan. */
  readonly stores: readonly StoreName[];
  /** Ids that were excepted since the plan. */
  readonly excepted: readonly string[];
  readonly sessions: readonly LineOf<'started'>[];
  readonly repairs: number;
  /** The end of the last session; absent while one is at work, or after a crash. */
  readonly end?: LineOf<'ended'> | undefined;
  readonly calls: readonly Call[];
  readonly verifications: readonly Verified[];
  /** What was known of each line when it was last written down; absent if something has happened since. */
  readonly tally?: Tally | undefined;
  readonly idsDropped: boolean;
  /** What was owed when the ids were dropped all the same. */
  readonly droppedOwing: readonly Owed[];
  /** The lines that are about one batch, and by 0 those about all. */
  readonly lines: ReadonlyMap<number, readonly JournalLine[]>;
};

/** The lines of a journal, or any first ones of them, to the state they describe. Throws for lines that contradict. */
export function replay(lines: Iterable<JournalLine>): RunState {
  let state: RunState | undefined;
  for (const line of lines) state = applyLine(state, line);
  if (state === undefined)
    throw new CliError('check', 'the journal is empty', { hint: 'nothing was sent in this run' });
  return state;
}

/** The state after one more line. Its lists grow in place: there may be 100,000 calls. */
export function applyLine(state: RunState | undefined, line: JournalLine): RunState {
  if (line.type === 'created') {
    if (state !== undefined) throw contradiction(line, 'the run was created already');
    return { ...create(line.run, line.batches), planner: authorOf(line) };
  }
  if (state === undefined) throw contradiction(line, 'the run was not created');
  const batch = 'batch' in line ? line.batch : 0;
  if ('batch' in line && state.batches[batch - 1] === undefined)
    throw contradiction(line, 'the plan has no such batch');
  // Cast: `create` made this map, and only this file holds it as one that changes.
  const known = state.lines as Map<number, JournalLine[]>;
  const own = known.get(batch) ?? [];
  known.set(batch, own);
  own.push(line);
  const { tally: _, ...untold } = state;
  const changed: RunState = batch === 0 ? state : untold;
  switch (line.type) {
    case 'agreed':
      return { ...changed, agreed: line.persons, confirmer: authorOf(line) };
    case 'started':
      return { ...changed, end: undefined, tally: undefined, sessions: [...state.sessions, line] };
    case 'store':
      return { ...changed, stores: [...state.stores, line.store] };
    case 'excepted':
      return { ...changed, tally: undefined, excepted: [...state.excepted, ...line.members] };
    case 'repaired':
      return { ...changed, repairs: state.repairs + 1 };
    case 'sending':
    case 'answered':
    case 'failed':
      changeCall(state, line);
      return changed;
    case 'ended':
      return { ...changed, end: line, tally: line.tally };
    case 'verified': {
      const { type: __, line: ___, ...verification } = line;
      return { ...changed, tally: line.tally, verifications: [...state.verifications, verification] };
    }
    case 'ids-dropped':
      return { ...changed, idsDropped: true, droppedOwing: line.owed };
    // What was seen, and who took over, changes nothing here.
    case 'aged':
    case 'saw':
    case 'saw-status':
    case 'saw-count':
    case 'taken-over':
      return changed;
    default:
      // Exhaustive for the lines of this version; a newer one may write others.
      throw contradiction(line, 'it is of a kind that this version does not know');
  }
}

function authorOf({ by, version }: JournalLine): Author | undefined {
  return by === undefined || version === undefined ? undefined : { by, version };
}

function create(run: string, sizes: readonly BatchSize[]): RunState {
  const batches: BatchPlace[] = [];
  let from = 0;
  for (const [ids, persons] of sizes) {
    batches.push({ from, ids, persons });
    from += ids;
  }
  const nothing = {
    stores: [],
    excepted: [],
    sessions: [],
    repairs: 0,
    calls: [],
    verifications: [],
    droppedOwing: [],
  };
  return { run, batches, ...nothing, idsDropped: false, lines: new Map<number, JournalLine[]>() };
}

function changeCall(state: RunState, line: LineOf<'sending' | 'answered' | 'failed'>): void {
  // Cast: as above.
  const calls = state.calls as Call[];
  const { batch } = line;
  if (line.type === 'sending') {
    const call = (state.lines.get(batch) ?? []).filter(({ type }) => type === 'sending').length - 1;
    calls.push({ batch, call, count: line.count, persons: fromRanges(line.persons), sentAt: line.at });
    return;
  }
  const at = calls.findLastIndex((one) => one.batch === batch && one.call === line.call);
  const before = calls[at];
  if (before === undefined || before.endedAt !== undefined)
    throw contradiction(line, 'a call ends that is not under way');
  calls[at] = {
    ...before,
    endedAt: line.at,
    ...(line.type === 'answered' ? { answer: line.answer } : { failure: line.failure }),
  };
}

/** May have run, and whose answer never came. */
export function isLost({ endedAt, failure }: Call): boolean {
  return endedAt === undefined || failure?.outcome === 'unknown';
}

/** Not known to be refused. */
export function mayHaveRun(call: Call): boolean {
  return call.answer !== undefined || isLost(call);
}

export function contradiction({ line }: { readonly line: number }, problem: string): CliError {
  return new CliError('check', `the journal contradicts itself on line ${line}: ${problem}`, {
    hint: 'keep the run directory as it is, and start afresh with --new-run',
  });
}

/** Whether a session may have more to do: none has ended, or it left something to send. */
export function isUnfinished({ end, tally }: RunState): boolean {
  return end === undefined || tally === undefined || countOpen(tally) > 0;
}

/** How many lines of a tally a session may still send, or has to look at first. */
export function countOpen(tally: Tally): number {
  return countIn(tally, isOpen);
}

/** How many lines of a tally are owed. */
export function countOwed(tally: Tally): number {
  return countIn(tally, isOwed);
}

function countIn(tally: Tally, isWanted: (verdict: Verdict) => boolean): number {
  return VERDICTS.reduce((sum, verdict) => sum + (isWanted(verdict) ? (tally[verdict] ?? 0) : 0), 0);
}

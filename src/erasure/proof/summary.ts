import { basename } from 'node:path';
import type { Owner } from '../../system/lock.ts';
import { type RunTools, runsDirectory } from '../record/directory.ts';
import { isAtWork, oldestFirst } from '../record/find.ts';
import { type RunRecord, tryRead } from '../record/open.ts';
import { countOpen } from '../record/state.ts';
import { hasNeverBegun } from '../record/unreadable.ts';
import { eventsWord } from './events.ts';
import { reconcile } from './outcome.ts';
import { isVerified, owedOf } from './verdict.ts';

export type RunSummary = {
  readonly id: string;
  readonly path: string;
  /** Why the run cannot be read; then there is no more of it. */
  readonly problem?: string;
  /** What a crash left before the first line of a journal: nothing was sent, but ids may be there. */
  readonly neverBegan?: boolean;
} & Partial<Readonly<ReturnType<typeof readSummary>>>;

/** The runs of a state directory, oldest first; a damaged one is listed with its problem. */
export function listRuns(stateDirectory: string, tools: Pick<RunTools, 'records'>): readonly RunSummary[] {
  return oldestFirst(runsDirectory(stateDirectory), tools).map((path) =>
    summarize(basename(path), path, tools),
  );
}

function summarize(id: string, path: string, tools: Pick<RunTools, 'records'>): RunSummary {
  const { owner } = tools.records;
  const summary = tryRead(path, tools, (run) => readSummary(run, owner));
  if (summary !== undefined) return { id, path, ...summary };
  return hasNeverBegun(path, owner)
    ? { id, path, problem: 'never began; hogctl runs prune removes it', neverBegan: true }
    : { id, path, problem: 'incomplete or changed; hogctl runs check says more', neverBegan: false };
}

function readSummary(run: RunRecord, owner: Owner) {
  const state = run.state();
  return {
    plan: run.plan,
    isMadeHere: run.isMadeHere,
    outcome: reconcile(run),
    atWork: isAtWork(run, owner),
    /** Whether anything is left to send. */
    isOpen: countOpen(state.tally ?? run.tally()) > 0,
    hasIds: run.hasIds,
    verified: isVerified(run) ?? false,
    owed: owedOf(run),
    /** Nobody has agreed to the plan yet, so that all of it is owed. */
    isWaiting: state.agreed === undefined && run.hasIds,
    /** Somebody removed the ids although something was owed. */
    isGivenUp: state.droppedOwing.length > 0,
    /** How far the deletion of events is, in a word or two; absent if it was not asked for. */
    events: eventsWord(run),
  };
}

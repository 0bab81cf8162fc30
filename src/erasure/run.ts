import type { Entry } from './entries.ts';
import type { Happening, Seal } from './journal.ts';
import type { Plan } from './make-plan.ts';
import type { KeyState, MemberLine, MemberOf } from './members.ts';
import type { RunState } from './run-state.ts';

/** The plan as a run keeps it. `mark` stands for the set of its ids, in any order. */
export type RunPlan = Plan & {
  readonly run: string;
  readonly createdAt: string;
  /** Tells whether a key is the check key; absent in plans of older versions. */
  readonly keyFingerprint?: string;
  readonly members: { readonly count: number; readonly sha256: string; readonly mark: string };
};

/** A run as it can be read by anybody who may read its directory, also while another process works on it. */
export type RunRecord = {
  readonly id: string;
  readonly path: string;
  readonly plan: RunPlan;
  readonly state: () => RunState;
  readonly seal: () => Seal;
  readonly keyState: KeyState;
  /** How an id appears in journal and report. Throws a `check` error without the key that the run was planned with. */
  readonly memberOf: MemberOf;
  readonly members: () => Iterable<MemberLine>;
  readonly hasIds: boolean;
  /** Ids by position. Throws a `refused` error once the ids were dropped. */
  readonly entries: (from: number, count: number) => readonly Entry[];
  /** Uuids that the service named among its errors. */
  readonly named: () => readonly string[];
  readonly close: () => void;
};

/** A run that this process holds the lock of. */
export type Run = RunRecord & {
  /** Writes down what happened, synced at once, and brings the state up to date. Throws if it cannot be written. */
  readonly append: (...happenings: readonly Happening[]) => void;
  readonly keepNamed: (uuids: readonly string[]) => void;
  /** Removes the ids, after which the run can be reported and checked, not resumed. */
  readonly dropIds: () => void;
};

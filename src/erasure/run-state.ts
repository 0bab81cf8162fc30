import type { IdKind } from './ids.ts';
import type { EventsCheck, Failure, RecordedAnswer, RecordedError, Stop, Verification } from './journal.ts';

/** What is known of one sending, over all its attempts. */
export type Sending = {
  readonly attempts: number;
  /** Written down as sent, without a line about how it ended. */
  readonly pending: boolean;
  /** Attempts that may have run and whose answer never came. */
  readonly lost: number;
  /** Ids in the last attempt: fewer than planned if a look-up found some of them gone. */
  readonly sent: number;
  /** Of a retry: the people it is about, if it sends all ids of its part. */
  readonly people?: number;
  readonly firstSentAt?: string;
  /** The last that the service's clock said before the first attempt. */
  readonly serviceTime?: string;
  readonly answeredAt?: string;
  readonly answer?: RecordedAnswer;
  readonly failure?: Failure;
  /** From the look-up before a lost batch was sent again: how many were gone, and who came back since and was spared. */
  readonly gone: number;
  readonly withheld: readonly string[];
  /** A look-up found nobody left to send, so there is no further answer. */
  readonly settledByLookUp: boolean;
};

/** The part of the plan that one call carries: a batch, or a piece of one that was too large for the service. */
export type Part = {
  readonly batch: number;
  readonly part: number;
  readonly kind: IdKind;
  /** Position of its first id among the ids of the run, and how many it plans. */
  readonly from: number;
  readonly count: number;
  readonly sending: Sending;
  /** The people that the service could not delete, as of its last answer about them. */
  readonly errors: readonly RecordedError[];
  /** The people of those errors sent again, or all ids of the part if nobody resolved them. */
  readonly retry?: Sending;
  /** Sums over answered retries: each is about people the answers before did not delete. */
  readonly retried: { readonly deleted: number; readonly queued: number; readonly accepted: number };
};

export type PartState = 'done' | 'unknown' | 'failed' | 'not sent';

export type RunState = {
  readonly run: string;
  readonly batches: readonly (readonly Part[])[];
  /** Ids that one call may hold, as far as the service has told. */
  readonly limit: number;
  readonly sessions: readonly {
    readonly at: string;
    readonly key: string | null;
    readonly host: string;
    readonly project: string;
    readonly resumed: boolean;
  }[];
  readonly repairs: number;
  /** The end of the last session; absent while one is at work, or after a crash. */
  readonly end?: { readonly at: string; readonly stopped: Stop | null };
  readonly events?: EventsCheck & { readonly at: string };
  /** All of them, also those that asked about some of the ids only. */
  readonly verifications: readonly (Verification & { readonly at: string })[];
  readonly idsDropped: boolean;
};

export const unsent: Sending = {
  attempts: 0,
  pending: false,
  lost: 0,
  sent: 0,
  gone: 0,
  withheld: [],
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
  return sending.lost + (sending.answer?.lost ?? 0);
}

/** How many people a sending is about, at most one for each id. */
export function peopleOf({ people, sent }: Sending): number {
  return people ?? sent;
}

export function partsOf(state: RunState): readonly Part[] {
  return state.batches.flat();
}

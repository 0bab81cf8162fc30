import type { Failure, Stop } from './journal.ts';
import { surePerCall } from './plan.ts';

/** `signal`: finish what is in flight. `forcedSignal`: stop now. */
export type Signals = { readonly signal: AbortSignal; readonly forcedSignal: AbortSignal };

/** What follows from a failed batch. `cut`: send it in smaller pieces. */
export function reactTo(failure: Failure, size: number): { readonly stop: Stop } | 'cut' | 'go on' {
  const { status, kind } = failure;
  const stop = (reason: Stop['reason']): { readonly stop: Stop } => ({
    stop: {
      reason,
      kind: kind === 'bug' ? 'unavailable' : kind,
      ...(status === undefined ? {} : { status }),
    },
  });
  if (kind === 'interrupted' || kind === 'terminated') return stop('interrupted');
  if (status === 401 || status === 403 || kind === 'authentication') return stop('authentication');
  // A script takes `not-found` for persons that are gone already, and here nobody was asked for.
  if (status === 404) return { stop: { reason: 'no such endpoint', kind: 'refused', status } };
  if (status !== undefined && status >= 300 && status < 400) return stop('redirect');
  return status === 400 && size > surePerCall ? 'cut' : 'go on';
}

export type Stopping = {
  /** Why nothing more is sent, if so. */
  readonly stop: () => Stop | undefined;
  readonly request: (stop: Stop) => void;
  readonly succeeded: () => void;
  /** Three failures in a row, in the order they were told of, stop the run. */
  readonly failed: (failure: Failure) => void;
  /** Rejects when all has to stop now. */
  readonly race: <Value>(work: Promise<Value>) => Promise<Value>;
};

const failuresInARow = 3;

export function createStopping({ signal, forcedSignal }: Signals): Stopping {
  let asked: Stop | undefined;
  let failures = 0;
  const interrupted: Stop = { reason: 'interrupted', kind: 'interrupted' };
  return {
    stop: () => asked ?? (signal.aborted || forcedSignal.aborted ? interrupted : undefined),
    request(stop) {
      asked ??= stop;
    },
    succeeded() {
      failures = 0;
    },
    failed({ kind, status }) {
      failures += 1;
      if (failures < failuresInARow) return;
      const known = kind === 'bug' ? 'unavailable' : kind;
      asked ??= {
        reason: 'three failures in a row',
        kind: known,
        ...(status === undefined ? {} : { status }),
      };
    },
    race: (work) => raceAbort(work, forcedSignal),
  };
}

/** The work's own result, or a rejection as soon as the signal says so; a later failure of the work is then of no use. */
export async function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let listener: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => reject(new Interruption());
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

/** Ends a wait for an answer that nobody waits for any longer. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
}

/** Spaces calls evenly: `rate` per minute, over all lanes together. Without a rate nothing is waited for. */
export function createPace({
  rate,
  now,
  wait,
}: {
  readonly rate: number | undefined;
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (rate === undefined) return;
    const turn = Math.max(now(), next);
    next = turn + 60_000 / rate;
    if (turn > now()) await wait(turn - now());
  };
}

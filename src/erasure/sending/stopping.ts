import type { Context } from '../../cli/context.ts';
import { type ErrorKind, raceAbort } from '../../errors.ts';
import type { Failure } from '../record/answer.ts';
import type { Stop, StopReason } from '../record/journal.ts';

/** `signal`: finish what is in flight. `forcedSignal`: stop now. */
type Signals = Pick<Context, 'signal' | 'forcedSignal'>;

/** The service refuses the call for its size, or for somebody in it. */
export function isAboutContent({ outcome, status = 0 }: Failure): boolean {
  return outcome === 'not-done' && [400, 413, 422].includes(status);
}

/** Why a failure stops the run at once, if it does. */
export function reasonToStop(kind: ErrorKind, status = 0): StopReason | undefined {
  if (kind === 'interrupted' || kind === 'terminated') return 'interrupted';
  if (status === 401 || status === 403 || kind === 'authentication') return 'authentication';
  if (status === 404) return 'no such endpoint';
  return status >= 300 && status < 400 ? 'redirect' : undefined;
}

/** What keeps a run from sending more, as it was told first. */
export function createStopping({ signal, forcedSignal }: Signals) {
  let asked: Stop | undefined;
  let failures = 0;
  return {
    /** Why nothing more is sent, if so. */
    stop(): Stop | undefined {
      if (asked === undefined && (signal.aborted || forcedSignal.aborted))
        return { reason: 'interrupted', kind: 'interrupted' };
      return asked;
    },
    request(stop: Stop) {
      asked ??= stop;
    },
    succeeded() {
      failures = 0;
    },
    /** Three failures in a row, in the order they were told of, stop the run. */
    failed(failure: Omit<Stop, 'reason'>) {
      failures += 1;
      if (failures === FAILURES_IN_A_ROW) asked ??= { reason: 'three failures in a row', ...failure };
    },
  };
}

const FAILURES_IN_A_ROW = 3;

/** Spaces calls evenly: `rate` per minute, over all lanes together. Without a rate nothing is waited for. */
export function createPace(
  rate: number | undefined,
  { now, wait, signal, forcedSignal }: Signals & Pick<Context, 'now' | 'wait'>,
) {
  const either = AbortSignal.any([signal, forcedSignal]);
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (rate === undefined) return;
    const turn = Math.max(now(), next);
    next = turn + 60_000 / rate;
    if (turn <= now()) return;
    try {
      await raceAbort(wait(turn - now(), either), either);
    } catch (error) {
      if (!either.aborted) throw error;
    }
  };
}

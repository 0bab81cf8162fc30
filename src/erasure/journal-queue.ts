import type { Happening } from './journal.ts';
import type { Run } from './run.ts';

export type JournalQueue = {
  /**
   * Resolves when the line is on the disk, together with all others that were due in the same turn: one sync serves
   * them. A line that is not waited for is still on the disk before any request whose line came later.
   */
  readonly write: (happening: Happening) => Promise<void>;
  /** Waits for lines that nobody waited for. Rejects if any line could not be written. */
  readonly settle: () => Promise<void>;
};

/** Gathers the lines of several lanes. After one that could not be written nothing is sent, but answers are still kept. */
export function createJournalQueue(run: Pick<Run, 'append'>): JournalQueue {
  let waiting: Happening[] = [];
  let turn: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const flush = () => {
    const due = failure === undefined ? waiting : waiting.filter(({ type }) => type !== 'sending');
    waiting = [];
    turn = undefined;
    try {
      if (due.length > 0) run.append(...due);
    } catch (error) {
      failure ??= { error };
    }
    if (failure !== undefined) throw failure.error;
  };
  return {
    write(happening) {
      waiting.push(happening);
      turn ??= nextTurn().then(flush);
      // Whoever does not wait for the line learns of the failure from `settle`.
      turn.catch(() => undefined);
      return turn;
    },
    async settle() {
      await turn;
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** After what has arrived by now was dealt with. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

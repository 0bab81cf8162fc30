import { CliError, systemCode } from '../errors.ts';
import { type Chained, encodeLine, type Happening, type JournalLine } from './journal.ts';
import type { GrowingFile } from './run-directory.ts';

type JournalWriter = {
  /**
   * Writes lines with one sync, and hands on each that is safe on the disk. Throws an `unavailable` error at the first
   * that could not be written, and then neither it nor those after it are there.
   */
  readonly append: (happenings: readonly Happening[], onWritten: (line: JournalLine) => void) => void;
  readonly hash: () => string;
  readonly lines: () => number;
};

/** Writes lines behind the ones that are there. `now` in milliseconds since 1970. */
export function createJournalWriter(
  file: GrowingFile,
  { lines, hash, now }: { readonly lines: number; readonly hash: string; readonly now: () => number },
): JournalWriter {
  let number = lines;
  let last = hash;
  let size = file.size();
  let broken: unknown;
  const append: JournalWriter['append'] = (happenings, onWritten) => {
    if (broken !== undefined) throw toJournalError(broken);
    const chained = chain(happenings, { number, last, at: new Date(now()).toISOString() });
    const text = chained.map((one) => `${one.text}\n`).join('');
    if (file.size() !== size) throw hasAnotherWriter();
    try {
      file.append(text);
    } catch (error) {
      broken = cutBack(file, size);
      if (broken !== undefined || happenings.length === 1) throw toJournalError(error);
      // There may be room for the first of them, and what an answer said must not be lost for the line behind it.
      for (const happening of happenings) append([happening], onWritten);
      return;
    }
    size += text.length;
    for (const { line, hash } of chained) {
      number += 1;
      last = hash;
      onWritten(line);
    }
  };
  return { append, hash: () => last, lines: () => number };
}

/** Two locks on one run, as of a file system that forgets them: whoever comes second stops before sending more. */
function hasAnotherWriter(): CliError {
  return new CliError('check', 'another process writes into the journal of this run', {
    hint: 'nothing more is sent from here; wait for its end, then hogctl runs check tells how the journal stands',
  });
}

function chain(
  happenings: readonly Happening[],
  { number, last, at }: { readonly number: number; readonly last: string; readonly at: string },
): readonly Chained[] {
  let previous = last;
  return happenings.map((happening, index) => {
    const chained = encodeLine({ line: number + index + 1, at, ...happening }, previous);
    previous = chained.hash;
    return chained;
  });
}

/** Half a line must not stand before the next; a file that cannot even be cut takes no further line. */
function cutBack(file: GrowingFile, size: number): unknown {
  try {
    file.truncate(size);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What to throw when the run directory does not take what has to be written down. */
export function toJournalError(cause: unknown, what = 'the journal of the run cannot be written'): CliError {
  return new CliError('unavailable', `${what} (${systemCode(cause) ?? 'unknown cause'})`, {
    hint: 'nothing is sent that is not written down, so make room on the disk',
    cause,
  });
}

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
export function createJournalQueue(run: {
  readonly append: (...happenings: readonly Happening[]) => void;
}): JournalQueue {
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

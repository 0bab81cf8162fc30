import { CliError } from '../errors.ts';
import { encodeLine, type Happening, type JournalLine } from './journal.ts';
import type { GrowingFile } from './run-directory.ts';
import { codeOf } from './system-code.ts';

export type JournalWriter = {
  /** Writes one line and syncs it. Throws an `unavailable` error if that failed, and then the line is not there. */
  readonly append: (happening: Happening) => JournalLine;
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
  let broken: unknown;
  return {
    append(happening) {
      if (broken !== undefined) throw toJournalError(broken);
      const line = { line: number + 1, at: new Date(now()).toISOString(), ...happening };
      const chained = encodeLine(line, last);
      const size = file.size();
      try {
        file.append(`${chained.text}\n`);
      } catch (error) {
        broken = cutBack(file, size);
        throw toJournalError(error);
      }
      number += 1;
      last = chained.hash;
      return line;
    },
    hash: () => last,
    lines: () => number,
  };
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
export function toJournalError(cause: unknown): CliError {
  return new CliError(
    'unavailable',
    `the journal of the run cannot be written (${codeOf(cause) ?? 'unknown cause'})`,
    {
      hint: 'nothing is sent that is not written down; make room on the disk, then hogctl runs resume',
      cause,
    },
  );
}

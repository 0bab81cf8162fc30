import { CliError, systemCode } from '../../errors.ts';
import { isLocked, type RunDirectory, type RunTools, takeLock, useRunDirectory } from './directory.ts';
import { toJournalError } from './journal.ts';

export const NO_WHOLE_LINE = 'the journal has no whole line';

/** What `runs check`, and each command that cannot read the record, says of it. */
export function doesNotHold(problems: readonly string[], directory: RunDirectory): CliError {
  const what = `the record of the run does not hold: ${problems.join('; ')}`;
  return new CliError('check', what, { hint: hintTo(directory) });
}

export function isOfAnotherFormat({ path }: RunDirectory): CliError {
  return new CliError('check', 'the record of this run was written by another version of hogctl', {
    hint: `nothing is sent from it; use that version, or plan anew; it is in ${path}`,
  });
}

/** The files without which a record tells nothing. */
export function missingFiles(directory: RunDirectory): readonly string[] {
  const names = ['plan.json', 'journal.ndjson'].filter((name) => !directory.has(name));
  return names.map((name) => `${name} is missing`);
}

/** Throws a `check` error if one of them is missing. */
export function refuseUnreadable(directory: RunDirectory): void {
  directory.refuseForeign();
  const missing = missingFiles(directory);
  if (missing.length > 0) throw doesNotHold(missing, directory);
}

function hintTo(directory: RunDirectory): string {
  // It does not tell whether a record was there before.
  if (isBare(directory)) return `no file of a run is in ${directory.path}; hogctl runs prune removes it`;
  if (isUnbegun(directory))
    return 'the run never began, and nothing was sent; hogctl runs prune removes what a crash left of it';
  return `nothing is sent from such a record; bring back its files in ${directory.path} from a copy`;
}

/** Stands in a run until the first line of its journal: a run that lost its journal later has no such mark. */
export const unfinishedMark = 'unfinished';

/** Whether a record ends before the first line of its journal: nothing was sent, but ids may be there. */
function isUnbegun(directory: RunDirectory): boolean {
  const isMarked = directory.has(unfinishedMark) && directory.has('check-key');
  if (!directory.has('journal.ndjson') || directory.sizeOf('journal.ndjson') === 0)
    return isMarked || isBare(directory);
  // A crash may have cut off the first line.
  return isMarked && !directory.readText('journal.ndjson').includes('\n');
}

function isBare(directory: RunDirectory): boolean {
  return directory.names().every((name) => name === unfinishedMark || /^(?:lock|claim)-/.test(name));
}

/** The files that this program named, and then a directory that is empty. False for a run that has begun, or is about to. */
export function removeUnbegunRun(path: string, tools: RunTools): boolean {
  const directory = useRunDirectory(path);
  try {
    if (!hasNeverBegun(path, tools.owner)) return false;
    const release = takeLock(directory, tools);
    // Another process may have begun it before it was locked.
    if (!isUnbegun(directory)) {
      release();
      return false;
    }
    const isOwn = (name: string) => ownNames.includes(name) || /^(?:lock|claim)-/.test(name);
    for (const name of directory.names().filter(isOwn)) directory.remove(name);
    if (directory.names().length === 0) directory.removeAll();
    return true;
  } catch (error) {
    // Another process that begins a run removes it just now.
    if (error instanceof CliError || systemCode(error) === 'ENOENT') return false;
    throw systemCode(error) === undefined ? error : toJournalError(error, `${path} cannot be removed`);
  }
}

/** Whether a crash came before the first line of the journal, as far as this machine can tell. */
export function hasNeverBegun(path: string, owner: RunTools['owner']): boolean {
  const directory = useRunDirectory(path);
  return isUnbegun(directory) && !isLocked(directory, owner);
}

const ownNames = [unfinishedMark, 'check-key', 'ids', 'members.ndjson', 'plan.json', 'mac', 'journal.ndjson'];

/**
 * Does what comes before the record of a run. If that is interrupted, there is no run to resume, and the newest one is
 * another.
 */
export async function beforeRecord<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isStopped = error instanceof CliError ? error.kind === 'interrupted' : error.name === 'AbortError';
    if (!isStopped) throw error;
    throw new CliError('interrupted', 'interrupted: nothing was deleted, and no run was recorded', {
      hint: 'there is nothing to resume; type the same command again',
      cause: error,
    });
  }
}

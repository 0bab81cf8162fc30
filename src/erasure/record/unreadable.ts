import { CliError, systemCode } from '../../errors.ts';
import { isLocked, type RunDirectory, type RunTools, takeLock, useRunDirectory } from './directory.ts';
import { type JournalLine, toJournalError } from './journal.ts';

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
    if (!hasNeverBegun(path, tools.records.owner)) return false;
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
export function hasNeverBegun(path: string, owner: RunTools['records']['owner']): boolean {
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

/** A value of the kind that a record must have there; lists are only known as lists. */
type Shape = string | number | boolean | readonly never[] | { readonly [key: string]: Shape };

const [TEXT, COUNT, YES, LIST] = ['', 0, true, [] as const] as const;

/** The first one is the oldest. */
const FORMAT = 1;

/** What every plan of this format has. */
const PLAN = {
  run: TEXT,
  createdAt: TEXT,
  keyFingerprint: TEXT,
  members: { count: COUNT, sha256: TEXT, mark: TEXT },
  project: { id: TEXT, name: TEXT },
  host: TEXT,
  flags: { deleteEvents: YES, deleteRecordings: YES, keepPerson: YES },
  asked: COUNT,
  unique: COUNT,
  repeats: COUNT,
  given: LIST,
  resolved: { found: COUNT, nobody: COUNT, persons: COUNT },
  leftOut: COUNT,
  batchSize: COUNT,
  calls: COUNT,
  lookUps: COUNT,
  lookedUpAt: TEXT,
  lookUp: { isByMany: YES, list: YES },
  lines: { all: COUNT, excepted: COUNT, odd: COUNT },
} as const satisfies Shape;

const OF_BATCH = { batch: COUNT } as const;
const OF_CALL = { ...OF_BATCH, call: COUNT } as const;

/** What the lines of a journal have, by their kinds. */
const LINES: { readonly [type: string]: Shape } = {
  created: { run: TEXT, batches: LIST },
  agreed: { persons: COUNT },
  started: { host: TEXT, project: TEXT, resumed: YES },
  store: { store: TEXT },
  excepted: { members: LIST },
  aged: OF_BATCH,
  saw: OF_BATCH,
  'saw-status': { ...OF_BATCH, rows: LIST },
  'saw-count': { ...OF_BATCH, asked: TEXT, count: COUNT },
  sending: { ...OF_BATCH, persons: TEXT, count: COUNT, digest: TEXT },
  answered: { ...OF_CALL, answer: { errors: LIST } },
  failed: { ...OF_CALL, failure: { outcome: TEXT, kind: TEXT } },
  ended: { tally: {} },
  verified: {
    asked: COUNT,
    left: COUNT,
    others: COUNT,
    cameBack: COUNT,
    tally: {},
    holds: YES,
    stores: LIST,
  },
  'ids-dropped': { owed: LIST },
};

/** Whether plan and journal were written by a version that writes as this one does. */
export function isReadable(plan: { readonly format: number }, lines: readonly JournalLine[]): boolean {
  // A kind of line that is not known here has no shape to miss.
  const isLine = (line: JournalLine) =>
    hasShape(line, { at: TEXT }) && hasShape(line, LINES[line.type] ?? {});
  return plan.format === FORMAT && hasShape(plan, PLAN) && lines.every(isLine);
}

function hasShape(value: unknown, shape: Shape): boolean {
  if (typeof shape !== 'object') return typeof value === typeof shape;
  if (Array.isArray(shape)) return Array.isArray(value);
  if (typeof value !== 'object' || value === null) return false;
  const fields: { readonly [key: string]: unknown } = { ...value };
  return Object.entries(shape).every(([key, inner]) => hasShape(fields[key], inner));
}

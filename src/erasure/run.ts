import { basename, join } from 'node:path';
import { CliError, foreseen, systemCode } from '../errors.ts';
import type { Entry } from './collect-ids.ts';
import {
  createMark,
  type IdsFile,
  type MemberLine,
  openIdsFile,
  readCheckKey,
  readMembers,
  readUnfound,
  sha256,
} from './entries.ts';
import {
  checkChain,
  createJournalWriter,
  type Happening,
  type Owed,
  type Seal,
  splitJournal,
  toJournalError,
} from './journal.ts';
import type { Plan } from './plan.ts';
import type { People } from './resolve.ts';
import {
  listDirectories,
  type RunDirectory,
  type RunTools,
  takeLock,
  useRunDirectory,
} from './run-directory.ts';
import { applyLine, type RunState, replay, tasksOf } from './run-state.ts';

/** The plan as a run keeps it. `mark` stands for the set of its ids, in any order. */
export type RunPlan = Plan & {
  readonly run: string;
  readonly createdAt: string;
  /** Tells whether a key is the check key; absent in plans of older versions. */
  readonly keyFingerprint?: string;
  readonly members: { readonly count: number; readonly sha256: string; readonly mark: string };
};

/** A run as it can be read by anybody who may read its directory, also while another process works on it. */
export type RunRecord = Readonly<ReturnType<typeof open>['record']>;

/** A run that this process holds the lock of. */
export type Run = Readonly<ReturnType<typeof hold>>;

/** What changes while a run is worked on. */
type Current = { state: RunState; seal: Seal; ids: IdsFile | undefined };

/** Reads a run without its lock. Throws a `check` error if plan or journal are missing, or if the journal was changed. */
export function readRun(path: string): RunRecord {
  return open(useRunDirectory(path)).record;
}

/**
 * Opens a run to work on it: takes its lock, cuts off a last line that a crash left unfinished and writes that down.
 * Throws like `readRun`, and a `refused` error while another process works on the run.
 */
export function openRun(path: string, tools: RunTools): Run {
  const directory = useRunDirectory(path, tools.disk);
  refuseUnreadable(directory);
  const release = onDisk(() => takeLock(directory, tools), 'the lock of the run cannot be written');
  try {
    return hold(directory, tools, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** What the system says of a full disk is no bug of ours. */
function onDisk<Value>(work: () => Value, failure?: string): Value {
  try {
    return work();
  } catch (error) {
    throw systemCode(error) === undefined ? error : toJournalError(error, failure);
  }
}

/** The run in a directory whose lock is held. */
export function hold(directory: RunDirectory, { now }: RunTools, release: () => void) {
  const { record, current, torn } = open(directory);
  const file = directory.grow('journal.ndjson');
  if (torn > 0) file.truncate(file.size() - torn);
  const write = createJournalWriter(file, { ...current.seal, now });
  /** Writes down what happened, synced at once, and brings the state up to date. Throws if it cannot be written. */
  const append = (happening: Happening) => {
    const { line, seal } = write(happening);
    current.state = applyLine(current.state, line);
    current.seal = seal;
  };
  if (torn > 0) append({ type: 'repaired', bytes: torn });
  return {
    ...record,
    get hasIds(): boolean {
      return current.ids !== undefined;
    },
    append,
    keepNamed: (uuids: readonly string[]): void => onDisk(() => present(current).addNamed(uuids)),
    /** After that the run can be reported and checked, not resumed; writes down what was owed then. */
    dropIds(owed: readonly Owed[] = []) {
      if (current.ids === undefined) return;
      append({ type: 'ids-dropped', ...(owed.length > 0 ? { owed } : {}) });
      current.ids.close();
      current.ids = undefined;
      onDisk(() => {
        directory.remove('ids');
        directory.sync();
      }, 'the ids of the run cannot be removed');
    },
    close() {
      record.close();
      file.close();
      release();
    },
  };
}

function open(directory: RunDirectory) {
  const { path } = directory;
  refuseUnreadable(directory);
  const planText = directory.readText('plan.json');
  const journal = splitJournal(directory.readText('journal.ndjson'));
  if (journal.lines.length === 0) throw doesNotHold([NO_WHOLE_LINE], directory);
  const { problems, hash, lines: happened } = checkChain(journal.lines, { origin: sha256(planText) });
  const [problem] = problems;
  if (problem !== undefined) {
    throw new CliError('check', `line ${problem.line} of the journal ${problem.problem}`, {
      hint: `nothing is sent from a changed journal; hogctl runs check says more about the run in ${path}`,
    });
  }
  // Cast: the first line of the journal holds the hash of this text, so it is the one that was written with it.
  const plan = JSON.parse(planText) as RunPlan;
  const current: Current = {
    state: replay(happened),
    seal: { lines: happened.length, hash },
    ids: directory.has('ids') ? openIdsFile(directory, plan.unique) : undefined,
  };
  const record = {
    id: plan.run,
    path,
    plan,
    state: () => current.state,
    seal: () => current.seal,
    ...readCheckKey(directory, plan.keyFingerprint),
    members: (): Iterable<MemberLine> => readMembers(directory, plan.members.sha256),
    /** Addresses that were given and led to no person, as members. */
    unfound: (): Iterable<string> => readUnfound(directory, plan.members.sha256),
    hasIds: current.ids !== undefined,
    /** Ids by position. Throws a `refused` error once the ids were dropped. */
    entries: (from: number, count: number) => present(current).entries(from, count),
    /** Uuids that the service named among its errors. */
    named: () => current.ids?.named() ?? [],
    close: () => current.ids?.close(),
  };
  return { record, current, torn: journal.torn.length };
}

function present({ ids }: Current): IdsFile {
  if (ids !== undefined) return ids;
  throw new CliError('refused', 'the ids of this run were dropped', {
    hint: 'give them again, with --ids, --distinct-ids, or --from and --as',
  });
}

/** The files without which a record tells nothing. */
export function missingFiles(directory: RunDirectory): readonly string[] {
  const names = ['plan.json', 'journal.ndjson'].filter((name) => !directory.has(name));
  return names.map((name) => `${name} is missing`);
}

function refuseUnreadable(directory: RunDirectory): void {
  const missing = missingFiles(directory);
  if (missing.length > 0) throw doesNotHold(missing, directory);
}

export const NO_WHOLE_LINE = 'the journal has no whole line';

/** What `runs check`, and each command that cannot read the record, says of it. */
export function doesNotHold(problems: readonly string[], directory: RunDirectory): CliError {
  const what = `the record of the run does not hold: ${problems.join('; ')}`;
  return new CliError('check', what, { hint: hintTo(directory) });
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
export function isUnbegun(directory: RunDirectory): boolean {
  if (directory.has('journal.ndjson') && directory.sizeOf('journal.ndjson') > 0) return false;
  return isBare(directory) || (directory.has(unfinishedMark) && directory.has('check-key'));
}

function isBare(directory: RunDirectory): boolean {
  return directory.names().every((name) => name === unfinishedMark || /^(?:lock|claim)-/.test(name));
}

const atOnce = 1024;

/** The first line of its file `ids` that is another than was planned; nothing once the ids were dropped. */
export function findChangedLine(run: RunRecord): number | undefined {
  if (!run.hasIds) return undefined;
  const entries = listEntries(run);
  let number = 0;
  for (const { member, person, sentAs } of run.members()) {
    number += 1;
    const { value: entry } = entries.next();
    if (!entry || run.memberOf(entry.kind, entry.id) !== member) return number;
    const { person: planned } = entry;
    const sent = planned?.sendAs && run.memberOf('ids', planned.sendAs);
    if ((planned && run.memberOf('ids', planned.uuid)) !== person || sent !== sentAs) return number;
  }
  return undefined;
}

/** Throws a `check` error then: those ids were not agreed to, and the report would tell of others than were sent. */
export function refuseChangedIds(run: RunRecord): void {
  const line = findChangedLine(run);
  if (line === undefined) return;
  throw new CliError(
    'check',
    `the ids of this run are not those it was planned with, from line ${line} of the file ids on`,
    { hint: `nothing more is sent; keep ${run.path} as it is, and start afresh with --new-run` },
  );
}

function* listEntries({ entries, plan }: RunRecord): Generator<Entry, undefined> {
  for (let from = 0; from < plan.members.count; from += atOnce) yield* entries(from, atOnce);
}

export type RunPlace =
  /** The user's state directory: the run gets a directory of its own under `runs` in it. */
  | { readonly stateDirectory: string }
  /** A directory that does not exist yet or is empty. */
  | { readonly directory: string };

/** Where the runs of a state directory stand. */
export function runsDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'runs');
}

/** The newest run; one that is being written, or that a crash left unbegun, is none yet. */
export const newest = 'last';

/** Whether a text is the path of a directory that holds a run. */
export function isRunDirectory(path: string): boolean {
  return path !== '' && useRunDirectory(path).has('plan.json');
}

/** The paths of runs, of which those of one second differ in their chance letters only: their plans tell more. */
export function oldestFirst(parent: string): readonly string[] {
  const secondOf = (path: string) => basename(path).slice(0, '20261128T120000Z'.length);
  const timeOf = (path: string) => tryRead(path, ({ plan }) => Date.parse(plan.createdAt)) ?? 0;
  const paths = listDirectories(parent).map((name) => join(parent, name));
  return paths.toSorted((one, other) => {
    if (secondOf(one) !== secondOf(other)) return one < other ? -1 : 1;
    return timeOf(one) - timeOf(other);
  });
}

/** One damaged run must not hide the others; `runs check` says what is wrong with it. */
export function tryRead<Value>(path: string, read: (run: RunRecord) => Value): Value | undefined {
  let run: RunRecord | undefined;
  try {
    run = readRun(path);
    return read(run);
  } catch (error) {
    foreseen(error);
    return undefined;
  } finally {
    run?.close();
  }
}

export function findNewest(parent: string): string {
  const last = oldestFirst(parent).findLast(isRunDirectory);
  if (last !== undefined) return last;
  throw new CliError('not-found', 'no run is kept here yet', {
    hint: 'hogctl persons bulk-delete begins one',
  });
}

/** The latest run of the same project, flags and ids that is not done: the same command, typed again, goes on with it. */
export function findSameRun(
  place: RunPlace,
  { plan, people }: { readonly plan: Plan; readonly people: readonly People[] },
): string | undefined {
  const paths = 'directory' in place ? [place.directory] : oldestFirst(runsDirectory(place.stateDirectory));
  const isSame = (run: RunRecord) =>
    isSamePlan(run.plan, plan) &&
    run.hasIds &&
    tasksOf(run.state()).length > 0 &&
    markOf(run, people) === run.plan.members.mark;
  return paths.findLast((path) => tryRead(path, isSame));
}

function isSamePlan(one: Plan, other: Plan): boolean {
  const flags = ['deleteEvents', 'deleteRecordings', 'keepPerson'] as const;
  return (
    one.project.id === other.project.id &&
    one.host === other.host &&
    one.unique === other.unique &&
    flags.every((flag) => one.flags[flag] === other.flags[flag])
  );
}

function markOf(run: RunRecord, people: readonly People[]): string {
  const mark = createMark();
  for (const { list } of people) for (const id of list.ids) mark.add(run.memberOf(list.kind, id));
  return mark.value();
}

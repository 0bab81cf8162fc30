import type { Records } from '../../cli/context/records.ts';
import { CliError, foreseen } from '../../errors.ts';
import type { Holder } from '../../system/lock.ts';
import type { Run as CoreRun } from '../facts.ts';
import type { AskedId } from '../people/look.ts';
import { createBatches } from './batches.ts';
import { isMadeHere, sha256 } from './digest.ts';
import {
  findForeignHolder,
  type RunDirectory,
  type RunTools,
  takeLock,
  useRunDirectory,
} from './directory.ts';
import { type IdsFile, openIdsFile } from './ids-file.ts';
import {
  checkChain,
  createJournalWriter,
  type Happening,
  type Owed,
  onDisk,
  type Seal,
  signed,
  splitJournal,
} from './journal.ts';
import { openMembers, readCheckKey } from './members.ts';
import type { Plan } from './plan.ts';
import { applyLine, isUnfinished, type RunState, replay } from './state.ts';
import {
  doesNotHold,
  isOfAnotherFormat,
  isReadable,
  NO_WHOLE_LINE,
  refuseUnreadable,
  unfinishedMark,
} from './unreadable.ts';

/** The plan as a run keeps it. `mark` stands for the set of its ids, in any order. */
export type RunPlan = Plan & {
  readonly run: string;
  readonly createdAt: string;
  /** Tells whether a key is the check key. */
  readonly keyFingerprint: string;
  readonly members: { readonly count: number; readonly sha256: string; readonly mark: string };
};

/** How a record is known to be of this user. */
export type Reading = { readonly records: Pick<Records, 'key'> };

export const toolsOf = ({ disk, records }: Reading & Pick<RunTools, 'disk'>) => ({
  disk,
  uid: records.key.uid,
});

/** A run as it can be read by anybody who may read its directory, also while another process works on it. */
export type RunRecord = Readonly<ReturnType<typeof open>['record']>;

/** A run that this process holds the lock of. */
export type Run = Readonly<ReturnType<typeof hold>>;

/** What changes while a run is worked on. */
type Current = { state: RunState; seal: Seal; ids: IdsFile | undefined };

/** Reads a run without its lock. Throws a `check` error if plan or journal are missing, or if the journal was changed. */
export function readRun(path: string, tools: Reading): RunRecord {
  return open(useRunDirectory(path, toolsOf(tools)), tools).record;
}

/**
 * Opens a run to work on it: takes its lock, cuts off a last line that a crash left unfinished and writes that down.
 * Throws like `readRun`, and a `refused` error while another process works on the run.
 */
export function openRun(path: string, tools: RunTools): Run {
  const directory = useRunDirectory(path, toolsOf(tools));
  refuseUnreadable(directory);
  const takeOver = tools.takeOver ?? findLeftHolder(path, tools);
  const take = () => takeLock(directory, { ...tools, takeOver });
  const release = onDisk(take, 'the lock of the run cannot be written');
  try {
    return hold(directory, tools, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Who left a lock elsewhere: that process wrote down that it had sent all there was. */
export function findLeftHolder(path: string, tools: Pick<RunTools, 'records'>): Holder | undefined {
  const holder = findForeignHolder(useRunDirectory(path), tools.records.owner);
  if (holder === undefined) return undefined;
  return tryRead(path, tools, (run) => hasEndedSince(run, holder)) ? holder : undefined;
}

/** Whether the process of a lock wrote down since then that it had sent all there was. */
export function hasEndedSince(run: RunRecord, { at }: Holder): boolean {
  const state = run.state();
  return !isUnfinished(state) && state.end !== undefined && typeof at === 'string' && state.end.at >= at;
}

/** The run in a directory whose lock is held. */
export function hold(
  directory: RunDirectory,
  { now, records, isFresh = false }: RunTools & { readonly isFresh?: boolean },
  release: () => void,
) {
  const { record, current, batches, torn } = open(directory, { records });
  const file = directory.grow('journal.ndjson');
  if (torn > 0) file.truncate(file.size() - torn);
  // Left by a crash right after the first line: with it a journal that is lost later would look as if it never began.
  directory.remove(unfinishedMark);
  const write = createJournalWriter(file, { ...current.seal, now });
  /**
   * Writes down what happened, synced at once, and brings the state up to date. Throws a `refused` error for what the core
   * does not permit, and if it cannot be written.
   */
  const append = (happening: Happening) => {
    const keep = batches.permit(happening);
    const { line, seal } = write(signed(happening, records.author?.()));
    current.state = applyLine(current.state, line);
    current.seal = seal;
    keep();
  };
  if (torn > 0) append({ type: 'repaired', bytes: torn });
  return {
    ...record,
    get hasIds(): boolean {
      return current.ids !== undefined;
    },
    append,
    /** Whether this process planned it. */
    isFresh,
    /** Keeps ids that a store showed behind those of the plan, so that they can be asked about after a crash, too. */
    keepSeen: (ids: readonly AskedId[]): void => onDisk(() => present(current).addSeen(ids)),
    /** After that the run can be reported and checked, not resumed; writes down what was owed then. */
    dropIds(owed: readonly Owed[] = []) {
      append({ type: 'ids-dropped', owed });
      current.ids?.close();
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

function open(directory: RunDirectory, { records }: Reading) {
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
  if (!isReadable(plan, happened)) throw isOfAnotherFormat(directory);
  const current: Current = {
    state: replay(happened),
    seal: { lines: happened.length, hash },
    ids: directory.has('ids') ? openIdsFile(directory, plan.members.count) : undefined,
  };
  const state = () => current.state;
  const members = openMembers(directory, plan.members, current.state.batches);
  const key = readCheckKey(directory, plan.keyFingerprint);
  const batches = createBatches(originOf(plan, members), plan, { state, members: members.batch });
  const record = {
    id: plan.run,
    path,
    plan,
    /** Whether this user made it, with this configuration. */
    isMadeHere: isMadeHere(directory, planText, records.key.find()),
    state,
    seal: () => current.seal,
    ...key,
    members: members.all,
    /** Addresses that were given and led to no person, as members. */
    unfound: () => members.further('emails'),
    /** What was given and led to somebody excepted. */
    held: () => members.further('held'),
    /** A batch, counted from 1, as the core has it, and its members. */
    standing: batches.get,
    membersOf: members.batch,
    /** The run as the core has it, and what is known of each line. */
    core: batches.run,
    tally: batches.tally,
    hasIds: current.ids !== undefined,
    /** Throws a `refused` error once the ids were dropped. */
    requireIds: (): void => void present(current),
    /** Ids by position. Throws like `requireIds`. */
    entries: (from: number, count: number) => present(current).entries(from, count),
    /** Ids that came since the plan. */
    seen: () => present(current).seen(),
    close: () => current.ids?.close(),
  };
  return { record, current, batches, torn: journal.torn.length };
}

/** The run as the core had it when it was planned. */
function originOf(
  { flags, lookUp, lines, exceptions }: RunPlan,
  members: ReturnType<typeof openMembers>,
): CoreRun {
  const { deleteEvents: events, deleteRecordings: recordings, keepPerson: keep } = flags;
  const sets: { excepted?: ReadonlySet<string>; spared?: ReadonlySet<string> } = {};
  return {
    options: { events, recordings, keep },
    lines: lines.all,
    stores: lookUp.sql === null ? ['list'] : ['list', 'sql'],
    // Read once they are needed: a run is listed by its plan and journal.
    get excepted() {
      sets.excepted ??= new Set(exceptions === undefined ? [] : members.further('excepted'));
      return sets.excepted;
    },
    get spared() {
      sets.spared ??= new Set(exceptions === undefined ? [] : members.further('spared'));
      return sets.spared;
    },
  };
}

function present({ ids }: Current): IdsFile {
  if (ids !== undefined) return ids;
  throw new CliError('refused', 'the record of this run has no ids any more', {
    hint: 'plan a new run with hogctl persons bulk-delete; hogctl runs prune gives this one up',
  });
}

/** One damaged run must not hide the others; `runs check` says what is wrong with it. */
export function tryRead<Value>(
  path: string,
  tools: Reading,
  read: (run: RunRecord) => Value,
): Value | undefined {
  let run: RunRecord | undefined;
  try {
    run = readRun(path, tools);
    return read(run);
  } catch (error) {
    foreseen(error);
    return undefined;
  } finally {
    run?.close();
  }
}

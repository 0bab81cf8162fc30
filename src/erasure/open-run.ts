import { CliError, systemCode, usageError } from '../errors.ts';
import { type IdsFile, openIdsFile } from './entries.ts';
import { splitJournal, walkChain } from './journal.ts';
import { createJournalWriter, toJournalError } from './journal-writer.ts';
import { type Owner, takeLock } from './lock.ts';
import { readCheckKey, readMembers, sha256 } from './members.ts';
import { applyLine } from './replay.ts';
import type { Run, RunPlan, RunRecord } from './run.ts';
import { type Disk, type RunDirectory, useRunDirectory } from './run-directory.ts';
import type { RunState } from './run-state.ts';

export type RunTools = {
  readonly now: () => number;
  readonly random: () => number;
  readonly owner: Owner;
  readonly disk?: Disk | undefined;
};

type Opened = { readonly record: RunRecord; readonly ids: IdsFile | undefined; readonly torn: number };

/** Reads a run without its lock. Throws a usage error if there is none, a `check` error if its journal was changed. */
export function readRun(path: string): RunRecord {
  return open(useRunDirectory(path)).record;
}

/**
 * Opens a run to work on it: takes its lock, cuts off a last line that a crash left unfinished and writes that down.
 * Throws like `readRun`, and a `refused` error while another process works on the run.
 */
export function openRun(path: string, tools: RunTools): Run {
  const directory = useRunDirectory(path, tools.disk);
  if (!directory.has('plan.json')) throw noRun(path);
  const unlocked = 'the lock of the run cannot be written';
  const release = onDisk(unlocked, () => takeLock(directory, tools));
  try {
    return hold(directory, tools, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** What the system says of a full disk is no bug of ours. */
function onDisk<Value>(failure: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw systemCode(error) === undefined ? error : toJournalError(error, failure);
  }
}

/** The run in a directory whose lock is held. */
export function hold(directory: RunDirectory, { now }: RunTools, release: () => void): Run {
  const { record, ids, torn } = open(directory);
  const file = directory.grow('journal.ndjson');
  if (torn > 0) file.truncate(file.size() - torn);
  const writer = createJournalWriter(file, { ...record.seal(), now });
  let state = record.state();
  let kept = ids;
  const append: Run['append'] = (...happenings) => {
    writer.append(happenings, (line) => {
      state = applyLine(state, line);
    });
  };
  if (torn > 0) append({ type: 'repaired', bytes: torn });
  return {
    ...record,
    get hasIds() {
      return kept !== undefined;
    },
    state: () => state,
    seal: () => ({ lines: writer.lines(), hash: writer.hash() }),
    entries: (from, count) => present(kept).entries(from, count),
    named: () => kept?.named() ?? [],
    append,
    keepNamed(uuids) {
      try {
        present(kept).addNamed(uuids);
      } catch (error) {
        throw systemCode(error) === undefined ? error : toJournalError(error);
      }
    },
    dropIds() {
      if (kept === undefined) return;
      append({ type: 'ids-dropped' });
      kept.close();
      kept = undefined;
      onDisk('the ids of the run cannot be removed', () => {
        directory.remove('ids');
        directory.sync();
      });
    },
    close() {
      kept?.close();
      file.close();
      release();
    },
  };
}

function open(directory: RunDirectory): Opened {
  const { path } = directory;
  if (!directory.has('plan.json')) throw noRun(path);
  const planText = directory.readText('plan.json');
  const journal = splitJournal(directory.has('journal.ndjson') ? directory.readText('journal.ndjson') : '');
  if (journal.lines.length === 0) throw noRun(path);
  const known: { state?: RunState } = {};
  const { problems, hash } = walkChain(journal.lines, {
    origin: sha256(planText),
    onLine: (line) => {
      known.state = applyLine(known.state, line);
    },
  });
  const { state } = known;
  const [problem] = problems;
  if (problem !== undefined || state === undefined) {
    throw new CliError('check', `line ${problem?.line} of the journal ${problem?.problem}`, {
      hint: `nothing is sent from a journal that was changed; see hogctl runs check, in ${path}`,
    });
  }
  // Cast: the first line of the journal holds the hash of this text, so it is the one that was written with it.
  const plan = JSON.parse(planText) as RunPlan;
  const ids = directory.has('ids') ? openIdsFile(directory, plan.unique) : undefined;
  const lines = journal.lines.length;
  const record: RunRecord = {
    id: plan.run,
    path,
    plan,
    state: () => state,
    seal: () => ({ lines, hash }),
    ...readCheckKey(directory, plan.keyFingerprint),
    members: () => readMembers(directory, plan.members),
    hasIds: ids !== undefined,
    entries: (from, count) => present(ids).entries(from, count),
    named: () => ids?.named() ?? [],
    close: () => ids?.close(),
  };
  return { record, ids, torn: journal.torn.length };
}

function present(ids: IdsFile | undefined): IdsFile {
  if (ids !== undefined) return ids;
  throw new CliError('refused', 'the ids of this run were dropped', {
    hint: 'give them again, with --ids, --distinct-ids, or --from and --as',
  });
}

function noRun(path: string): CliError {
  return usageError(
    `there is no complete run in ${path}`,
    'hogctl runs list shows the runs; if one was being written there, nothing was sent',
  );
}

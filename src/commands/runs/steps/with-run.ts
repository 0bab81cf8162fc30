import type { Context } from '../../../cli/context.ts';
import { refuseChangedIds } from '../../../erasure/changed-ids.ts';
import { findRun, isRunDirectory } from '../../../erasure/list-runs.ts';
import { openRun, readRun } from '../../../erasure/open-run.ts';
import type { Run, RunRecord } from '../../../erasure/run.ts';
import { nameOfPath } from './run-name.ts';

/** The directory of a run by id, by the start of an id, or by its path, for which no state directory is needed. */
export function runPath(name: string, context: Context): string {
  return isRunDirectory(name) ? name : findRun(context.stateDirectory(), name);
}

/** Reads a run without its lock, and closes it again. */
export async function withRunRecord<Value>(
  name: string,
  context: Context,
  use: (run: RunRecord) => Promise<Value>,
): Promise<Value> {
  const run = readRun(runPath(name, context));
  try {
    return await use(run);
  } finally {
    run.close();
  }
}

/**
 * Opens a run to work on it, under its lock, and closes it again. `use` also gets what to call the run in hints. Throws
 * a `check` error where the record holds other ids than were planned.
 */
export async function withRun<Value>(
  name: string,
  context: Context,
  use: (run: Run, called: string) => Promise<Value>,
): Promise<Value> {
  const { now, random, owner } = context;
  const run = openRun(runPath(name, context), { now, random, owner });
  try {
    refuseChangedIds(run);
    return await use(run, isRunDirectory(name) ? nameOfPath(name) : run.id);
  } finally {
    run.close();
  }
}

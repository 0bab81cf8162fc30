import { CliError, usageError } from '../errors.ts';
import { hasChangedIds } from './changed-ids.ts';
import { checkChain, type Seal, splitJournal } from './journal.ts';
import { sha256 } from './members.ts';
import { digestMembers } from './members-file.ts';
import { readRun } from './open-run.ts';
import { replay } from './replay.ts';
import type { RunPlan } from './run.ts';
import { type RunDirectory, useRunDirectory } from './run-directory.ts';

export type RunCheck = {
  /** What `--expect` of a later check takes. */
  readonly seal: Seal;
  /** Sentences, none if all holds. */
  readonly problems: readonly string[];
  /** Bytes that a crash left behind the last whole line; resuming cuts them off. */
  readonly torn: number;
};

/** Checks journal, plan and members of a run against their hashes. Throws a usage error where there is no run. */
export function checkRun(path: string, { expect }: { readonly expect?: Seal | undefined } = {}): RunCheck {
  const directory = useRunDirectory(path);
  if (!directory.has('plan.json') || !directory.has('journal.ndjson')) {
    throw usageError(`there is no complete run in ${path}`, 'hogctl runs list shows the runs');
  }
  const planText = directory.readText('plan.json');
  const { lines, torn } = splitJournal(directory.readText('journal.ndjson'));
  const chain = checkChain(lines, { origin: sha256(planText), expect });
  const problems = chain.problems.map(({ line, problem }) => `line ${line} of the journal ${problem}`);
  if (lines.length === 0) problems.push('the journal has no whole line');
  if (torn !== '') problems.push(`the journal ends in ${torn.length} bytes that are no whole line`);
  if (chain.problems.length === 0 && lines.length > 0)
    problems.push(...checkContent(directory, planText, chain.lines));
  return { seal: { lines: chain.lines.length, hash: chain.hash }, problems, torn: torn.length };
}

function checkContent(
  directory: RunDirectory,
  planText: string,
  lines: ReturnType<typeof checkChain>['lines'],
): readonly string[] {
  // Cast: the chain begins with the hash of this text, so it is what was written with the run.
  const plan = JSON.parse(planText) as RunPlan;
  const problems: string[] = [];
  if (!directory.has('members.ndjson')) problems.push('members.ndjson is missing');
  else if (digestMembers(directory) !== plan.members.sha256) problems.push('members.ndjson was changed');
  try {
    replay(lines);
    if (problems.length === 0) problems.push(...checkIds(directory.path));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    problems.push(error.message);
  }
  return problems;
}

/** By their HMACs, so that a changed check key shows here, too. */
function checkIds(path: string): readonly string[] {
  try {
    const run = readRun(path);
    try {
      return hasChangedIds(run) ? ['the ids, or the check key, are not those of the plan'] : [];
    } finally {
      run.close();
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [error.message];
  }
}

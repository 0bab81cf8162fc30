import { CliError, usageError } from '../errors.ts';
import { checkChain, type Seal, splitJournal } from './journal.ts';
import { digestMembers, type KeyState, keyProblem, readCheckKey, sha256 } from './members.ts';
import { hasChangedIds, type RunPlan, readRun } from './run.ts';
import { type RunDirectory, useRunDirectory } from './run-directory.ts';
import { replay } from './run-state.ts';

export type RunCheck = {
  /** What `--expect` of a later check takes. */
  readonly seal: Seal;
  /** Sentences, none if all holds. */
  readonly problems: readonly string[];
  /** Absent where the record is damaged so far that nothing can be said of its key. */
  readonly checkKey?: KeyState | undefined;
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
  const content =
    chain.problems.length === 0 && lines.length > 0
      ? checkContent(directory, planText, chain.lines)
      : { problems: [] };
  return {
    seal: { lines: chain.lines.length, hash: chain.hash },
    problems: [...problems, ...content.problems],
    checkKey: content.checkKey,
    torn: torn.length,
  };
}

type Content = { readonly problems: readonly string[]; readonly checkKey?: KeyState };

function checkContent(
  directory: RunDirectory,
  planText: string,
  lines: ReturnType<typeof checkChain>['lines'],
): Content {
  // Cast: the chain begins with the hash of this text, so it is what was written with the run.
  const plan = JSON.parse(planText) as RunPlan;
  const problems: string[] = [];
  if (!directory.has('members.ndjson')) problems.push('members.ndjson is missing');
  else if (digestMembers(directory) !== plan.members.sha256) problems.push('members.ndjson was changed');
  const { keyState: checkKey } = readCheckKey(directory, plan.keyFingerprint);
  const keyFault = keyProblem(checkKey);
  if (keyFault !== undefined) problems.push(keyFault);
  try {
    replay(lines);
    if (problems.length > 0) return { problems, checkKey };
    const { isChanged, isTold } = checkIds(directory.path);
    if (isChanged) problems.push('the ids, or the check key, are not those of the plan');
    return { problems, checkKey: checkKey === 'cannot be told' && isTold ? 'holds' : checkKey };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { problems: [...problems, error.message], checkKey };
  }
}

/** By their HMACs, which also tell of the key where the plan does not. */
function checkIds(path: string): { readonly isChanged: boolean; readonly isTold: boolean } {
  const run = readRun(path);
  try {
    const isChanged = hasChangedIds(run);
    return { isChanged, isTold: run.hasIds && !isChanged };
  } finally {
    run.close();
  }
}

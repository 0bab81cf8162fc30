import type { Context } from '../cli/context.ts';
import { foreseen, usageError } from '../errors.ts';
import { eachRun, type Step } from './projects/each-run.ts';
import { findRequest } from './projects/request.ts';
import { sha256 } from './record/digest.ts';
import { type RunDirectory, useRunDirectory } from './record/directory.ts';
import { findChangedLine, MADE_ELSEWHERE, runPath } from './record/find.ts';
import {
  checkChain,
  formatSeal,
  type JournalLine,
  parseSeal,
  type Seal,
  splitJournal,
} from './record/journal.ts';
import { digestMembers, type KeyState, keyProblem, readCheckKey } from './record/members.ts';
import { type Reading, type RunPlan, type RunRecord, readRun } from './record/open.ts';
import { replay } from './record/state.ts';
import { doesNotHold, missingFiles, NO_WHOLE_LINE } from './record/unreadable.ts';

type Checking = { readonly run: string; readonly expect?: string | undefined };

/** Prints whether the record of a run, or of each run of a request, holds. Throws `check` if one does not. */
export async function checkRunOrRequest({ run: called, expect }: Checking, context: Context): Promise<void> {
  if (expect !== undefined && findRequest(called, context) !== undefined)
    throw usageError('--expect is for one run', 'name one run of the request; hogctl runs list shows them');
  const seal = expect === undefined ? undefined : parseSeal(expect);
  if (expect !== undefined && seal === undefined)
    throw usageError(
      `--expect cannot read "${expect}"`,
      'it takes what the end of the run printed, such as 12:9f86d0...',
    );
  const check: Step = async (name, there) => {
    const path = runPath(name, context);
    const checked = checkRun(path, context, { expect: seal });
    await there.print({
      journal: checked.seal === undefined ? null : formatSeal(checked.seal),
      check_key: checked.checkKey ?? null,
      made_here: checked.isMadeHere ?? null,
      holds: checked.problems.length === 0,
      problems: checked.problems,
    });
    if (checked.isMadeHere === false) there.warn(`warning: ${MADE_ELSEWHERE}`);
    if (checked.problems.length > 0) throw doesNotHold(checked.problems, useRunDirectory(path));
  };
  const says = (share: string) => `the record of ${share} does not hold`;
  await eachRun(called, [check], { says, kind: 'check' }, context);
}

type RunCheck = {
  /** What `--expect` of a later check takes; absent without a journal. */
  readonly seal?: Seal;
  /** Sentences, none if all holds. */
  readonly problems: readonly string[];
  /** Absent if the record is damaged so far that it cannot be read. */
  readonly isMadeHere?: boolean;
  /** Absent if the record is damaged so far that nothing can be said of its key. */
  readonly checkKey?: KeyState;
};

/** Checks journal, plan and members of a run against their hashes. */
export function checkRun(
  path: string,
  tools: Reading,
  { expect }: { readonly expect?: Seal | undefined } = {},
): RunCheck {
  const directory = useRunDirectory(path, { uid: tools.records.key.uid });
  directory.refuseForeign();
  const missing = missingFiles(directory);
  if (missing.length > 0) return { problems: missing };
  const planText = directory.readText('plan.json');
  const { lines, torn } = splitJournal(directory.readText('journal.ndjson'));
  const chain = checkChain(lines, { origin: sha256(planText), expect });
  const problems = [
    ...chain.problems.map(({ line, problem }) => `line ${line} of the journal ${problem}`),
    ...(lines.length === 0 ? [NO_WHOLE_LINE] : []),
    ...(torn === '' ? [] : [`the journal ends in ${torn.length} bytes that are no whole line`]),
  ];
  const seal = { lines: chain.lines.length, hash: chain.hash };
  if (chain.problems.length > 0 || lines.length === 0) return { seal, problems };
  // Cast: the chain begins with the hash of this text, so it is what was written with the run.
  const plan = JSON.parse(planText) as RunPlan;
  const content = checkContent(directory, { plan, lines: chain.lines }, tools);
  return { seal, ...content, problems: [...problems, ...content.problems] };
}

function checkContent(
  directory: RunDirectory,
  { plan, lines }: { readonly plan: RunPlan; readonly lines: readonly JournalLine[] },
  tools: Reading,
): Pick<RunCheck, 'problems' | 'checkKey' | 'isMadeHere'> {
  const problems: string[] = [];
  if (!directory.has('members.ndjson')) problems.push('members.ndjson is missing');
  else if (digestMembers(directory) !== plan.members.sha256) problems.push('members.ndjson was changed');
  const { keyState: checkKey } = readCheckKey(directory, plan.keyFingerprint);
  const keyFault = keyProblem(checkKey);
  if (keyFault !== undefined) problems.push(keyFault);
  let run: RunRecord | undefined;
  try {
    replay(lines);
    if (problems.length > 0) return { problems, checkKey };
    run = readRun(directory.path, tools);
    if (findChangedLine(run) !== undefined)
      return { problems: ['the ids, or the check key, are not those of the plan'], checkKey };
    // Throws for the first line that the core would not have permitted.
    run.tally();
    return { problems, checkKey, isMadeHere: run.isMadeHere };
  } catch (error) {
    return { problems: [...problems, foreseen(error).message], checkKey };
  } finally {
    run?.close();
  }
}

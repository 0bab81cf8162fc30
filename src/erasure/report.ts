import type { Context } from '../cli/context.ts';
import { CliError, counted, type ErrorKind, foreseen, joinKinds, usageError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { type People, readGiven, type Sources } from './input/given.ts';
import { type Case, type CaseRun, findCase, gatherOutput, placeText } from './projects/case.ts';
import { verificationsOf, verificationTitle } from './proof/verdict.ts';
import { type RunDirectory, useRunDirectory } from './record/directory.ts';
import { findChangedLine, listGiven, refuseNotInRun, runPath, withRunRecord } from './record/find.ts';
import { digestMembers, type KeyState, keyProblem, readCheckKey, sha256 } from './record/ids-file.ts';
import {
  checkChain,
  formatSeal,
  type JournalLine,
  parseSeal,
  type Seal,
  splitJournal,
} from './record/journal.ts';
import { missingFiles, type RunPlan, type RunRecord, readRun } from './record/open.ts';
import { reconcile } from './record/outcome.ts';
import { planLines } from './record/plan.ts';
import { replay } from './record/state.ts';
import { doesNotHold, NO_WHOLE_LINE } from './record/unbegun.ts';
import { inPages, report, reportRows } from './report/json.ts';
import { reportMarkdown, reportPage, table } from './report/page.ts';
import { printOutcome } from './sending/carry-out.ts';

/** What is done to a run, by what it was called. */
export type Step = (run: string, there: Context) => Promise<void>;

type Failing = {
  /** What did not come about for a share of the projects. */
  readonly says: (share: string) => string;
  readonly kind?: ErrorKind;
};

/**
 * Does steps to a run, or to each run of a case: one step to all of them before the next. What stops one run must not
 * hide the others; a no, a signal and a wrong option are about all of them.
 */
export async function eachRun(
  called: string,
  steps: readonly Step[],
  failing: Failing,
  context: Context,
): Promise<void> {
  const held = findCase(called, context);
  if (held === undefined) {
    for (const step of steps) await step(called, context);
    return;
  }
  const gathering = gatherOutput(context);
  const failures = new Map<string, CliError>();
  for (const [index, step] of steps.entries()) {
    for (const { run, ...place } of held.runs) {
      const there = gathering.within(place.project, context);
      const what = run === null ? 'no person to delete was found there' : `run ${run}`;
      if (index === 0) context.note(`${placeText(place.project, place)}: ${what}`);
      if (run === null || failures.has(run)) continue;
      try {
        await step(run, there);
      } catch (error) {
        const failure = foreseen(error);
        if (context.signal.aborted || failure.kind === 'cancelled' || failure.kind === 'usage') throw failure;
        there.warn(`warning: ${failure.message}`);
        failures.set(run, failure);
      }
    }
  }
  await gathering.flush();
  if (failures.size > 0) throw joined(held, [...failures.values()], failing);
}

function joined({ runs }: Case, failures: readonly CliError[], { says, kind }: Failing): CliError {
  const share = `${failures.length} of ${counted(runs.length, 'project')}`;
  const hint = failures.find((one) => one.hint !== undefined)?.hint;
  const isAnyDone = failures.length < runs.length;
  return new CliError(kind ?? joinKinds(failures, { isAnyDone }), says(share), { hint });
}

/** Prints what a run, or each run of a case, was to do, and what came of it so far. */
export async function showRunOrCase(called: string, context: Context): Promise<void> {
  await eachRun(called, [showRun], { says: (share) => `${share} cannot be shown` }, context);
}

async function showRun(name: string, context: Context): Promise<void> {
  await withRunRecord(name, context, async (run) => {
    for (const line of planLines(run.plan)) context.note(line);
    const outcome = reconcile(run);
    context.note(`State: ${outcome.verdict}`);
    const { whole, partial } = verificationsOf(run);
    for (const one of [...(whole ? [whole] : []), ...partial]) context.note(verificationTitle(run, one));
    await printOutcome(run, outcome, context);
  });
}

type Checking = { readonly run: string; readonly expect?: string | undefined };

/** Prints whether the record of a run, or of each run of a case, holds. Throws `check` if one does not. */
export async function checkRunOrCase({ run: called, expect }: Checking, context: Context): Promise<void> {
  if (expect !== undefined && findCase(called, context) !== undefined)
    throw usageError('--expect is for one run', 'name one run of the case; hogctl runs list shows them');
  const seal = expect === undefined ? undefined : parseSeal(expect);
  if (expect !== undefined && seal === undefined)
    throw usageError(
      `--expect cannot read "${expect}"`,
      'it takes what the end of the run printed, such as 12:9f86d0...',
    );
  const check: Step = async (name, there) => {
    const path = runPath(name, context);
    const checked = checkRun(path, { expect: seal });
    await there.print({
      journal: checked.seal === undefined ? null : formatSeal(checked.seal),
      check_key: checked.checkKey ?? null,
      holds: checked.problems.length === 0,
      problems: checked.problems,
    });
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
  /** Absent if the record is damaged so far that nothing can be said of its key. */
  readonly checkKey?: KeyState;
};

/** Checks journal, plan and members of a run against their hashes. */
export function checkRun(path: string, { expect }: { readonly expect?: Seal | undefined } = {}): RunCheck {
  const directory = useRunDirectory(path);
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
  const content = checkContent(directory, plan, chain.lines);
  return { seal, checkKey: content.checkKey, problems: [...problems, ...content.problems] };
}

function checkContent(
  directory: RunDirectory,
  plan: RunPlan,
  lines: readonly JournalLine[],
): Required<Pick<RunCheck, 'problems' | 'checkKey'>> {
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
    run = readRun(directory.path);
    if (findChangedLine(run) !== undefined)
      return { problems: ['the ids, or the check key, are not those of the plan'], checkKey };
    // The ids tell of the key, too, if the plan does not.
    return { problems, checkKey: run.hasIds && checkKey === 'cannot be told' ? 'holds' : checkKey };
  } catch (error) {
    return { problems: [...problems, foreseen(error).message], checkKey };
  } finally {
    run?.close();
  }
}

type Reporting = Sources & { readonly run: string };

/** A run that was named by itself has no place. */
type Part = { readonly place?: CaseRun; readonly run: RunRecord | undefined };

type Reported = {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly json: () => JsonObject;
  /** Lines of Markdown before those of the runs. */
  readonly head: readonly string[];
};

/**
 * Writes the report of a run, or one of all runs of a case with a part for each project, in the format that was asked
 * for; or the rows of the ids that were given.
 */
export async function reportRunOrCase(
  { run: called, ...sources }: Reporting,
  context: Context,
): Promise<void> {
  const held = findCase(called, context);
  const parts: Part[] = [];
  try {
    if (held === undefined) {
      const run = readRun(runPath(called, context));
      parts.push({ run });
      return await writeReport({ name: run.id, parts, json: () => report(run), head: [] }, sources, context);
    }
    // A report that left one out would pass for the whole.
    for (const place of held.runs)
      parts.push({ place, run: place.run === null ? undefined : readRun(runPath(place.run, context)) });
    const json = () => caseReport(held, parts);
    await writeReport({ name: held.case, parts, json, head: caseHead(held, parts) }, sources, context);
  } finally {
    for (const { run } of parts) run?.close();
  }
}

async function writeReport(
  { name, parts, json, head }: Reported,
  sources: Sources,
  context: Context,
): Promise<void> {
  const { output, save = '' } = context.options;
  const { people } = await readGiven(sources, context);
  if (people.length > 0) await context.print(inPages(rowsOfPeople(parts, people)));
  else if (output === 'csv' || output === 'tsv' || output === 'ndjson')
    await context.print(inPages(allRows(parts)));
  else if (output === 'json') await context.print(json());
  else if (output === undefined && /\.html?$/i.test(save))
    await context.printRaw(reportPage(name, titled(parts)));
  else
    await context.printRaw(
      [...head, ...parts.flatMap(({ run }) => (run ? reportMarkdown(run) : []))].join('\n'),
    );
}

function titled(parts: readonly Part[]) {
  return parts.map(({ place, run }) => ({ title: place && placeText(place.project, place), run }));
}

function* allRows(parts: readonly Part[]): Generator<JsonObject> {
  for (const part of parts)
    if (part.run !== undefined) for (const row of reportRows(part.run)) yield inProject(part, row);
}

function inProject({ place }: Part, row: JsonObject): JsonObject {
  return place === undefined ? row : { project: place.project, ...row };
}

/** The rows of given ids in each run that has all of them. Throws if none has. */
function* rowsOfPeople(parts: readonly Part[], people: readonly People[]): Generator<JsonObject> {
  const missing: CliError[] = [];
  let isFound = false;
  for (const part of parts) {
    if (part.run === undefined) continue;
    try {
      for (const row of rowsIn(part.run, people)) yield inProject(part, row);
      isFound = true;
    } catch (error) {
      missing.push(foreseen(error));
    }
  }
  if (!isFound && missing[0] !== undefined) throw missing[0];
}

/** In the order they were given. Throws a usage error for ids that are not in the run. */
function rowsIn(run: RunRecord, people: readonly People[]): readonly JsonObject[] {
  const wanted = new Map<string, JsonObject | undefined>();
  for (const member of listGiven(run, people).keys()) wanted.set(member, undefined);
  for (const row of reportRows(run)) {
    const member = String(row.member);
    if (wanted.has(member)) wanted.set(member, row);
  }
  const rows = [...wanted.values()].filter((row) => row !== undefined);
  refuseNotInRun(wanted.size - rows.length, wanted.size);
  return rows;
}

function caseReport(held: Case, parts: readonly Part[]): JsonObject {
  return {
    report: 'hogctl case',
    format: 1,
    case: held.case,
    created_at: held.created_at,
    projects: parts.map(({ place, run }) => ({
      ...place,
      verdict: run === undefined ? 'nobody found' : reconcile(run).verdict,
      report: run === undefined ? null : report(run),
    })),
  };
}

function caseHead(held: Case, parts: readonly Part[]): readonly string[] {
  const rows = held.runs.map(({ project, id, host, run: name }, at) => {
    const run = parts[at]?.run;
    const verdict = run === undefined ? 'no person to delete was found there' : reconcile(run).verdict;
    return [project, id, host, name ?? '', verdict];
  });
  return [
    `# Case ${held.case}`,
    '',
    `Of ${held.created_at}, in ${counted(parts.length, 'project')}.`,
    '',
    ...table(['Project', 'Id', 'Host', 'Run', 'Outcome'], rows),
    '',
  ];
}

import type { Context } from '../cli/context.ts';
import { CliError, counted, type ErrorKind, foreseen, joinKinds, usageError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { type Case, type CaseRun, findCase, gatherOutput, placeText } from './case.ts';
import { runPath } from './find-run.ts';
import { reconcile } from './outcome.ts';
import { type IdSources, readPeople } from './people.ts';
import { inPages, report, reportRows } from './report.ts';
import { casePage, reportMarkdown, table } from './report-text.ts';
import { type RunRecord, readRun } from './run.ts';
import {
  type Checking,
  type Pruning,
  pruneRuns,
  rowsOfPeople,
  showCheck,
  showReport,
  showRun,
} from './show-runs.ts';

/** Prints what a run, or each run of a case, was to do, and what came of it so far. */
export async function showRunOrCase(name: string, context: Context): Promise<void> {
  const held = findCase(name, context);
  if (held === undefined) return showRun(name, context);
  const failures = await eachRun(held, showRun, context);
  if (failures.length === 0) return;
  const isAnyDone = failures.length < held.runs.length;
  throw ofCase(joinKinds(failures, { isAnyDone }), `${shareOf(failures, held)} cannot be shown`, failures);
}

/** Checks the record of a run, or those of all runs of a case. */
export async function checkRunOrCase(input: Checking, context: Context): Promise<void> {
  const held = findCase(input.run, context);
  if (held === undefined) return showCheck(input, context);
  if (input.expect !== undefined)
    throw usageError('--expect is for one run', 'name one run of the case; hogctl runs list shows them');
  const failures = await eachRun(held, (run, there) => showCheck({ run }, there), context);
  if (failures.length > 0)
    throw ofCase('check', `the record of ${shareOf(failures, held)} does not hold`, failures);
}

/** Removes the ids of old runs, of one run, or of each run of a case. */
export async function pruneRunsOrCase(input: Pruning, context: Context): Promise<void> {
  const held = input.run === undefined ? undefined : findCase(input.run, context);
  if (held === undefined) return pruneRuns(input, context);
  const failures = await eachRun(held, (run, there) => pruneRuns({ ...input, run }, there), context);
  if (failures.length === 0) return;
  const kind = joinKinds(failures, { isAnyDone: failures.length < held.runs.length });
  throw ofCase(kind, `the ids of ${shareOf(failures, held)} were not removed`, failures);
}

/** What stops one must not hide the others; a no, a signal and a wrong option are about all of them. */
async function eachRun(
  held: Case,
  work: (run: string, there: Context) => Promise<void>,
  context: Context,
): Promise<readonly CliError[]> {
  const gathering = gatherOutput(context);
  const failures: CliError[] = [];
  for (const { run, ...place } of held.runs) {
    const there = gathering.within(place.project, context);
    const what = run === null ? 'no person to delete was found there' : `run ${run}`;
    context.note(`${placeText(place.project, place)}: ${what}`);
    if (run === null) continue;
    try {
      await work(run, there);
    } catch (error) {
      const failure = foreseen(error);
      if (context.signal.aborted || failure.kind === 'cancelled' || failure.kind === 'usage') throw failure;
      there.warn(`warning: ${failure.message}`);
      failures.push(failure);
    }
  }
  await gathering.flush();
  return failures;
}

function shareOf(failures: readonly CliError[], { runs }: Case): string {
  return `${failures.length} of ${counted(runs.length, 'project')}`;
}

function ofCase(kind: ErrorKind, message: string, failures: readonly CliError[]): CliError {
  return new CliError(kind, message, { hint: failures.find(({ hint }) => hint !== undefined)?.hint });
}

type Reporting = IdSources & { readonly run: string };

/** Writes the report of a run, or one of all runs of a case with a part for each project. */
export async function reportRunOrCase(input: Reporting, context: Context): Promise<void> {
  const { run: name, ...sources } = input;
  const held = findCase(name, context);
  if (held === undefined) return showReport(input, context);
  const parts = openParts(held, context);
  try {
    const people = await readPeople(sources, context);
    if (people.length > 0) return await context.print(inPages(rowsOf(parts, people)));
    await writeReport(held, parts, context);
  } finally {
    for (const { run } of parts) run?.close();
  }
}

type Part = { readonly place: CaseRun; readonly run: RunRecord | undefined };

/** A report that left one out would pass for the whole. */
function openParts(held: Case, context: Context): readonly Part[] {
  const parts: Part[] = [];
  try {
    for (const place of held.runs)
      parts.push({ place, run: place.run === null ? undefined : readRun(runPath(place.run, context)) });
    return parts;
  } catch (error) {
    for (const { run } of parts) run?.close();
    throw error;
  }
}

async function writeReport(held: Case, parts: readonly Part[], context: Context): Promise<void> {
  const { output, save = '' } = context.options;
  if (output === 'csv' || output === 'tsv' || output === 'ndjson')
    return context.print(inPages(allRows(parts)));
  if (output === 'json') return context.print(reportOf(held, parts));
  if (output === undefined && /\.html?$/i.test(save)) {
    const titled = parts.map(({ place, run }) => ({ title: placeText(place.project, place), run }));
    return context.printRaw(casePage(held.case, titled));
  }
  return context.printRaw(markdownOf(held, parts));
}

function* allRows(parts: readonly Part[]): Generator<JsonObject> {
  for (const { place, run } of parts)
    if (run !== undefined) for (const row of reportRows(run)) yield { project: place.project, ...row };
}

/** The rows of given ids in each project that has them. Throws if none has. */
function* rowsOf(
  parts: readonly Part[],
  people: Awaited<ReturnType<typeof readPeople>>,
): Generator<JsonObject> {
  let missing: unknown;
  let isFound = false;
  for (const { place, run } of parts) {
    if (run === undefined) continue;
    try {
      for (const row of rowsOfPeople(run, people)) yield { project: place.project, ...row };
      isFound = true;
    } catch (error) {
      missing ??= foreseen(error);
    }
  }
  if (!isFound && missing !== undefined) throw missing;
}

function reportOf(held: Case, parts: readonly Part[]): JsonObject {
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

function markdownOf(held: Case, parts: readonly Part[]): string {
  const rows = parts.map(({ place, run }) => {
    const verdict = run === undefined ? 'no person to delete was found there' : reconcile(run).verdict;
    return [place.project, place.id, place.host, place.run ?? '', verdict];
  });
  return [
    `# Case ${held.case}`,
    '',
    `Of ${held.created_at}, in ${counted(parts.length, 'project')}.`,
    '',
    ...table(['Project', 'Id', 'Host', 'Run', 'Outcome'], rows),
    '',
    ...parts.flatMap(({ run }) => (run === undefined ? [] : [reportMarkdown(run)])),
  ].join('\n');
}

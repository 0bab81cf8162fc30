import type { Context } from '../cli/context.ts';
import { counted } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { inPages } from '../print/rows.ts';
import { type Case, type CaseRun, findCase, placeText } from './projects/case.ts';
import { runPath, tellOrigin } from './record/find.ts';
import { type RunRecord, readRun } from './record/open.ts';
import { reconcile } from './record/outcome.ts';
import { report, reportRows } from './report/json.ts';
import { reportMarkdown, reportPage, table } from './report/page.ts';

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
 * for.
 */
export async function reportRunOrCase(called: string, context: Context): Promise<void> {
  const held = findCase(called, context);
  const parts: Part[] = [];
  try {
    if (held === undefined) {
      const run = readRun(runPath(called, context), context);
      parts.push({ run });
      tellOrigin(run, context);
      return await writeReport({ name: run.id, parts, json: () => report(run), head: [] }, context);
    }
    // A report that left one out would pass for the whole.
    for (const place of held.runs)
      parts.push({
        place,
        run: place.run === null ? undefined : readRun(runPath(place.run, context), context),
      });
    const json = () => caseReport(held, parts);
    await writeReport({ name: held.case, parts, json, head: caseHead(held, parts) }, context);
  } finally {
    for (const { run } of parts) run?.close();
  }
}

async function writeReport({ name, parts, json, head }: Reported, context: Context): Promise<void> {
  const { output, save = '' } = context.options;
  if (output === 'csv' || output === 'tsv' || output === 'ndjson')
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

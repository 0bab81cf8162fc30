import type { Context } from '../cli/context.ts';
import { counted } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { formats } from '../print/formats.ts';
import { inPages } from '../print/rows.ts';
import { findRequest, placeText, type Request, type RequestRun, runIsGone } from './projects/request.ts';
import { reconcile } from './proof/outcome.ts';
import { runPath, tellOrigin } from './record/find.ts';
import { type RunRecord, readRun } from './record/open.ts';
import { type Conclusion, conclusionOf, conclusionOfAll } from './report/conclusion.ts';
import { report, reportRows } from './report/json.ts';
import { reportMarkdown, reportPage, table } from './report/page.ts';

/** A run that was named by itself has no place. */
type Part = { readonly place?: RequestRun; readonly run: RunRecord };

type Reported = {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly json: () => JsonObject;
  /** Lines of Markdown before those of the runs. */
  readonly head: readonly string[];
};

/**
 * Writes the report of a run, or one of all runs of a request with a part for each project, in the format that was
 * asked for.
 */
export async function reportRunOrRequest(called: string, context: Context): Promise<void> {
  const request = findRequest(called, context);
  const parts: Part[] = [];
  const open = (name: string) => readRun(runPath(name, context), context);
  try {
    if (request === undefined) {
      const run = open(called);
      parts.push({ run });
      tellOrigin(run, context);
      return await writeReport({ name: run.id, parts, json: () => report(run), head: [] }, context);
    }
    // A report that left one out would pass for the whole.
    for (const place of request.runs) {
      if (place.run === undefined) throw runIsGone(place);
      parts.push({ place, run: open(place.run) });
    }
    const json = () => requestReport(request, parts);
    await writeReport({ name: request.request, parts, json, head: requestHead(request, parts) }, context);
  } finally {
    for (const { run } of parts) run.close();
  }
}

async function writeReport({ name, parts, json, head }: Reported, context: Context): Promise<void> {
  const { output, save = '' } = context.options;
  if (output !== undefined && formats[output].isByLine) await context.print(inPages(allRows(parts)));
  else if (output === 'json') await context.print(json());
  else if (output === undefined && /\.html?$/i.test(save))
    await context.output.raw(reportPage(name, titled(parts)));
  else await context.output.raw([...head, ...parts.flatMap(({ run }) => reportMarkdown(run))].join('\n'));
}

function titled(parts: readonly Part[]) {
  return parts.map(({ place, run }) => ({ title: place && placeText(place.project, place), run }));
}

function* allRows(parts: readonly Part[]): Generator<JsonObject> {
  for (const part of parts) for (const row of reportRows(part.run)) yield inProject(part, row);
}

function inProject({ place }: Part, row: JsonObject): JsonObject {
  return place === undefined ? row : { project: place.project, ...row };
}

function requestReport({ request, createdAt }: Request, parts: readonly Part[]): JsonObject {
  return {
    report: 'hogctl request',
    format: 1,
    request,
    created_at: createdAt,
    verdict: verdictOfParts(parts).title,
    projects: parts.map(({ place, run }) => ({
      ...place,
      run: run.id,
      verdict: reconcile(run).verdict,
      report: report(run),
    })),
  };
}

function verdictOfParts(parts: readonly Part[]): Conclusion {
  return conclusionOfAll(
    parts.map(({ place, run }) => ({
      project: place?.project ?? '',
      conclusion: conclusionOf(run, reconcile(run)),
    })),
  );
}

function requestHead({ request, createdAt }: Request, parts: readonly Part[]): readonly string[] {
  const { title, sentence } = verdictOfParts(parts);
  const rows = parts.map(({ place, run }) => {
    const { project = '', id = '', host = '' } = place ?? {};
    return [project, id, host, run.id, reconcile(run).verdict];
  });
  return [
    `# Request ${request}`,
    '',
    `Of ${createdAt}, in ${counted(parts.length, 'project')}.`,
    '',
    `**${title}.** ${sentence}`,
    '',
    ...table(['Project', 'Id', 'Host', 'Run', 'Outcome'], rows),
    '',
  ];
}

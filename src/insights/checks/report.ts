import type { InsightReference } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, counted } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import type { REFRESH_MODES } from '../../service/parameters.ts';
import { escapeControls, escapeMarkup } from '../../system/text.ts';
import { expectedText } from '../judging/hold.ts';
import type { Expectation } from '../judging/judge.ts';
import type { Notes, Result } from '../judging/judged-series.ts';

/** What is calculated in place of a saved insight, and what it is called. */
export type Analysis = { readonly title: string; readonly query: JsonObject };

/** How an insight is read, or what is calculated in place of one. Checks that read it alike share one calculation. */
export type Reading = {
  readonly insight: InsightReference | Analysis;
  readonly refresh?: (typeof REFRESH_MODES)[number] | undefined;
  readonly variable?: JsonObject | undefined;
  readonly from_dashboard?: number | undefined;
  readonly filters_override?: JsonObject | undefined;
};

export type Check = {
  readonly name: string | undefined;
  readonly line: number | undefined;
  readonly reading: Reading;
  readonly expectations: readonly Expectation[];
  readonly series: string | undefined;
  readonly breakdown: string | undefined;
  readonly unfinished: boolean;
};

/** One expectation held against one series, and of which check it is. */
export type Row = Result & {
  /** What the check is called, and the insight as the service describes it. */
  readonly title: string;
  readonly insight: string;
  readonly line: number | undefined;
  /** Why there are no figures, or why the insight could not be read. */
  readonly failure?: CliError;
};

export type Checked = { readonly rows: readonly Row[]; readonly notes: Notes };

function tally(rows: readonly Row[]) {
  const count = (wanted: boolean | null) => rows.filter(({ holds }) => holds === wanted).length;
  return { tests: rows.length, failures: count(false), errors: count(null) };
}

/** The results as JUnit XML: a figure that is not as expected is a failure, an insight that could not be read an error. */
export function junitXml(rows: readonly Row[], file: string | undefined): string {
  const figures = tally(rows);
  const cases = rows.map((row) => {
    const about = { classname: row.title, name: expectedText(row), file, line: row.line };
    const open = `    <testcase${attributes(about)}`;
    if (row.holds) return `${open}/>`;
    const kind = row.holds === null ? 'error' : 'failure';
    return `${open}>\n      <${kind}${attributes({ message: row.found })}/>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'hogctl', ...figures })}>`,
    `  <testsuite${attributes({ name: file ?? 'insights check', ...figures })}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function attributes(given: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeMarkup(String(value))}"`))
    .join('');
}

/** In a job of GitHub Actions, tells each result that does not hold beside its line, and all of them in the summary. */
export async function tellGitHub(
  rows: readonly Row[],
  file: string | undefined,
  context: Context,
): Promise<void> {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: summary } = context.environment;
  if (GITHUB_ACTIONS !== 'true') return;
  for (const row of rows) if (!row.holds) context.warn(annotation(row, file));
  if (!summary) return;
  try {
    await context.files.appendText(summary, summaryText(rows));
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    context.warn(`warning: the summary of the job has no results: ${failure.message}`);
  }
}

/** A workflow command, which ends with its line. */
function annotation(row: Row, file: string | undefined): string {
  const properties = Object.entries({ file, line: file && row.line, title: row.title })
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${escapeProperty(String(value))}`))
    .join(',');
  const but = row.holds === null ? 'which is not known:' : 'but';
  return `::error ${properties}::${escapeCommand(`expected ${expectedText(row)}, ${but} ${row.found}`)}`;
}

function escapeCommand(text: string): string {
  return escapeControls(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeCommand(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function summaryText(rows: readonly Row[]): string {
  const { tests, failures, errors } = tally(rows);
  const failed = failures > 0 ? `, ${failures} not as expected` : '';
  const unknown = errors > 0 ? `, ${errors} not known` : '';
  const lines = rows.map((row) => {
    const cells = [row.title, expectedText(row), row.found].map(escapeCell);
    return `| ${[...cells, WORDS[`${row.holds}`]].join(' | ')} |`;
  });
  return [
    '## Figures',
    '',
    `${counted(tests, 'expectation')}${failed}${unknown}.`,
    '',
    '| Check | Expected | Found | Holds |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
    '',
  ].join('\n');
}

const WORDS = { true: 'yes', false: '**no**', null: '**not known**' } as const;

/** The name of an insight may hold any text: it is no markup, and no cell of its own. */
function escapeCell(text: string): string {
  return escapeControls(text).replace(/[\\|`*_<[\]&!~#]/g, '\\$&');
}

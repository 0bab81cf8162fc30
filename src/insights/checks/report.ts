import type { NamedInsight } from '../../cli/command/options.ts';
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
  readonly insight: NamedInsight | Analysis;
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

/** What does not hold first, then what is not known; checks of one name are told apart by what they are about. */
function reported(rows: readonly Row[]): readonly Row[] {
  const subjects = new Map<string, Set<string>>();
  for (const row of rows) subjects.set(row.title, (subjects.get(row.title) ?? new Set()).add(subjectOf(row)));
  const named = rows.map((row) => {
    const isShared = (subjects.get(row.title)?.size ?? 0) > 1;
    return isShared ? { ...row, title: `${row.title} (${subjectOf(row)})` } : row;
  });
  return named.toSorted((left, right) => ORDER.indexOf(left.holds) - ORDER.indexOf(right.holds));
}

const ORDER: readonly Row['holds'][] = [false, null, true];

function subjectOf({ insight, line }: Row): string {
  return line === undefined ? insight : `${insight}, line ${line}`;
}

/**
 * The results as JUnit XML: a figure that is not as expected is a failure, an insight that could not be read an error.
 * Readers keep a history by class and name, so no two cases have both, and some refuse attributes beyond the schema.
 */
export function junitXml(given: readonly Row[], file: string | undefined): string {
  const rows = reported(given);
  const figures = tally(rows);
  const used = new Map<string, number>();
  const cases = rows.map((row) => {
    const name = expectedText(row);
    const key = JSON.stringify([row.title, name]);
    const count = (used.get(key) ?? 0) + 1;
    used.set(key, count);
    const about = { classname: row.title, name: count === 1 ? name : `${name} (${count})` };
    const open = `    <testcase${attributes(about)}`;
    if (row.holds) return `${open}/>`;
    const kind = row.holds === null ? 'error' : 'failure';
    const message = row.line === undefined ? row.found : `${row.found} (line ${row.line})`;
    return `${open}>\n      <${kind}${attributes({ message })}/>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'hogctl', ...figures })}>`,
    `  <testsuite${attributes({ name: file ?? 'insights check', ...figures, file })}>`,
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
  given: readonly Row[],
  file: string | undefined,
  context: Context,
): Promise<void> {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: summary } = context.system.environment;
  if (GITHUB_ACTIONS !== 'true') return;
  const rows = reported(given);
  const failed = rows.filter(({ holds }) => !holds);
  const shown = failed.length > MOST_ANNOTATIONS ? failed.slice(0, MOST_ANNOTATIONS - 1) : failed;
  for (const row of shown) context.command(annotation(row, file));
  if (shown.length < failed.length)
    context.command(`::error ::${failed.length - shown.length} more do not hold`);
  if (!summary) return;
  try {
    await context.files.appendText(summary, summaryText(rows));
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    context.warn(`warning: the summary of the job has no results: ${failure.message}`);
  }
}

/** GitHub shows so many of one step. */
const MOST_ANNOTATIONS = 10;

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
  const lines: string[] = [];
  let size = 0;
  for (const row of rows) {
    const cells = [row.title, expectedText(row), row.found].map(escapeCell);
    const line = `| ${[...cells, WORDS[`${row.holds}`]].join(' | ')} |`;
    size += Buffer.byteLength(line) + 1;
    if (size > LONGEST_SUMMARY) break;
    lines.push(line);
  }
  const more = rows.length - lines.length;
  return [
    '## Figures',
    '',
    `${counted(tests, 'expectation')}${failed}${unknown}.`,
    '',
    '| Check | Expected | Found | Holds |',
    '| --- | --- | --- | --- |',
    ...lines,
    ...(more > 0 ? ['', `And ${more} more.`] : []),
    '',
    '',
  ].join('\n');
}

/** GitHub drops the whole summary of a step beyond 1 MiB, to which other commands may add. */
const LONGEST_SUMMARY = 900_000;

const WORDS = { true: 'yes', false: '**no**', null: '**not known**' } as const;

/** The name of an insight may hold any text: it is no markup, and no cell of its own. */
function escapeCell(text: string): string {
  return escapeControls(text).replace(/[\\|`*_<[\]&!~#]/g, '\\$&');
}

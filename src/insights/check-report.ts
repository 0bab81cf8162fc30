import type { InsightReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { plainWords } from '../service/answer.ts';
import type { REFRESH_MODES } from '../service/parameters.ts';
import { escapeControls, escapeMarkup } from '../system/text.ts';
import type { Expectation } from './judge.ts';
import { judgeAnswer, type Result } from './judged-series.ts';
import { readExpectations } from './parse-expectation.ts';
import type { ExpectInput } from './show.ts';

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
  /** Whether the interval that is not over counts. */
  readonly unfinished: boolean;
};

export type Checked = {
  readonly check: Check;
  /** What it is called, and the insight as the service describes it. */
  readonly title: string;
  readonly insight: string;
  readonly results: readonly Result[];
  /** Why there are no figures, or why the insight could not be read. */
  readonly failure?: CliError;
  /** Days whose interval was not over, and which did not count. */
  readonly open: readonly string[];
};

export function inPlainWords({ series, breakdown, ...result }: Result): Result {
  return { series: series && plainWords(series), breakdown: breakdown && plainWords(breakdown), ...result };
}

/** `last >= 100 for "$pageview"` */
function expectedText({ series, breakdown, expected }: Result): string {
  const who = [series, breakdown].filter((name) => name !== null).map((name) => `"${name}"`);
  return `${expected}${who.length > 0 ? ` for ${who.join(', ')}` : ''}`;
}

/** A CI service may take a line of a job's log for a command, so no name begins one. */
export function sentence(result: Result): string {
  return escapeControls(`expected ${expectedText(result)}, but ${result.found}`);
}

/** Throws `check` unless all of it holds. */
export function requireAll(results: readonly Result[], name: string): void {
  const failed = results.map(inPlainWords).filter(({ holds }) => !holds);
  if (failed.length === 0) return;
  const count = results.length === 1 ? '' : `${failed.length} of ${results.length} checks do not hold: `;
  throw new CliError('check', `${name}: ${count}${failed.map(sentence).join('; ')}`);
}

/** Holds an analysis from options to what is expected. The function says what did not count, and throws `check` unless all holds. */
export function expectOfAnalysis(
  { unfinished = false, ...given }: ExpectInput,
  context: Context,
): (answer: JsonObject, now: number) => void {
  const expectations = readExpectations(given);
  const input = { expectations, unfinished, refreshed: false, series: undefined, breakdown: undefined };
  return (answer, now) => {
    const about = { name: 'the analysis', remedy: undefined, now };
    const { results, open } = judgeAnswer(answer, { ...input, ...about });
    sayOpen(open, '--unfinished', context);
    requireAll(results, about.name);
  };
}

export function sayOpen(open: readonly string[], remedy: string, context: Context): void {
  if (open.length === 0) return;
  context.note(
    `Not counted, since it was not over when it was calculated: ${open.join(', ')}. ${remedy} counts it.`,
  );
}

type Tally = { readonly all: number; readonly failures: number; readonly errors: number };

function tally(checked: readonly Checked[]): Tally {
  const results = checked.flatMap((one) => one.results);
  const count = (wanted: boolean | null) => results.filter(({ holds }) => holds === wanted).length;
  return { all: results.length, failures: count(false), errors: count(null) };
}

/** The results as JUnit XML: a figure that is not as expected is a failure, an insight that could not be read an error. */
export function junitXml(checked: readonly Checked[], file: string | undefined): string {
  const { all, failures, errors } = tally(checked);
  const figures = { tests: all, failures, errors };
  const cases = checked.flatMap(({ check, title, results }) =>
    results.map(inPlainWords).map((result) => {
      const place = { file, line: check.line };
      const open = `<testcase${attributes({ classname: title, name: expectedText(result), ...place })}`;
      if (result.holds) return `    ${open}/>`;
      const kind = result.holds === null ? 'error' : 'failure';
      return `    ${open}>\n      <${kind}${attributes({ message: result.found })}/>\n    </testcase>`;
    }),
  );
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
  checked: readonly Checked[],
  file: string | undefined,
  context: Context,
): Promise<void> {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: summary } = context.environment;
  if (GITHUB_ACTIONS !== 'true') return;
  for (const { check, title, results } of checked)
    for (const result of results.map(inPlainWords))
      if (!result.holds) context.warn(annotation(result, { file, line: check.line, title }));
  if (!summary) return;
  try {
    await context.files.appendText(summary, summaryText(checked));
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    context.warn(`warning: the summary of the job has no results: ${failure.message}`);
  }
}

type Place = { readonly file: string | undefined; readonly line: number | undefined; readonly title: string };

/** A workflow command, which ends with its line. */
function annotation(result: Result, { file, line, title }: Place): string {
  const properties = Object.entries({ file, line: file && line, title })
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${escapeProperty(String(value))}`))
    .join(',');
  const but = result.holds === null ? 'which is not known:' : 'but';
  return `::error ${properties}::${escapeCommand(`expected ${expectedText(result)}, ${but} ${result.found}`)}`;
}

function escapeCommand(text: string): string {
  return escapeControls(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeCommand(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function summaryText(checked: readonly Checked[]): string {
  const { all, failures, errors } = tally(checked);
  const failed = failures > 0 ? `, ${failures} not as expected` : '';
  const unknown = errors > 0 ? `, ${errors} not known` : '';
  const rows = checked.flatMap(({ title, results }) =>
    results.map(inPlainWords).map((result) => {
      const cells = [title, expectedText(result), result.found].map(escapeCell);
      return `| ${[...cells, WORDS[`${result.holds}`]].join(' | ')} |`;
    }),
  );
  const head = ['| Check | Expected | Found | Holds |', '| --- | --- | --- | --- |'];
  return [
    '## Figures',
    '',
    `${counted(all, 'expectation')}${failed}${unknown}.`,
    '',
    ...head,
    ...rows,
    '',
    '',
  ].join('\n');
}

const WORDS = { true: 'yes', false: '**no**', null: '**not known**' } as const;

/** The name of an insight is anybody's text: no markup, and no cell of its own. */
function escapeCell(text: string): string {
  return escapeControls(text).replace(/[\\|`*_<[\]&!~#]/g, '\\$&');
}

import { CliError, firstOf } from '../../errors.ts';
import type { Column, Json, JsonObject } from '../../json/kinds.ts';
import {
  ageOf,
  type Figures,
  isNumeric,
  isOlderThanAsked,
  NONE,
  plainWords,
  type Request,
  readState,
} from '../../semantics/answer.ts';
import { cutOfFigures, insightRows } from '../../semantics/figures/figures.ts';
import { figureRemarks, gapRemark, rangeRemark } from '../../semantics/figures/remarks.ts';
import { type Figure, type Series, seriesOf } from '../../semantics/figures/series.ts';
import type { IntervalState } from '../../semantics/timeline.ts';
import { type Expectation, judge, type Measured } from './judge.ts';

type JudgeInput = {
  readonly name: string;
  /** What may help if there are no figures. */
  readonly remedy: string | undefined;
  readonly expectations: readonly Expectation[];
  readonly series: string | undefined;
  readonly breakdown: string | undefined;
  readonly unfinished: boolean;
  readonly request: Request;
  /** The service's time, in milliseconds since 1970. */
  readonly now: number;
};

/** One expectation held against one series. `holds` is null if nothing could be asked. */
export type Result = {
  readonly series: string | null;
  readonly breakdown: string | null;
  readonly expected: string;
  readonly found: string;
  readonly holds: boolean | null;
};

type Judged = { readonly results: readonly Result[]; readonly notes: Notes };

/** What is to be said beside the results: intervals that did not count, and what the figures are as a whole. */
export type Notes = {
  /** Not over when the figures were calculated. */
  readonly open: readonly string[];
  /** Covered only in part by the range. */
  readonly cut: readonly string[];
  readonly remarks: readonly string[];
};

/** The notes of several checks, each once. */
export function joinNotes(all: readonly Notes[]): Notes {
  const joined = (read: (one: Notes) => readonly string[]) => [...new Set(all.flatMap(read))];
  return {
    open: joined(({ open }) => open),
    cut: joined(({ cut }) => cut),
    remarks: joined(({ remarks }) => remarks),
  };
}

/** Holds every expectation against every series. Throws `check` for an answer that has no figures to look at. */
export function judgeAnswer(answer: JsonObject, input: JudgeInput): Judged {
  const age = readAge(answer, input);
  const { figures, series, cut } = readSeries(answer, input);
  const chosen = chooseSeries(series, figures, input);
  const results = input.expectations.flatMap((expectation) => {
    // Its age is that of the whole answer.
    const isWhole = isAboutAge(expectation);
    return (isWhole ? chosen.slice(0, 1) : chosen).map((one) => ({
      series: isWhole ? null : one.label,
      breakdown: isWhole ? null : one.breakdown,
      expected: expectation.text,
      ...judge(expectation, { ...measured(one, input), age, cut }),
    }));
  });
  const notes = chosen.map((one) => ({
    open: input.unfinished ? [] : omittedOf(one, 'open'),
    cut: omittedOf(one, 'cut'),
    remarks: [
      ...figureRemarks(answer),
      ...[rangeRemark(figures, answer, input.now), gapRemark(one.gaps)].filter(
        (remark) => remark !== undefined,
      ),
    ],
  }));
  return { results, notes: joinNotes(notes) };
}

/** Seconds since the calculation. Throws `check` for one that failed, is dated in the future, or is not the new one. */
function readAge(answer: JsonObject, { name, now, request, remedy }: JudgeInput): number | undefined {
  const state = readState(answer);
  if (state.failure !== undefined) throw failed(`the calculation of ${name} failed${state.failure}`, remedy);
  const isNewAsked = request.refresh !== undefined && request.refresh !== 'force_cache';
  const isThere = (answer.result ?? answer.results ?? null) !== null;
  if (isNewAsked && isThere && state.running !== undefined)
    throw failed(`${name} is still being calculated, and its figures are older`, 'ask again later');
  if (isThere && isOlderThanAsked(answer, request)) throw olderThanAsked(answer, name, request);
  const age = ageOf(state, now);
  if (age === 'future')
    throw failed(
      `the result of ${name} is dated in the future: ${answer.last_refresh}, by the service's own clock`,
      remedy,
    );
  return age === 'unknown' ? undefined : age / 1000;
}

function olderThanAsked(answer: JsonObject, name: string, { refresh }: Request): CliError {
  const dated =
    typeof answer.last_refresh === 'string' ? `the one of ${answer.last_refresh}` : 'an older one';
  return failed(
    `a new calculation of ${name} was asked for, and the service answered with ${dated}`,
    refresh?.startsWith('force_')
      ? 'ask again later: the service limits how often it calculates'
      : 'ask with --refresh force_blocking',
  );
}

type Readable = {
  readonly figures: Figures;
  readonly series: readonly Series[];
  /** Why the figures are not whole. */
  readonly cut: string | undefined;
};

function readSeries(answer: JsonObject, { name, remedy, now, breakdown }: JudgeInput): Readable {
  const read = insightRows(answer);
  if (read.outcome === 'no-result') throw failed(`${name} has no result: ${read.message}`, remedy);
  if (read.outcome === 'unknown')
    throw failed(`the figures of ${name} cannot be read: ${read.message}`, remedy);
  const { figures } = read;
  // An earlier period is there to be compared with.
  const series = seriesOf(figures, answer, now).filter(({ period }) => period !== 'previous');
  // Bins without bounds mean that no person converted.
  const isUnbound =
    figures.kind === 'time-to-convert' && figures.rows.every((row) => row.seconds_from === null);
  const texts = textColumns(figures);
  if (series.length === 0 && texts.length > 0)
    throw failed(`${name} has no figures: ${holdText(texts)}`, 'calculate numbers, such as count()');
  if (series.length === 0 || isUnbound) throw failed(`${name} has no figures: its result is empty`, remedy);
  const cut = cutOfFigures(answer, figures);
  // Each value of a breakdown is whole in itself.
  const isWhole = figures.kind !== 'sql' && breakdown !== undefined;
  return { figures, series, cut: isWhole ? undefined : cut };
}

/** The columns of SQL that hold something, and no number. */
function textColumns({ kind, rows, columns }: Figures): readonly Column[] {
  if (kind !== 'sql') return [];
  return columns.filter(
    (column) => !isNumeric(column, rows) && rows.some((row) => (row[column.key] ?? null) !== null),
  );
}

function holdText(columns: readonly Column[]): string {
  const names = columns.map(({ key }) => `"${key}"`);
  return names.length === 1
    ? `the column ${names[0]} holds text`
    : `the columns ${names.join(', ')} hold text`;
}

function failed(message: string, hint: string | undefined): CliError {
  return new CliError('check', message, { hint });
}

function isAboutAge({ left, right }: Expectation): boolean {
  return [...left.names, ...right.names].every(({ name }) => name === 'age');
}

const MOST_NAMED = 10;

/** The series that were asked for. Throws `check` without one: what does not exist cannot hold. */
function chooseSeries(
  all: readonly Series[],
  figures: Figures,
  { name, series, breakdown }: JudgeInput,
): readonly Series[] {
  const labelled = chosenBy(series, all, ({ label, names }) => [label, ...names]);
  if (labelled.length === 0) {
    const text = textColumns(figures).filter(({ key }) => key === series);
    if (text.length > 0) throw failed(`${holdText(text)}, not numbers`, 'calculate numbers, such as count()');
    throw absent(
      `${name} has no series "${series}"`,
      all.map(({ label }) => label),
    );
  }
  const isBrokenDown = labelled.some((one) => one.breakdown !== null);
  const found = chosenBy(breakdown, labelled, (one) => [
    isBrokenDown ? (one.breakdown ?? '') : null,
    ...one.breakdownNames,
  ]);
  if (found.length > 0) return found;
  throw absent(
    `${name} has no breakdown value "${breakdown}"`,
    labelled.map((one) => one.breakdownNames[0] ?? one.breakdown),
  );
}

/** Those of a name as the service spells it; else those that people call so, or that have this letter or number. */
function chosenBy(
  wanted: string | undefined,
  all: readonly Series[],
  namesOf: (one: Series) => readonly (string | null)[],
): readonly Series[] {
  if (wanted === undefined) return all;
  const [exact = [], ...others] = [0, 1, 2, 3, 4].map((place) =>
    all.filter((one) => namesOf(one)[place] === wanted),
  );
  const said = all.filter((one) => namesOf(one).some((name) => name !== null && inWords(name) === wanted));
  return [exact, said, ...others].find((found) => found.length > 0) ?? [];
}

/** As people see it. */
function inWords(name: string): Json {
  return name === '' ? NONE : plainWords(name);
}

function absent(message: string, names: readonly (string | null)[]): CliError {
  const present = [...new Set(names.filter((name) => name !== null).map(plainWords))];
  const hint = present.length > 0 ? `choose from ${firstOf(present, MOST_NAMED)}` : 'it has none';
  return new CliError('check', message, { hint });
}

/** The figures that count. One whose interval is not over is still to grow, one to come says nothing, one that is cut lacks a part. */
function measured(
  { figures, conversion, runningTotal, unordered }: Series,
  { unfinished, now }: JudgeInput,
): Measured {
  const begun = figures.filter(({ state }) => state !== 'to-come');
  const counted = begun.filter(({ state }) => state === 'over' || (unfinished && state === 'open'));
  const newest = begun.reduce<Figure | undefined>(
    (latest, one) => (one.span && one.span.start >= (latest?.span?.start ?? one.span.start) ? one : latest),
    undefined,
  );
  const { span, day } = newest ?? {};
  return {
    values: counted.map(({ value }) => value),
    own: runningTotal ? counted.map(({ own }) => own) : undefined,
    days: counted.map((one) => one.day),
    omitted: figures.length - counted.length,
    unordered,
    conversion,
    newest: span && day !== undefined ? { day, lag: (now - span.end) / 1000 } : undefined,
  };
}

/** The intervals that did not count for the sake of their state. */
function omittedOf({ figures }: Series, state: IntervalState): readonly string[] {
  return figures.flatMap((one) => (one.state === state && one.day !== undefined ? [one.day] : []));
}

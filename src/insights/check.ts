import type { InsightReference, Options, OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import type { Column } from '../json/kinds.ts';
import { ageOf, NONE, plainWords, readState } from '../service/answer.ts';
import { type Duration, inMilliseconds, timelineOf } from '../service/calendar.ts';
import type { InputOf } from '../service/endpoint.ts';
import type { insights } from '../service/insights.ts';
import type { Insight } from '../service/schemas.ts';
import { cutOfFigures, insightRows } from './figures.ts';
import type { refreshOption } from './insight.ts';
import { describeInsight, readableInsightId, readTimed } from './insight.ts';
import { dropExpectation, type Expectation, judge, timeExpectation } from './judge.ts';
import { type Series, seriesOf } from './judged-series.ts';
import { parseExpectation } from './parse-expectation.ts';
import { overridesOf, variableOption } from './sql.ts';

type CheckInput = OptionsInput<typeof checkOptions & { readonly refresh: typeof refreshOption }> &
  Pick<InputOf<typeof insights.get>, 'from_dashboard' | 'filters_override'>;

/** Reads an insight and holds its figures to what is expected. Throws `check` unless all of it holds. */
export async function checkAndShow(
  insight: InsightReference,
  {
    expect,
    maxDrop,
    maxAge,
    maxLag,
    series,
    breakdown,
    unfinished = false,
    variable,
    ...reading
  }: CheckInput,
  context: Context,
): Promise<void> {
  const expectations = readExpectations({ expect, maxDrop, maxAge, maxLag });
  const id = await readableInsightId(insight, context);
  const overrides = await overridesOf({ id, variable }, context);
  const { insight: answer, now } = await readTimed({ id, ...reading, ...overrides }, context);
  const { refresh } = reading;
  const refreshed = refresh !== undefined && refresh !== 'force_cache';
  const input = { expectations, series, breakdown, unfinished, refreshed, now };
  const { results, open } = judgeAnswer(answer, input);
  const isTable = (context.options.output ?? 'table') === 'table';
  await context.print(isTable ? results.map(inPlainWords) : results, checkColumns);
  if (open.length > 0)
    context.note(
      `Not counted, since it was not over when it was calculated: ${open.join(', ')}. --unfinished counts it.`,
    );
  refuseFailed(results.map(inPlainWords), describeInsight(answer));
}

function inPlainWords({ series, breakdown, ...result }: Result): Result {
  return { series: series && plainWords(series), breakdown: breakdown && plainWords(breakdown), ...result };
}

type JudgeInput = {
  readonly expectations: readonly Expectation[];
  readonly series: string | undefined;
  readonly breakdown: string | undefined;
  /** Whether the interval that is not over counts. */
  readonly unfinished: boolean;
  /** Whether a new calculation was asked for. */
  readonly refreshed: boolean;
  /** The service's time, in milliseconds since 1970. */
  readonly now: number;
};

/** One expectation held against one series. */
type Result = {
  readonly series: string | null;
  readonly breakdown: string | null;
  readonly expected: string;
  readonly found: string;
  readonly holds: boolean;
};

type Judged = {
  readonly results: readonly Result[];
  /** Days whose interval was not over when the figures were calculated, and which did not count. */
  readonly open: readonly string[];
};

/** Holds every expectation against every series. Throws `check` for an answer that has no figures to look at. */
function judgeAnswer(answer: Insight, input: JudgeInput): Judged {
  const name = describeInsight(answer);
  const age = readAge(answer, input);
  const chosen = chooseSeries(readSeries(answer, input), input, name);
  const results = input.expectations.flatMap((expectation) => {
    // Its age is that of the whole answer.
    const judged = isAboutAge(expectation) ? chosen.slice(0, 1).map(nameless) : chosen;
    return judged.map(({ label, breakdown, measured }) => ({
      series: label,
      breakdown,
      expected: expectation.text,
      ...judge(expectation, { ...measured, age }),
    }));
  });
  return { results, open: [...new Set(chosen.flatMap(({ open }) => open))] };
}

/** Seconds since the calculation. Throws `check` for one that failed, is dated in the future, or is not the new one. */
function readAge(answer: Insight, { now, refreshed }: JudgeInput): number | undefined {
  const name = describeInsight(answer);
  const state = readState(answer);
  if (state.failure !== undefined) throw failed(`the calculation of ${name} failed${state.failure}`);
  if (refreshed && state.running !== undefined && (answer.result ?? null) !== null)
    throw failed(`${name} is still being calculated, and its figures are older`, 'ask again later');
  const age = ageOf(state, now);
  if (age === 'future')
    throw failed(
      `the result of ${name} is dated in the future: ${answer.last_refresh}, by the service's own clock`,
    );
  return age === 'unknown' ? undefined : age / 1000;
}

function readSeries(answer: Insight, { now, unfinished, breakdown }: JudgeInput): readonly Series[] {
  const name = describeInsight(answer);
  const read = insightRows(answer);
  if (read.outcome === 'no-result') throw failed(`${name} has no result: ${read.message}`);
  if (read.outcome === 'unknown') throw failed(`the figures of ${name} cannot be read: ${read.message}`);
  const { figures } = read;
  const all = seriesOf(figures, { timeline: timelineOf(answer, {}, now), now, unfinished });
  if (all.length === 0) throw failed(`${name} has no figures: its result is empty`);
  const cut = cutOfFigures(answer, figures);
  // Each value of a breakdown is whole in itself.
  if (cut === undefined || (figures.kind !== 'sql' && breakdown !== undefined)) return all;
  return all.map((one) => ({ ...one, measured: { ...one.measured, cut } }));
}

function failed(message: string, hint = '--refresh calculates it anew'): CliError {
  return new CliError('check', message, { hint });
}

function isAboutAge({ left, right }: Expectation): boolean {
  return [...left.names, ...right.names].every(({ name }) => name === 'age');
}

function nameless(series: Series): Series {
  return { ...series, label: null, breakdown: null };
}

type SeriesChoice = { readonly series: string | undefined; readonly breakdown: string | undefined };

const MOST_NAMED = 10;

/** The series that were asked for. Throws `check` where there is none: what is not there cannot hold. */
function chooseSeries(all: readonly Series[], choice: SeriesChoice, insight: string): readonly Series[] {
  const { series, breakdown } = choice;
  const labelled = all.filter(({ label }) => series === undefined || isNamed(label, series));
  if (labelled.length === 0)
    throw absent(
      `${insight} has no series "${series}"`,
      all.map(({ label }) => label),
    );
  const exact = labelled.filter((one) => breakdown === undefined || one.breakdown === breakdown);
  if (exact.length > 0) return exact;
  const isBrokenDown = labelled.some((one) => one.breakdown !== null);
  const found = labelled.filter((one) => isBrokenDown && isNamed(one.breakdown ?? '', breakdown ?? ''));
  if (found.length > 0) return found;
  throw absent(
    `${insight} has no breakdown value "${breakdown}"`,
    labelled.map((one) => one.breakdown),
  );
}

/** Whether a name is meant, as the service spells it or as people see it. */
function isNamed(name: string | null, wanted: string): boolean {
  if (name === null) return false;
  return name === wanted || (name === '' ? NONE : plainWords(name)) === wanted;
}

function absent(message: string, names: readonly (string | null)[]): CliError {
  const present = [...new Set(names.filter((name) => name !== null).map(plainWords))];
  const more = present.length > MOST_NAMED ? ', ...' : '';
  const hint =
    present.length > 0 ? `there are ${present.slice(0, MOST_NAMED).join(', ')}${more}` : 'it has none';
  return new CliError('check', message, { hint });
}

type Given = {
  readonly expect: readonly string[] | undefined;
  readonly maxDrop: string | undefined;
  readonly maxAge: Duration | undefined;
  readonly maxLag: Duration | undefined;
};

/** Everything that is expected. Throws a usage error for nothing at all, and for what cannot be read. */
function readExpectations({ expect = [], maxDrop, maxAge, maxLag }: Given): readonly Expectation[] {
  const all = [
    ...expect.map(parseExpectation),
    ...(maxDrop === undefined ? [] : [dropExpectation(maxDrop)]),
    ...(maxAge === undefined ? [] : [timeExpectation('age', inMilliseconds(maxAge))]),
    ...(maxLag === undefined ? [] : [timeExpectation('lag', inMilliseconds(maxLag))]),
  ];
  if (all.length > 0) return all;
  throw usageError('nothing is expected', "give --expect 'last >= 100', --max-drop 20% or --max-age 24h");
}

const checkColumns: readonly Column[] = [
  { key: 'series' },
  { key: 'breakdown' },
  { key: 'expected' },
  { key: 'found' },
  { key: 'holds' },
];

/** Throws `check` with a sentence for each expectation that does not hold. */
function refuseFailed(results: readonly Result[], insight: string): void {
  const failed = results.filter(({ holds }) => !holds);
  if (failed.length === 0) return;
  const sentences = failed.map(sentence);
  const count = results.length === 1 ? '' : `${failed.length} of ${results.length} checks do not hold: `;
  throw new CliError('check', `${insight}: ${count}${sentences.join('; ')}`);
}

function sentence({ series, breakdown, expected, found }: Result): string {
  const who = [series, breakdown].filter((name) => name !== null).map((name) => `"${name}"`);
  const where = who.length > 0 ? ` for ${who.join(', ')}` : '';
  return `expected ${expected}${where}, but ${found}`;
}

/** The options of `insights check`. */
export const checkOptions = {
  expect: { type: 'repeated', placeholder: 'expectation', description: "What is to hold: 'last >= 100'" },
  maxDrop: {
    type: 'text',
    placeholder: 'percent',
    description: 'How much lower than the one before the last figure may be: 20%',
  },
  maxAge: { type: 'duration', description: 'How old the result may be: 30min, 24h' },
  maxLag: {
    type: 'duration',
    description: 'How long ago the interval of the newest figure may have ended: 2d',
  },
  unfinished: { type: 'flag', description: 'Count the interval that is not over, too' },
  series: { type: 'text', placeholder: 'label', description: 'Only the series with this label' },
  breakdown: { type: 'text', placeholder: 'value', description: 'Only this value of the breakdown' },
  ...variableOption,
} as const satisfies Options;

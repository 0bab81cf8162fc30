import type { Json, JsonObject } from '../json/kinds.ts';
import { largest } from '../json/numbers.ts';
import { dataText } from '../json/text.ts';
import { type Figures, field } from '../semantics/answer.ts';
import type { Series as FigureSeries } from '../semantics/figures/series.ts';
import { type IntervalState, MARK, markRemark } from '../semantics/timeline.ts';
import {
  type BoxParts,
  type BoxPlotChart,
  dayTexts,
  drawable,
  figureText,
  isRounded,
  type LifecycleChart,
  type RetentionCell,
  type RetentionChart,
  type Series,
  type SeriesChart,
} from './chart.ts';

const bars = new Set(['ActionsBar', 'ActionsUnstackedBar', 'ActionsStackedBar']);

export type Reading = {
  readonly series: readonly FigureSeries[];
  readonly display: string | undefined;
  readonly unicode: boolean;
};

export function readTrends({ kind }: Figures, { series, display }: Reading): SeriesChart {
  const style = kind === 'funnel-trends' ? { display: undefined, unit: '%' } : { display };
  return toSeriesChart(series, 'day', style);
}

/** Stickiness as bars: how many did it on 1, 2, 3 … intervals. */
export function readStickiness(_: Figures, { series }: Reading): SeriesChart {
  const chart = toSeriesChart(series, 'days', { display: 'ActionsBar' });
  const named = chart.series.map((one) => ({ ...one, days: one.days.map((day) => day && `on ${day}`) }));
  return { ...chart, series: named };
}

type Style = { readonly display: string | undefined; readonly unit?: string };

/** Any series over days or other steps. A single day is drawn as bars. */
function toSeriesChart(
  read: readonly FigureSeries[],
  day: string,
  { display, unit = '' }: Style,
): SeriesChart {
  const timings = read.map(({ figures }) => timingOf(figures.map(({ state }) => state)));
  const series = read.map(({ name, figures }, index) => ({
    name,
    days: dayTexts(figures.map(({ row }) => field(row, day) ?? null)),
    values: figures.map(({ written }) => written),
    unfinished: timings[index]?.unfinished ?? 0,
  }));
  const isCut = timings.some((one) => one.isCut);
  const style = bars.has(display ?? '') || stepsOf(series) === 1 ? 'bars' : 'lines';
  const unfinished = largest(series.map((one) => one.unfinished));
  const remarks = [
    intervalsRemark(longestDays(series), unfinished, isCut),
    display === 'ActionsAreaGraph' && series.length > 1 ? 'Drawn as lines that are not stacked.' : '',
  ];
  return { shape: 'series', series, style, unit, whole: true, remarks };
}

/** That the first or last intervals do not count whole, so that a rise or fall there is none. */
function intervalsRemark(days: readonly string[], unfinished: number, isCut: boolean): string {
  const first = days[days.length - unfinished];
  const open = unfinished === 1 ? `${first} is not over yet.` : `${first} and later are not over yet.`;
  return [isCut ? `The range begins within ${days[0]}.` : '', first === undefined ? '' : open]
    .join(' ')
    .trim();
}

/** How many values at the end belong to intervals that were not over when they were calculated, and whether the first is cut. */
function timingOf(states: readonly IntervalState[]) {
  const lastOver = states.findLastIndex((state) => state === 'over' || state === 'cut');
  return { unfinished: states.length - 1 - lastOver, isCut: states[0] === 'cut' };
}

export function stepsOf(series: readonly Series[]): number {
  return largest(
    series.map(({ values }) => values.length),
    0,
  );
}

export function longestDays(series: readonly Series[]): readonly string[] {
  return series
    .map(({ days }) => days)
    .reduce((left, right) => (right.length > left.length ? right : left), []);
}

const MOST_CATEGORIES = 40;

/** Lines over the one column of times, or bars over the one of categories, if all others are numbers. */
export function readSql({ rows, columns }: Figures, { series, display }: Reading): SeriesChart | undefined {
  if (rows.length < 2 || display === 'ActionsTable') return undefined;
  const isTimed = series[0]?.figures[0]?.span !== undefined;
  // A column of nothing but null is neither.
  const filled = columns.filter(({ key }) => rows.some((row) => (field(row, key) ?? null) !== null));
  const numbers = series.filter(({ figures }) =>
    figures.every(({ value, row, column }) => value !== null || (row[column] ?? null) === null),
  );
  const numeric = new Set(numbers.map(({ label }) => label));
  const [name, ...others] = filled.map(({ key }) => key).filter((key) => !numeric.has(key));
  if (name === undefined || others.length > 0 || numbers.length === 0) return undefined;
  const texts = rows.map((row) => dataText(field(row, name)));
  if (texts.includes(null) || new Set(texts).size !== texts.length) return undefined;
  if (!isTimed && rows.length * numbers.length > MOST_CATEGORIES) return undefined;
  const chart = toSeriesChart(numbers, name, { display: isTimed ? display : 'ActionsBar' });
  return { ...chart, whole: filled.length === columns.length };
}

/** For each cohort its size, and how much of it came back. The counts themselves are left to the table. */
export function readRetention({ columns }: Figures, { series }: Reading): RetentionChart | undefined {
  const [first, ...later] = columns
    .map(({ key }) => key)
    .filter((key) => !['breakdown_value', 'date', 'label'].includes(key));
  if (first === undefined) return undefined;
  const dates = dayTexts(series.map(({ label }) => label));
  const cohorts = series.map(({ figures, breakdowns }, index) => {
    const cell = (key: string) => figures.find((one) => one.column === key);
    const size = cell(first)?.written;
    return {
      name: [...breakdowns, dates[index] ?? ''].join(' '),
      size: `${figureText(size)}${markOf(cell(first))}`,
      cells: later.map((interval) => {
        const read = toCell(cell(interval)?.written, size);
        return read && { ...read, text: `${read.text}${markOf(cell(interval))}` };
      }),
    };
  });
  return {
    shape: 'retention',
    first,
    intervals: later.map((interval) => shortHead(interval, first)),
    cohorts,
    whole: false,
    remarks: [
      cohortsRemark(cohorts.flatMap(({ size, cells }) => [size, ...cells.map((cell) => cell?.text)])),
    ],
  };
}

function markOf(figure: { readonly state: IntervalState } | undefined): string {
  return figure === undefined || figure.state === 'over' ? '' : MARK;
}

function cohortsRemark(texts: readonly (string | undefined)[]): string {
  return texts.some((text) => text?.endsWith(MARK)) ? (markRemark(['open']) ?? '') : '';
}

/** `Day 1` beside `Day 0` is 1. */
function shortHead(interval: string, first: string): string {
  const [unit, number] = interval.split(' ');
  return number !== undefined && first.startsWith(`${unit} `) ? number : interval;
}

/** A share of 0 people is none; one that is not all or nothing is never rounded to it. */
function toCell(part: Json | undefined, whole: Json | undefined): RetentionCell | undefined {
  const [some, all] = [drawable(part), drawable(whole)];
  if (some === undefined || all === undefined) return undefined;
  if (all <= 0) return { share: undefined, text: '-' };
  return { share: some / all, text: shareText(some / all) };
}

function shareText(share: number): string {
  const percent = Math.round(share * 100);
  if (share > 0 && percent === 0) return '<1%';
  return share < 1 && percent === 100 ? '>99%' : `${percent}%`;
}

const ORDER = ['new', 'resurrecting', 'returning', 'dormant'];

const STATUS_LETTERS: Readonly<Record<string, string>> = {
  new: 'N',
  resurrecting: 'U',
  returning: 'R',
  dormant: 'D',
};

/** Lifecycle as stacked columns: who came above the axis, who stayed away below it. */
export function readLifecycle(_: Figures, { series }: Reading): LifecycleChart | undefined {
  // Several series with the same statuses would need several axes.
  if (
    series.some(
      ({ label }, index) =>
        !ORDER.includes(label ?? '') || series.findIndex((one) => one.label === label) !== index,
    )
  )
    return undefined;
  const shown = series.toSorted(
    (left, right) => ORDER.indexOf(left.label ?? '') - ORDER.indexOf(right.label ?? ''),
  );
  const steps = shown[0]?.figures ?? [];
  const days = dayTexts(steps.map(({ row }) => field(row, 'day')));
  const { unfinished, isCut } = timingOf(steps.map(({ state }) => state));
  return {
    shape: 'lifecycle',
    unfinished,
    statuses: shown.map(({ name }) => ({ name, letter: STATUS_LETTERS[name] ?? '?' })),
    days,
    values: steps.map((_, place) => shown.map(({ figures }) => drawable(figures[place]?.written) ?? 0)),
    whole: false,
    remarks: [intervalsRemark(days, unfinished, isCut)],
  };
}

const MOST_BOXES = 40;

const PARTS = ['min', 'p25', 'median', 'p75', 'max'] as const;

export function readBoxPlot({ rows }: Figures, { series }: Reading): BoxPlotChart | undefined {
  if (rows.length > MOST_BOXES) return undefined;
  const figures = series.flatMap((one) => one.figures);
  const days = dayTexts(figures.map(({ row }) => field(row, 'day')));
  const boxes = figures.map((figure, index) => ({
    label: `${[dataText(field(figure.row, 'series_label')), days[index]].filter(Boolean).join(' ')}${markOf(figure)}`,
    parts: partsOf(figure.row),
    values: PARTS.map((part) => drawable(field(figure.row, part)) ?? 0),
    median: figureText(figure.written),
  }));
  return {
    shape: 'box-plot',
    boxes,
    whole: false,
    remarks: [markRemark(figures.map(({ state }) => state)) ?? ''],
  };
}

function partsOf(row: JsonObject): BoxParts | undefined {
  const known = PARTS.map((part) => drawable(field(row, part))).filter((value) => value !== undefined);
  const [low = 0, from = 0, middle = 0, to = 0, high = 0] = known;
  return known.length === PARTS.length ? [low, from, middle, to, high] : undefined;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** As many series as can be told apart in one drawing. */
const MOST_SERIES = 12;

export function letterOf(index: number): string {
  return LETTERS[index] ?? '?';
}

/** Which series are drawn, as bars or as lines, and what is to be said of it; `mostBars` is what a drawing can hold. */
export function drawingOf({ series: all, style, remarks }: SeriesChart, mostBars: number) {
  const series = all.slice(0, MOST_SERIES);
  const isBars = style === 'bars' && series.length * stepsOf(series) <= mostBars;
  const isCut = isBars && series.some(({ values }) => values.some(isRounded));
  const said = [
    isCut ? 'Rounded to two decimals.' : '',
    ...remarks,
    series.length < all.length ? `The first ${series.length} of ${all.length} series.` : '',
    style === 'bars' && !isBars ? 'Drawn as lines, since there are too many bars.' : '',
  ];
  return { series, isBars, remarks: said.filter((remark) => remark !== '') };
}

/** What stands behind the name of a series of other days than the first one. */
export function ownRange({ days }: Series, [first]: readonly Series[]): string {
  const isOwn = days[0] !== first?.days[0] || days.at(-1) !== first?.days.at(-1);
  return isOwn ? ` (${days[0] ?? ''} to ${days.at(-1) ?? ''})` : '';
}

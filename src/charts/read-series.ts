import { type Column, isList, type Json, type JsonObject } from '../json/kinds.ts';
import { dataText } from '../json/text.ts';
import { type Figures, field, grouped, numberIn, pick } from '../semantics/answer.ts';
import { sqlIntervals } from '../semantics/figures/sql-intervals.ts';
import {
  type IntervalState,
  MARK,
  markRemark,
  stateOf,
  stateOfDay,
  type Timeline,
} from '../semantics/timeline.ts';
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
  readonly display: string | undefined;
  readonly unicode: boolean;
  readonly timeline: Timeline;
  /** The text of a query; empty for other answers. */
  readonly sql: string;
};

export function readTrends(figures: Figures, { display, timeline }: Reading): SeriesChart {
  return figures.kind === 'funnel-trends'
    ? toSeriesChart(seriesOf(figures, 'conversion_rate', timeline), { display: undefined, unit: '%' })
    : toSeriesChart(seriesOf(figures, 'value', timeline), { display });
}

/** Stickiness as bars: how many did it on 1, 2, 3 … intervals. */
export function readStickiness(figures: Figures, { timeline }: Reading): SeriesChart {
  const rows = figures.rows.map((row) => {
    const days = dataText(field(row, 'days'));
    return { ...row, day: days === null ? null : `on ${days}` };
  });
  return toSeriesChart(seriesOf({ ...figures, rows }, 'value', timeline), { display: 'ActionsBar' });
}

type Style = { readonly display: string | undefined; readonly unit?: string };

/** Any series over days or other steps. A single day is drawn as bars. */
function toSeriesChart(read: readonly TimedSeries[], { display, unit = '' }: Style): SeriesChart {
  const series = read.map(({ isCut: _, ...one }) => one);
  const isCut = read.some((one) => one.isCut);
  const style = bars.has(display ?? '') || stepsOf(series) === 1 ? 'bars' : 'lines';
  const unfinished = Math.max(...series.map((one) => one.unfinished));
  const remarks = [
    intervalsRemark(longestDays(series), unfinished, isCut),
    display === 'ActionsAreaGraph' && series.length > 1 ? 'Drawn as lines that are not stacked.' : '',
  ];
  return { shape: 'series', series, style, unit, whole: true, remarks };
}

/** A series, and whether the range covers only a part of its first interval. */
type TimedSeries = Series & { readonly isCut: boolean };

/** That the first or last intervals do not count whole, so that a rise or fall there is none. */
function intervalsRemark(days: readonly string[], unfinished: number, isCut: boolean): string {
  const first = days[days.length - unfinished];
  const open = unfinished === 1 ? `${first} is not over yet.` : `${first} and later are not over yet.`;
  return [isCut ? `The range begins within ${days[0]}.` : '', first === undefined ? '' : open]
    .join(' ')
    .trim();
}

/** How many values at the end belong to intervals that were not over when they were calculated, and whether the first is cut. */
function timingOf(states: readonly IntervalState[]): Pick<TimedSeries, 'unfinished' | 'isCut'> {
  const lastOver = states.findLastIndex((state) => state === 'over' || state === 'cut');
  return { unfinished: states.length - 1 - lastOver, isCut: states[0] === 'cut' };
}

export function stepsOf(series: readonly Series[]): number {
  return Math.max(0, ...series.map(({ values }) => values.length));
}

export function longestDays(series: readonly Series[]): readonly string[] {
  return series
    .map(({ days }) => days)
    .reduce((left, right) => (right.length > left.length ? right : left), []);
}

function seriesOf({ rows }: Figures, key: string, timeline: Timeline): readonly TimedSeries[] {
  const told = ['order', 'label', 'breakdown_value', 'compare_label'];
  return grouped(rows, (row) => JSON.stringify(pick(row, told))).map((group) => {
    const days = group.map((row) => field(row, 'day'));
    const values = group.map((row) => field(row, key));
    const states = days.map((day) => stateOfDay(day, timeline));
    return { name: nameOf(group[0]), days: dayTexts(days), values, ...timingOf(states) };
  });
}

/** The value of a breakdown, or one for each of several properties; none is left out. */
function breakdownOf(row: JsonObject | undefined): readonly string[] {
  const value = field(row, 'breakdown_value') ?? null;
  return (isList(value) ? value : [value]).flatMap((one) => dataText(one) ?? []);
}

/** Label, breakdown value and period, each once: labels often hold the breakdown value already. */
export function nameOf(row: JsonObject | undefined): string {
  const label = dataText(field(row, 'label')) ?? '';
  const breakdown = breakdownOf(row);
  const period = dataText(field(row, 'compare_label')) ?? '';
  const parts = [label, ...(breakdown.every((one) => label.includes(one)) ? [] : breakdown), period];
  return parts.filter((part) => part !== '').join(', ');
}

const MOST_CATEGORIES = 40;

/** Lines over the one column of times, or bars over the one of categories, if all others are numbers. */
export function readSql(
  { rows, columns }: Figures,
  { display, timeline, sql }: Reading,
): SeriesChart | undefined {
  if (rows.length < 2 || display === 'ActionsTable') return undefined;
  const intervals = sqlIntervals({ rows, columns }, sql, timeline);
  // A column of nothing but null is neither.
  const filled = columns.filter(({ key }) => rows.some((row) => (field(row, key) ?? null) !== null));
  const isFigure = (column: Column) =>
    column.key !== intervals?.key &&
    rows.every(
      (row) => (row[column.key] ?? null) === null || numberIn(row[column.key], column) !== undefined,
    );
  const numbers = filled.filter(isFigure);
  const [name, ...others] = filled.filter((column) => !numbers.includes(column)).map(({ key }) => key);
  if (name === undefined || others.length > 0 || numbers.length === 0) return undefined;
  const texts = rows.map((row) => dataText(field(row, name)));
  if (texts.includes(null) || new Set(texts).size !== texts.length) return undefined;
  if (intervals === undefined && rows.length * numbers.length > MOST_CATEGORIES) return undefined;
  // Lines need their times in order: the newest first would run backwards.
  const ordered =
    intervals === undefined
      ? rows
      : rows.toSorted((left, right) => intervals.startOf(left) - intervals.startOf(right));
  const states = ordered.map((row) =>
    intervals === undefined ? 'over' : stateOf(intervals.spanOf(row), intervals.timeline),
  );
  const days = dayTexts(ordered.map((row) => field(row, name) ?? null));
  const series = numbers.map((column) => ({
    name: column.key,
    days,
    values: ordered.map((row) => valueIn(row, column)),
    ...timingOf(states),
  }));
  const chart = toSeriesChart(series, { display: intervals === undefined ? 'ActionsBar' : display });
  return { ...chart, whole: filled.length === columns.length };
}

/** The value as it came, if that is a number; a text becomes one. */
function valueIn(row: JsonObject, column: Column): Json | undefined {
  const value = field(row, column.key);
  return typeof value === 'string' ? numberIn(value, column) : value;
}

/** For each cohort its size, and how much of it came back. The counts themselves are left to the table. */
export function readRetention({ rows, columns }: Figures, { timeline }: Reading): RetentionChart | undefined {
  const [first, ...later] = columns
    .map(({ key }) => key)
    .filter((key) => !['breakdown_value', 'date', 'label'].includes(key));
  if (first === undefined) return undefined;
  const names = namesOf(rows);
  const marks = rows.map((row) =>
    [first, ...later].map((_, place) => markOf(stateOfDay(field(row, 'date'), timeline, place))),
  );
  const cohorts = rows.map((row, index) => ({
    name: names[index] ?? '',
    size: `${figureText(field(row, first))}${marks[index]?.[0] ?? ''}`,
    cells: later.map((interval, place) => {
      const cell = toCell(field(row, interval), field(row, first));
      return cell && { ...cell, text: `${cell.text}${marks[index]?.[place + 1] ?? ''}` };
    }),
  }));
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

function markOf(state: IntervalState): string {
  return state === 'over' ? '' : MARK;
}

function cohortsRemark(texts: readonly (string | undefined)[]): string {
  return texts.some((text) => text?.endsWith(MARK)) ? (markRemark(['open']) ?? '') : '';
}

function namesOf(rows: readonly JsonObject[]): readonly string[] {
  const dates = dayTexts(rows.map((row) => field(row, 'date') ?? field(row, 'label')));
  return rows.map((row, index) => [...breakdownOf(row), dates[index] ?? ''].join(' '));
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
export function readLifecycle({ rows, columns }: Figures, { timeline }: Reading): LifecycleChart | undefined {
  const keys = columns.map(({ key }) => key).filter((key) => key !== 'day');
  // Several series with the same statuses would need several axes.
  if (!keys.every((key) => key in STATUS_LETTERS)) return undefined;
  const statuses = ORDER.filter((key) => keys.includes(key)).map((name) => ({
    name,
    letter: STATUS_LETTERS[name] ?? '?',
  }));
  const raw = rows.map((row) => field(row, 'day'));
  const days = dayTexts(raw);
  const { unfinished, isCut } = timingOf(raw.map((day) => stateOfDay(day, timeline)));
  return {
    shape: 'lifecycle',
    unfinished,
    statuses,
    days,
    values: rows.map((row) => statuses.map(({ name }) => drawable(field(row, name)) ?? 0)),
    whole: false,
    remarks: [intervalsRemark(days, unfinished, isCut)],
  };
}

const MOST_BOXES = 40;

const PARTS = ['min', 'p25', 'median', 'p75', 'max'] as const;

export function readBoxPlot({ rows }: Figures, { timeline }: Reading): BoxPlotChart | undefined {
  if (rows.length > MOST_BOXES) return undefined;
  const days = dayTexts(rows.map((row) => field(row, 'day')));
  const states = rows.map((row) => stateOfDay(field(row, 'day'), timeline));
  const boxes = rows.map((row, index) => ({
    label: `${[dataText(field(row, 'series_label')), days[index]].filter(Boolean).join(' ')}${markOf(states[index] ?? 'over')}`,
    parts: partsOf(row),
    values: PARTS.map((part) => drawable(field(row, part)) ?? 0),
    median: figureText(field(row, 'median')),
  }));
  return { shape: 'box-plot', boxes, whole: false, remarks: [markRemark(states) ?? ''] };
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

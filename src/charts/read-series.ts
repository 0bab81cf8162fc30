import { isList, type Json, type JsonObject } from '../json/kinds.ts';
import { dataText } from '../json/text.ts';
import { type Figures, field, numberOf } from '../service/answer.ts';
import { intervalOfDays, isOver, type Timeline } from '../service/calendar.ts';
import type { Series, SeriesChart } from './chart.ts';
import { dayTexts } from './figures.ts';

const bars = new Set(['ActionsBar', 'ActionsUnstackedBar', 'ActionsStackedBar']);

type Reading = { readonly display: string | undefined; readonly timeline: Timeline | undefined };

export function readTrends(figures: Figures, { display, timeline }: Reading): SeriesChart | undefined {
  return toSeriesChart(seriesOf(figures, 'value', timeline), { display });
}

export function readFunnelTrends(figures: Figures, { timeline }: Reading): SeriesChart | undefined {
  return toSeriesChart(seriesOf(figures, 'conversion_rate', timeline), { display: undefined, unit: '%' });
}

/** Stickiness as bars: how many did it on 1, 2, 3 … intervals. */
export function readStickiness(figures: Figures): SeriesChart | undefined {
  const rows = figures.rows.map((row) => {
    const days = dataText(field(row, 'days'));
    return { ...row, day: days === null ? null : `on ${days}` };
  });
  return toSeriesChart(seriesOf({ ...figures, rows }, 'value'), { display: 'ActionsBar' });
}

type Style = { readonly display: string | undefined; readonly unit?: string };

/** Any series over days or other steps. A single day is drawn as bars. */
function toSeriesChart(series: readonly Series[], { display, unit = '' }: Style): SeriesChart | undefined {
  const steps = stepsOf(series);
  if (steps === 0) return undefined;
  const area = display === 'ActionsAreaGraph' ? 'area' : 'lines';
  const style = bars.has(display ?? '') || steps === 1 ? 'bars' : area;
  const unfinished = Math.max(...series.map((one) => one.unfinished));
  const remarks = openRemarks(longestDays(series), unfinished);
  return { shape: 'series', series, style, unit, whole: true, remarks };
}

/** That the last intervals were not over when they were calculated, so that a fall there is none. */
export function openRemarks(days: readonly string[], unfinished: number): readonly string[] {
  const first = days[days.length - unfinished];
  if (unfinished === 0 || first === undefined) return [];
  return [unfinished === 1 ? `${first} is not over yet.` : `${first} and later are not over yet.`];
}

/** How many values at the end of a series belong to intervals that were not over when they were calculated. */
export function unfinishedOf(days: readonly (Json | undefined)[], timeline: Timeline | undefined): number {
  if (timeline === undefined) return 0;
  const lastOver = days.findLastIndex((day) => isOver(day, timeline));
  return days.length - 1 - lastOver;
}

/** How many steps the longest series has. */
export function stepsOf(series: readonly Series[]): number {
  return Math.max(0, ...series.map(({ values }) => values.length));
}

/** The days of whichever series goes on longest. */
export function longestDays(series: readonly Series[]): readonly string[] {
  return series
    .map(({ days }) => days)
    .reduce((left, right) => (right.length > left.length ? right : left), []);
}

/** The rows of a trend or a funnel's trend as series, in their order. */
function seriesOf({ rows }: Figures, key: string, timeline?: Timeline): readonly Series[] {
  const groups = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const name = JSON.stringify(
      ['order', 'label', 'breakdown_value', 'compare_label'].map((each): Json => field(row, each) ?? null),
    );
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((group) => ({
    name: nameOf(group[0]),
    days: dayTexts(group.map((row) => field(row, 'day'))),
    values: group.map((row) => field(row, key)),
    unfinished: unfinishedOf(
      group.map((row) => field(row, 'day')),
      timeline,
    ),
  }));
}

/** The value of a breakdown, or one for each of several properties; none is left out. */
export function breakdownOf(row: JsonObject | undefined): readonly string[] {
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

const time = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?$/;

/**
 * SQL as lines over its one column of times, or bars over its one column of categories, where all other columns are
 * numbers. Anything else is a table.
 */
export function readSql({ rows, columns }: Figures, { display, timeline }: Reading): SeriesChart | undefined {
  if (rows.length < 2 || display === 'ActionsTable') return undefined;
  // A column of nothing but null is neither.
  const keys = columns
    .map(({ key }) => key)
    .filter((key) => rows.some((row) => (field(row, key) ?? null) !== null));
  const numbers = keys.filter((key) => rows.every((row) => isFigure(field(row, key))));
  const names = keys.filter((key) => !numbers.includes(key));
  const [name] = names;
  if (name === undefined || names.length !== 1 || numbers.length === 0) return undefined;
  const texts = rows.map((row) => dataText(field(row, name)));
  if (texts.includes(null) || new Set(texts).size !== texts.length) return undefined;
  const overTime = texts.every((text) => time.test(text ?? ''));
  if (!overTime && rows.length * numbers.length > MOST_CATEGORIES) return undefined;
  // Lines need their times in order: the newest first would run backwards.
  const ordered = overTime
    ? rows.toSorted((left, right) => order(field(left, name), field(right, name)))
    : rows;
  const days = dayTexts(ordered.map((row) => field(row, name)));
  const unfinished = overTime
    ? unfinishedOfSql(
        ordered.map((row) => field(row, name) ?? null),
        timeline,
      )
    : 0;
  const series = numbers.map((key) => ({
    name: key,
    days,
    values: ordered.map((row) => field(row, key)),
    unfinished,
  }));
  const chart = toSeriesChart(series, { display: overTime ? display : 'ActionsBar' });
  return chart && { ...chart, whole: keys.length === columns.length };
}

function unfinishedOfSql(days: readonly Json[], timeline: Timeline | undefined): number {
  if (timeline === undefined) return 0;
  const interval = intervalOfDays(days, timeline);
  return interval === undefined ? 0 : unfinishedOf(days, { ...timeline, interval });
}

function isFigure(value: Json | undefined): boolean {
  return value === null || value === undefined || numberOf(value) !== undefined;
}

function order(left: Json | undefined, right: Json | undefined): number {
  return (dataText(left) ?? '') < (dataText(right) ?? '') ? -1 : 1;
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
  const said = [
    ...remarks,
    series.length < all.length ? `The first ${series.length} of ${all.length} series.` : '',
    style === 'bars' && !isBars ? 'Drawn as lines, since there are too many bars.' : '',
    style === 'area' && series.length > 1 ? 'Drawn as lines that are not stacked.' : '',
  ];
  return { series, isBars, remarks: said.filter((remark) => remark !== '') };
}

/** What stands behind the name of a series of other days than the first one. */
export function ownRange({ days }: Series, [first]: readonly Series[]): string {
  const isOwn = days[0] !== first?.days[0] || days.at(-1) !== first?.days.at(-1);
  return isOwn ? ` (${days[0] ?? ''} to ${days.at(-1) ?? ''})` : '';
}

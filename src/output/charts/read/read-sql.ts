import type { Json } from '../../../json/kinds.ts';
import { dataText } from '../../cell-text.ts';
import type { Figures } from '../../insights/answer.ts';
import { field, numberOf } from '../../insights/read.ts';
import type { SeriesChart } from '../chart.ts';
import { dayTexts } from '../figure-text.ts';
import { toSeriesChart } from './read-series.ts';

const MOST_CATEGORIES = 40;
const time = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?$/;

/**
 * SQL as lines over its one column of times, or bars over its one column of categories, where all other columns are
 * numbers. Anything else is a table.
 */
export function readSql({ rows, columns }: Figures, display: string | undefined): SeriesChart | undefined {
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
  const series = numbers.map((key) => ({ name: key, days, values: ordered.map((row) => field(row, key)) }));
  const chart = toSeriesChart(series, { display: overTime ? display : 'ActionsBar' });
  return chart && { ...chart, whole: keys.length === columns.length };
}

function isFigure(value: Json | undefined): boolean {
  return value === null || value === undefined || numberOf(value) !== undefined;
}

function order(left: Json | undefined, right: Json | undefined): number {
  return (dataText(left) ?? '') < (dataText(right) ?? '') ? -1 : 1;
}

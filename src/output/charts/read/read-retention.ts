import type { Json, JsonObject } from '../../../json/kinds.ts';
import { dataText } from '../../cell-text.ts';
import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { RetentionCell, RetentionChart } from '../chart.ts';
import { dayTexts, drawable, figureText } from '../figure-text.ts';

/** For each cohort its size, and how much of it came back. The counts themselves are left to the table. */
export function readRetention({ rows, columns }: Figures): RetentionChart | undefined {
  const [first, ...later] = columns
    .map(({ key }) => key)
    .filter((key) => !['breakdown_value', 'date', 'label'].includes(key));
  if (rows.length === 0 || first === undefined) return undefined;
  const names = namesOf(rows);
  return {
    shape: 'retention',
    first,
    intervals: later.map((interval) => shortHead(interval, first)),
    cohorts: rows.map((row, index) => ({
      name: names[index] ?? '',
      size: figureText(field(row, first)),
      cells: later.map((interval) => toCell(field(row, interval), field(row, first))),
    })),
    whole: false,
    remarks: [],
  };
}

function namesOf(rows: readonly JsonObject[]): readonly string[] {
  const dates = dayTexts(rows.map((row) => field(row, 'date') ?? field(row, 'label')));
  return rows.map((row, index) => {
    const breakdown = dataText(field(row, 'breakdown_value'));
    return `${breakdown === null ? '' : `${breakdown} `}${dates[index] ?? ''}`;
  });
}

/** `Day 1` beside `Day 0` is 1. */
function shortHead(interval: string, first: string): string {
  const [unit, number] = interval.split(' ');
  return number !== undefined && first.startsWith(`${unit} `) ? number : interval;
}

/** A share of nobody is none; one that is not all or nothing is never rounded to it. */
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

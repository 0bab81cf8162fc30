import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { LifecycleChart } from '../chart.ts';
import { dayTexts, drawable } from '../figure-text.ts';

const ORDER = ['new', 'resurrecting', 'returning', 'dormant'];
const LETTERS: Readonly<Record<string, string>> = {
  new: 'N',
  resurrecting: 'U',
  returning: 'R',
  dormant: 'D',
};

/** Lifecycle as stacked columns: who came above the axis, who stayed away below it. */
export function readLifecycle({ rows, columns }: Figures): LifecycleChart | undefined {
  const keys = columns.map(({ key }) => key).filter((key) => key !== 'day');
  // Several series with the same statuses would need several axes.
  if (rows.length === 0 || !keys.every((key) => key in LETTERS)) return undefined;
  const statuses = ORDER.filter((key) => keys.includes(key)).map((name) => ({
    name,
    letter: LETTERS[name] ?? '?',
  }));
  return {
    shape: 'lifecycle',
    statuses,
    days: dayTexts(rows.map((row) => field(row, 'day'))),
    values: rows.map((row) => statuses.map(({ name }) => drawable(field(row, name)) ?? 0)),
    whole: false,
    remarks: [],
  };
}

import type { Json, JsonObject } from '../../api/json.ts';
import { dataText } from '../cell-text.ts';
import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { dayTexts } from './figure-text.ts';

/** One line of a chart; `days` are its own, since a previous period has others. */
export type Series = {
  readonly name: string;
  readonly days: readonly string[];
  readonly values: readonly (Json | undefined)[];
};

/** The rows of a trend or a funnel's trend as series, in their order. */
export function seriesOf({ rows }: Figures, key: string): readonly Series[] {
  const groups = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const name = JSON.stringify(
      ['order', 'label', 'breakdown_value', 'compare_label'].map((each) => field(row, each) ?? null),
    );
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((group) => ({
    name: nameOf(group[0]),
    days: dayTexts(group.map((row) => field(row, 'day'))),
    values: group.map((row) => field(row, key)),
  }));
}

/** Label, breakdown value and period, each once: labels often hold the breakdown value already. */
export function nameOf(row: JsonObject | undefined): string {
  const label = dataText(field(row, 'label')) ?? '';
  const breakdown = dataText(field(row, 'breakdown_value')) ?? '';
  const period = dataText(field(row, 'compare_label')) ?? '';
  const parts = [label, label.includes(breakdown) ? '' : breakdown, period];
  return parts.filter((part) => part !== '').join(', ');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** As many series as can be told apart in one drawing. */
export const MOST_SERIES = 12;

export function letterOf(index: number): string {
  return LETTERS[index] ?? '?';
}

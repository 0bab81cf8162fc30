import type { Json } from '../../json/kinds.ts';
import type { Chart } from '../charts/chart.ts';
import { dayTexts } from '../charts/figure-text.ts';
import type { Asked } from '../insight-rows.ts';
import { field, textField } from '../insights/read.ts';

const UNITS: Readonly<Record<string, string>> = {
  h: 'hours',
  d: 'days',
  w: 'weeks',
  m: 'months',
  q: 'quarters',
  y: 'years',
};

type Source = { readonly answer: Json; readonly asked?: Asked | undefined };

/** The time a chart is about: its own days, else the range the service tells, else the one that was asked for. */
export function periodOf(chart: Chart, { answer, asked }: Source): string | undefined {
  const own = rangeText(...daysOf(chart));
  if (own !== undefined) return own;
  const told = field(answer, 'resolved_date_range');
  if (textField(told, 'date_from') !== undefined) return askedText(told);
  const query = asked?.query ?? field(answer, 'query');
  const source = field(query, 'source') ?? query;
  return askedText(field(source, 'dateRange')) ?? askedText(asked?.filters ?? field(answer, 'filters'));
}

function daysOf(chart: Chart): readonly [string | undefined, string | undefined] {
  const own = stepsOf(chart);
  const dates = own.filter((day) => /^\d{4}-\d{2}(-\d{2})?( \d{2}:\d{2})?$/.test(day));
  return dates.length === own.length ? [dates[0], dates.at(-1)] : [undefined, undefined];
}

/** What a chart goes along, if that may be days. */
function stepsOf(chart: Chart): readonly string[] {
  switch (chart.shape) {
    case 'series':
      return chart.series[0]?.days ?? [];
    case 'lifecycle':
      return chart.days;
    case 'retention':
      return chart.cohorts.map(({ name }) => name);
    case 'box-plot':
      return chart.boxes.map(({ label }) => label);
    default:
      return [];
  }
}

function askedText(range: Json | undefined): string | undefined {
  const [from, to] = [textField(range, 'date_from'), textField(range, 'date_to')];
  const last = /^-(\d+)([hdwmqy])$/.exec(from ?? '');
  if (last !== null && to === undefined) return `Last ${last[1]} ${UNITS[last[2] ?? ''] ?? ''}`;
  const [first, end] = dayTexts([from ?? null, to ?? null]);
  return rangeText(first || undefined, end || undefined);
}

function rangeText(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined) return to === undefined ? undefined : `Until ${to}`;
  if (to === undefined) return `From ${from}`;
  return from === to ? from : `${from} to ${to}`;
}

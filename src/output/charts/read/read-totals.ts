import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { BarsChart, LabelledBar, NumberChart } from '../chart.ts';
import { drawable, figureText, isRounded } from '../figure-text.ts';
import { nameOf } from './read-series.ts';

const MOST_BARS = 50;
const ranked = new Set(['WorldMap', 'ActionsPie', 'ActionsDonut']);
const shared = new Set(['ActionsPie', 'ActionsDonut']);

/** One figure a series: a large number, or bars, the largest first for maps and pies, with shares for pies. */
export function readTotals(
  { rows }: Figures,
  display: string | undefined,
): BarsChart | NumberChart | undefined {
  if (rows.length === 0) return undefined;
  const totals = rows.map((row) => ({ name: nameOf(row), figure: field(row, 'aggregated_value') }));
  const values = totals.map(({ figure }) => drawable(figure) ?? 0);
  const rounded = totals.some(({ figure }) => isRounded(figure)) ? ['Rounded to two decimals.'] : [];
  if (display === 'BoldNumber' && rows.length <= 2) {
    const texts = totals.map(({ name, figure }) => ({ name, text: figureText(figure) }));
    return { shape: 'number', totals: texts, whole: true, remarks: rounded };
  }
  const sum = values.reduce((left, right) => left + right, 0);
  const shares = shared.has(display ?? '') && sum > 0 && values.every((value) => value >= 0);
  const bars = totals.map(({ name, figure }): LabelledBar => {
    const value = drawable(figure);
    const share = shares && value !== undefined ? ` (${figureText((value / sum) * 100)}%)` : '';
    return { label: name, value, text: `${figureText(figure)}${share}` };
  });
  const inOrder = ranked.has(display ?? '') ? largestFirst(bars) : bars;
  const shown = inOrder.slice(0, MOST_BARS);
  const whole = shown.length === bars.length;
  const remarks = [
    ...(whole ? [] : [`${shown.length} of ${bars.length}.`]),
    ...(shares ? [`Shares of ${figureText(sum)}, rounded to two decimals.`] : []),
    ...rounded,
  ];
  return { shape: 'bars', bars: shown, whole, remarks };
}

export function largestFirst(bars: readonly LabelledBar[]): readonly LabelledBar[] {
  return bars.toSorted((left, right) => (right.value ?? -Infinity) - (left.value ?? -Infinity));
}

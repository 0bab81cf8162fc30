import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { type Bar, barLines } from './bar-lines.ts';
import { bigNumber } from './big-number.ts';
import { drawable, figureText, isRounded } from './figure-text.ts';
import { type Canvas, caption, type Line, type Picture } from './picture.ts';
import { nameOf } from './series.ts';

const MOST_BARS = 50;
const ranked = new Set(['WorldMap', 'ActionsPie', 'ActionsDonut']);
const shared = new Set(['ActionsPie', 'ActionsDonut']);

/** One figure a series: a large number, or bars, the largest first for maps and pies, with shares for pies. */
export function drawTotals(
  { rows }: Figures,
  canvas: Canvas,
  display: string | undefined,
): Picture | undefined {
  if (rows.length === 0) return undefined;
  const totals = rows.map((row) => ({ name: nameOf(row), figure: field(row, 'aggregated_value') }));
  const values = totals.map(({ figure }) => drawable(figure) ?? 0);
  const rounded = totals.some(({ figure }) => isRounded(figure))
    ? caption('Rounded to two decimals.', canvas)
    : [];
  if (display === 'BoldNumber' && rows.length <= 2) {
    const lines = totals.flatMap(({ name, figure }, index): readonly Line[] =>
      index === 0
        ? bigNumber(figureText(figure), name, canvas)
        : [[{ text: `${name}: ${figureText(figure)}` }]],
    );
    return { lines: [...lines, ...rounded], complete: true };
  }
  const sum = values.reduce((left, right) => left + right, 0);
  const shares = shared.has(display ?? '') && sum > 0 && values.every((value) => value >= 0);
  const bars = totals.map(({ name, figure }): Bar => {
    const value = drawable(figure);
    const share = shares && value !== undefined ? ` (${figureText((value / sum) * 100)}%)` : '';
    return { label: name, value, text: `${figureText(figure)}${share}`, tone: 0 };
  });
  const inOrder = ranked.has(display ?? '')
    ? bars.toSorted((left, right) => (right.value ?? -Infinity) - (left.value ?? -Infinity))
    : bars;
  const shown = inOrder.slice(0, MOST_BARS);
  const cut = shown.length < bars.length ? caption(`${shown.length} of ${bars.length}.`, canvas) : [];
  const sums = shares ? caption(`Shares of ${figureText(sum)}, rounded to two decimals.`, canvas) : [];
  return {
    lines: [...barLines(shown, canvas), ...cut, ...sums, ...rounded],
    complete: shown.length === bars.length,
  };
}

import type { JsonObject } from '../../api/json.ts';
import { dataText } from '../cell-text.ts';
import { displayWidth, padding } from '../fit-text.ts';
import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { dayTexts, drawable, figureText } from './figure-text.ts';
import { niceScale, tickText } from './nice-scale.ts';
import { type Canvas, caption, clean, type Line, type Picture } from './picture.ts';

const MOST_BOXES = 40;
const PARTS = ['min', 'p25', 'median', 'p75', 'max'] as const;

/** Box plots on their side, one a day, on one scale that starts at zero. */
export function drawBoxPlot({ rows }: Figures, canvas: Canvas): Picture | undefined {
  if (rows.length === 0 || rows.length > MOST_BOXES) return undefined;
  const days = dayTexts(rows.map((row) => field(row, 'day')));
  const labels = rows.map((row, index) =>
    clean([dataText(field(row, 'series_label')), days[index]].filter(Boolean).join(' '), 20, canvas),
  );
  const medians = rows.map((row) => figureText(field(row, 'median')));
  const values = rows.flatMap((row) => PARTS.map((part) => drawable(field(row, part)) ?? 0));
  const scale = niceScale(values, 4);
  const label = Math.max(...labels.map(displayWidth)) + 1;
  const room = canvas.width - label - 1 - Math.max(...medians.map(displayWidth));
  const cellOf = (value: number) =>
    Math.round(((value / scale.step - scale.first) / (scale.last - scale.first)) * (room - 1));
  const lines = rows.map((row, index): Line => {
    const text = labels[index] ?? '';
    return [
      { text: text + padding(text, label) },
      { text: box(row, { room, cellOf, canvas }), tone: 0 },
      { text: ` ${medians[index] ?? ''}` },
    ];
  });
  const [low, high] = [tickText(scale, scale.first), tickText(scale, scale.last)];
  const axis = `${' '.repeat(label)}${low}${' '.repeat(Math.max(1, room - low.length - high.length))}${high}`;
  const [fill, median, left, right] = signs(canvas);
  const remark = `${left} least and ${right} largest, ${fill} the middle half, ${median} the median, whose figure stands on the right.`;
  return { lines: [...lines, [{ text: axis, tone: 'faint' }], ...caption(remark, canvas)], complete: false };
}

type Box = { readonly room: number; readonly cellOf: (value: number) => number; readonly canvas: Canvas };

/** Nothing is drawn where one of the five figures is missing. */
function box(row: JsonObject, { room, cellOf, canvas }: Box): string {
  const cells = Array.from({ length: room }, () => ' ');
  const [low, from, middle, to, high] = PARTS.map((part) => drawable(field(row, part)));
  if (
    low === undefined ||
    from === undefined ||
    middle === undefined ||
    to === undefined ||
    high === undefined
  ) {
    return cells.join('');
  }
  const [fill, median, left, right, line] = signs(canvas);
  cells.fill(line, cellOf(low), cellOf(high) + 1);
  cells.fill(fill, cellOf(from), cellOf(to) + 1);
  cells[cellOf(low)] = left;
  cells[cellOf(high)] = right;
  cells[cellOf(middle)] = median;
  return cells.join('');
}

function signs({ unicode }: Canvas): readonly [string, string, string, string, string] {
  return unicode ? ['▒', '┃', '├', '┤', '─'] : ['=', 'M', '[', ']', '-'];
}

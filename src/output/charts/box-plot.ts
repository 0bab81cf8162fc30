import { displayWidth, padding } from '../fit-text.ts';
import type { BoxParts, BoxPlotChart } from './chart.ts';
import { niceScale, tickText } from './nice-scale.ts';
import { type Canvas, caption, clean, type Line, type Picture } from './picture.ts';

/** Box plots on their side, one a day, on one scale that starts at zero. */
export function drawBoxPlot({ boxes }: BoxPlotChart, canvas: Canvas): Picture {
  const labels = boxes.map((one) => clean(one.label, 20, canvas));
  const medians = boxes.map(({ median }) => median);
  const values = boxes.flatMap((one) => one.values);
  const scale = niceScale(values, 4);
  const label = Math.max(...labels.map(displayWidth)) + 1;
  const room = canvas.width - label - 1 - Math.max(...medians.map(displayWidth));
  const cellOf = (value: number) =>
    Math.round(((value / scale.step - scale.first) / (scale.last - scale.first)) * (room - 1));
  const lines = boxes.map(({ parts }, index): Line => {
    const text = labels[index] ?? '';
    return [
      { text: text + padding(text, label) },
      { text: box(parts, { room, cellOf, canvas }), tone: 0 },
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
function box(parts: BoxParts | undefined, { room, cellOf, canvas }: Box): string {
  const cells = Array.from({ length: room }, () => ' ');
  if (parts === undefined) return cells.join('');
  const [low, from, middle, to, high] = parts;
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

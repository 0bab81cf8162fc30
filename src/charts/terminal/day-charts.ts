import { largest } from '../../json/numbers.ts';
import { displayWidth, padding } from '../../system/text.ts';
import {
  type BoxParts,
  type BoxPlotChart,
  type LifecycleChart,
  niceScale,
  type RetentionCell,
  type RetentionChart,
  tickText,
} from '../chart.ts';
import { type Canvas, clean, type Drawing, type Line, type Span } from './canvas.ts';
import { framedLines, gutterOf } from './plot-lines.ts';

/** A blank, a shade and `100%`. */
const CELL = 6;

/** The triangle of retention, shaded by quarters. Intervals that do not fit stand in a second block below. */
export function drawRetention(chart: RetentionChart, canvas: Canvas): Drawing {
  const { first, intervals, cohorts, remarks: said } = chart;
  // The mark of what is not over wants room.
  const wide = said.length > 0 ? CELL + 1 : CELL;
  const names = cohorts.map((cohort) => clean(cohort.name, 20, canvas));
  const sizes = cohorts.map((cohort) => clean(cohort.size, 10, canvas));
  const heading = clean(first, 10, canvas);
  const [name, size] = [widest(names), widest([heading, ...sizes])];
  const most = Math.max(1, Math.floor((canvas.width - name - size - 1) / wide));
  const lines: Line[] = [];
  for (let from = 0; from === 0 || from < intervals.length; from += most) {
    const block = intervals.slice(from, from + most);
    if (from > 0) lines.push([]);
    const heads = block.map((interval) => right(clean(interval, wide - 1, canvas), wide)).join('');
    lines.push([{ text: `${' '.repeat(name + 1)}${right(heading, size)}${heads}`, tone: 'faint' }]);
    for (const [index, cohort] of cohorts.entries()) {
      const cells = block.flatMap((_, place) => cellSpans(cohort.cells[from + place], wide, canvas));
      if (from > 0 && cells.every(({ text }) => text.trim() === '')) continue;
      const text = names[index] ?? '';
      lines.push([{ text: `${text}${padding(text, name)} ${right(sizes[index] ?? '', size)}` }, ...cells]);
    }
  }
  return { lines, below: [[shadeLegend(canvas), ...said].join(' ')], complete: false };
}

function widest(texts: readonly string[]): number {
  return largest(texts.map(displayWidth));
}

function right(text: string, width: number): string {
  return padding(text, width) + text;
}

function cellSpans(cell: RetentionCell | undefined, wide: number, canvas: Canvas): readonly Span[] {
  if (cell === undefined) return [{ text: ' '.repeat(wide) }];
  const { share, text } = cell;
  if (share === undefined) return [{ text: right(text, wide), tone: 'faint' }];
  const mark = share <= 0 ? ' ' : (shades(canvas)[Math.min(3, Math.ceil(share * 4) - 1)] ?? ' ');
  return [{ text: `${' '.repeat(Math.max(1, wide - 1 - text.length))}` }, { text: mark, tone: 0 }, { text }];
}

function shades({ unicode }: Canvas): readonly string[] {
  return unicode ? ['░', '▒', '▓', '█'] : ['.', ':', '+', '#'];
}

function shadeLegend(canvas: Canvas): string {
  const [one, two, three, four] = shades(canvas);
  return `Shares of the first column, rounded: ${one} up to 25%, ${two} 50%, ${three} 75%, ${four} 100%. A - has no share, since its first column is 0. A blank is not known yet.`;
}

type Status = { readonly name: string; readonly letter: string; readonly tone: number };

type Stack = { readonly up: readonly Status[]; readonly down: readonly Status[] };

/** A single day would fill the whole line otherwise. */
const WIDEST_COLUMN = 16;

/** Lifecycle as stacked columns filled with letters: who came above the axis, who stayed away below it. */
export function drawLifecycle(chart: LifecycleChart, canvas: Canvas): Drawing {
  const statuses = chart.statuses.map((status, tone): Status => ({ ...status, tone }));
  const reserved = 8;
  const most = Math.floor((canvas.width - reserved) / 2);
  const values = chart.values.slice(-most);
  const sums = values.flatMap((day) => [sumOf(day, 1), sumOf(day, -1)]);
  const scale = niceScale(sums, 18);
  const stacks = values.map((day) => stack(day, { statuses, step: scale.step }));
  // An edge that was rounded down leaves the outermost row empty.
  const top = largest(stacks.map(({ up }) => up.length));
  const bottom = largest(stacks.map(({ down }) => down.length));
  const ticks = Array.from({ length: top + bottom + 1 }, (_, row) => tickText(scale, row - bottom));
  const wide = Math.min(WIDEST_COLUMN, Math.floor((canvas.width - gutterOf(ticks)) / values.length));
  const spans = (row: number, empty: string): readonly Span[] => {
    if (row === bottom) return [{ text: empty.repeat(wide * stacks.length), tone: 'faint' }];
    return stacks.map(({ up, down }) => {
      const status = row > bottom ? up[row - bottom - 1] : down[bottom - row - 1];
      const fill = wide > 1 ? wide - 1 : 1;
      return { text: (status?.letter ?? ' ').repeat(fill).padEnd(wide), tone: status?.tone };
    });
  };
  const frame = {
    ticks,
    zero: bottom,
    spans,
    days: chart.days.slice(-most),
    at: (index: number) => index * wide,
    wide,
  };
  const said = [
    `Rounded to rows of ${tickText(scale, 1)}; a small letter is less than that.`,
    ...(values.length < chart.values.length ? [`The last ${values.length} of ${chart.values.length}.`] : []),
    ...chart.remarks,
  ];
  return {
    lines: [...legend(statuses, canvas), ...framedLines(frame, canvas)],
    below: said,
    complete: false,
  };
}

function sumOf(day: readonly number[], sign: number): number {
  return day.filter((value) => value * sign > 0).reduce((left, right) => left + right, 0);
}

type Stacking = { readonly statuses: readonly Status[]; readonly step: number };

/**
 * The rows each status takes, from the axis outwards. The edges are rounded, so the height of the whole is true; those
 * that are there and fill no row stand outside of it, in small letters.
 */
function stack(day: readonly number[], { statuses, step }: Stacking): Stack {
  const side = (sign: number): readonly Status[] => {
    let sum = 0;
    let full = 0;
    const small: Status[] = [];
    const rows = statuses.flatMap((status, index) => {
      const value = (day[index] ?? 0) * sign;
      if (value <= 0) return [];
      sum += value;
      const edge = Math.round(sum / step);
      const count = edge - full;
      full = edge;
      if (count === 0) small.push({ ...status, letter: status.letter.toLowerCase() });
      return Array.from({ length: count }, () => status);
    });
    return [...rows, ...small];
  };
  return { up: side(1), down: side(-1) };
}

function legend(statuses: readonly Status[], { width }: Canvas): readonly Line[] {
  const spans = statuses.flatMap(({ name, letter, tone }): readonly Span[] => [
    { text: letter, tone },
    { text: ` ${name}  ` },
  ]);
  const wide = displayWidth(spans.map(({ text }) => text).join(''));
  const half = wide > width ? 4 : spans.length;
  return [spans.slice(0, half), spans.slice(half)].filter((line) => line.length > 0);
}

/** Box plots on their side, one a day, on one scale that starts at zero. */
export function drawBoxPlot({ boxes, remarks: said }: BoxPlotChart, canvas: Canvas): Drawing {
  const labels = boxes.map((one) => clean(one.label, 20, canvas));
  const medians = boxes.map(({ median }) => median);
  const values = boxes.flatMap((one) => one.values);
  const scale = niceScale(values, 4);
  const label = largest(labels.map(displayWidth)) + 1;
  const room = canvas.width - label - 1 - largest(medians.map(displayWidth));
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
  const legend = `${left} minimum, ${right} maximum, ${fill} the middle half, ${median} the median, which is written on the right.`;
  const below = [[legend, ...said].join(' ')];
  return { lines: [...lines, [{ text: axis, tone: 'faint' }]], below, complete: false };
}

type Box = { readonly room: number; readonly cellOf: (value: number) => number; readonly canvas: Canvas };

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

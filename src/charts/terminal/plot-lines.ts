import { largest } from '../../json/numbers.ts';
import { displayWidth, padding } from '../../system/text.ts';
import { drawable, niceScale, type Series, tickText } from '../chart.ts';
import { letterOf, ownRange } from '../read-series.ts';
import { type Canvas, caption, clean, type Line, type Span, type Tone } from './canvas.ts';

type Plot = {
  readonly grid: PlotGrid;
  readonly columns: number;
  readonly length: number;
  readonly yOf: (value: number) => number;
};

/** Lines from zero, with ticks at true places. A gap breaks the line. */
export function plotLines(series: readonly Series[], canvas: Canvas, unit: string): readonly Line[] {
  const values = series.map((one) => one.values.map(drawable));
  const known = values.flat().filter((value) => value !== undefined);
  const scale = niceScale(known, 5);
  const between = scale.last - scale.first > 3 ? 2 : 3;
  const rows = (scale.last - scale.first) * between + 1;
  const ticks = Array.from({ length: rows }, (_, row) =>
    row % between === 0 ? `${tickText(scale, scale.first + row / between)}${unit}` : '',
  );
  const gutter = gutterOf(ticks);
  const columns = canvas.width - gutter;
  const length = largest(
    series.map((one) => one.values.length),
    1,
  );
  const grid = createPlotGrid({ columns, rows }, canvas);
  const yOf = (value: number) => (value / scale.step - scale.first) * between + 0.5;
  const plot: Plot = { grid, columns, length, yOf };
  for (const [index, points] of values.entries()) {
    const open = points.length - (series[index]?.unfinished ?? 0);
    drawSeries(points, { tone: series.length > 1 ? index : undefined, open }, plot);
  }
  const collided = drawMarks(values, plot, canvas);
  return [
    ...legend(series, canvas),
    ...(collided ? caption(`${COLLISION} several points in one place`, canvas) : []),
    ...framedLines(
      {
        ticks,
        zero: -scale.first * between,
        spans: grid.spans,
        days: series[0]?.days ?? [],
        at: (index) => Math.floor(xOf(index, plot)),
        wide: 1,
      },
      canvas,
    ),
  ];
}

function xOf(index: number, { columns, length }: Plot): number {
  return length < 2 ? 0.5 : (index * (columns - 1)) / (length - 1) + 0.25;
}

function pointOf(points: readonly (number | undefined)[], index: number, plot: Plot): Point | undefined {
  const value = points[index];
  return value === undefined ? undefined : { x: xOf(index, plot), y: plot.yOf(value) };
}

/** From the point `open` on the line is dotted, since these intervals are not over. */
function drawSeries(
  points: readonly (number | undefined)[],
  { tone, open }: { readonly tone: number | undefined; readonly open: number },
  plot: Plot,
): void {
  for (const index of points.keys()) {
    const to = pointOf(points, index, plot);
    const from = pointOf(points, index - 1, plot);
    if (to !== undefined) plot.grid.join(from ?? to, to, { tone: tone ?? 0, dotted: index >= open });
  }
}

/** Marks points if there is room: all, or some of them, and never those of a single dense series. */
function drawMarks(
  values: readonly (readonly (number | undefined)[])[],
  plot: Plot,
  { unicode }: Canvas,
): boolean {
  const apart = plot.columns / Math.max(1, plot.length - 1);
  const single = values.length === 1;
  if (single && apart < 3) return false;
  const every = Math.max(1, Math.ceil((single ? 3 : 6) / apart));
  const dot = unicode ? '●' : 'o';
  let collided = false;
  for (const [series, points] of values.entries()) {
    const sign = single ? dot : letterOf(series);
    for (const index of points.keys()) {
      const at = pointOf(points, index, plot);
      if (at === undefined || index % every !== 0) continue;
      collided = plot.grid.mark(at, sign, series) || collided;
    }
  }
  return collided;
}

/** Rows of cells, 0 the lowest; `zero` is that of the axis, and `at` the first of the `wide` cells of a day. */
type Frame = {
  readonly ticks: readonly string[];
  readonly zero: number;
  readonly spans: (row: number, empty: string) => readonly Span[];
  readonly days: readonly string[];
  readonly at: (index: number) => number;
  readonly wide: number;
};

/** The width of an axis. */
export function gutterOf(ticks: readonly string[]): number {
  return largest(ticks.map(displayWidth)) + 2;
}

/** Rows beside their axis, with the days below. */
export function framedLines(frame: Frame, canvas: Canvas): readonly Line[] {
  const [wall, tick, cross, floor = '-'] = canvas.unicode ? ['│', '┤', '┼', '─'] : ['|', '+', '+', '-'];
  const { ticks, zero, spans } = frame;
  const gutter = gutterOf(ticks);
  const lines = ticks.map((text, row): Line => {
    const side = text === '' ? wall : tick;
    const edge = row === zero ? cross : side;
    const start: Span = { text: `${padding(text, gutter - 2)}${text} ${edge}`, tone: 'faint' };
    return [start, ...spans(row, row === zero ? floor : ' ')];
  });
  return [...lines.toReversed(), dayLine(frame, gutter, canvas)];
}

/** The first, the last and, if there is room, the middle day below their points. */
function dayLine({ days, at, wide }: Frame, gutter: number, canvas: Canvas): Line {
  const last = days.length - 1;
  const middle = Math.floor(last / 2);
  const cells = Array.from({ length: canvas.width }, () => ' ');
  for (const index of new Set([0, last, middle])) {
    const day = clean(days[index] ?? '', 20, canvas);
    const isCentred = index === middle && index > 0;
    const wanted = gutter + at(index) + (isCentred ? Math.floor((wide - day.length) / 2) : 0);
    const from = Math.max(0, Math.min(wanted, canvas.width - day.length));
    const around = cells.slice(Math.max(0, from - 2), from + day.length + 2);
    if (around.every((cell) => cell === ' ')) cells.splice(from, day.length, ...day);
  }
  return [{ text: cells.join(''), tone: 'faint' }];
}

/** One series is named, several are told apart by their letters; a series of other days says which. */
export function legend(series: readonly Series[], canvas: Canvas): readonly Line[] {
  if (series.length === 1 && series[0]?.name === '') return [];
  return series.map((one, index): Line => {
    const range = ownRange(one, series);
    const room = canvas.width - (series.length === 1 ? 0 : 2) - displayWidth(range);
    const name = `${clean(one.name, Math.max(8, room), canvas)}${range}`;
    return series.length === 1
      ? [{ text: name, tone: 'title' }]
      : [{ text: letterOf(index), tone: index }, { text: ` ${name}` }];
  });
}

/** A point in cells from the lower left, in fractions of a cell. */
type Point = { readonly x: number; readonly y: number };

type Cell = { dots: number; mark: string | undefined; tone: Tone | undefined };

type PlotGrid = ReturnType<typeof createPlotGrid>;

const LEFT = [0x40, 0x04, 0x02, 0x01];

const RIGHT = [0x80, 0x20, 0x10, 0x08];

const COLLISION = '+';

const GAP = 3;

/** A field of characters in which lines are drawn: fine ones of braille dots, coarse ones in ASCII. */
function createPlotGrid(size: { readonly columns: number; readonly rows: number }, canvas: Canvas) {
  const cells: Cell[] = Array.from({ length: size.columns * size.rows }, () => ({
    dots: 0,
    mark: undefined,
    tone: undefined,
  }));
  const cellAt = (column: number, row: number) =>
    column >= 0 && column < size.columns && row >= 0 && row < size.rows
      ? cells[row * size.columns + column]
      : undefined;
  const [across, up] = canvas.unicode ? [2, 4] : [1, 1];
  const dot = (x: number, y: number, tone: Tone | undefined) => {
    const cell = cellAt(Math.floor(x / across), Math.floor(y / up));
    if (cell === undefined) return;
    cell.dots |= ((x % across === 0 ? LEFT : RIGHT)[y % up] ?? 0) || 1;
    cell.tone = tone;
  };
  return {
    /** Joins two points; the same point twice is a dot. */
    join: (from: Point, to: Point, { tone, dotted }: { readonly tone: Tone; readonly dotted: boolean }) => {
      const [x, y] = [Math.floor(from.x * across), Math.floor(from.y * up)];
      const [dx, dy] = [Math.floor(to.x * across) - x, Math.floor(to.y * up) - y];
      const steps = Math.max(Math.abs(dx), Math.abs(dy), 1);
      for (let step = 0; step <= steps; step += dotted ? GAP : 1) {
        dot(Math.round(x + (dx * step) / steps), Math.round(y + (dy * step) / steps), tone);
      }
    },
    /** Two different signs at one place become `+`. Tells whether they did. */
    mark: (at: Point, sign: string, tone: Tone | undefined): boolean => {
      const cell = cellAt(Math.floor(at.x), Math.floor(at.y));
      if (cell === undefined) return false;
      const collides = cell.mark !== undefined && cell.mark !== sign;
      cell.mark = collides ? COLLISION : sign;
      cell.tone = collides ? undefined : tone;
      return collides;
    },
    /** One row of cells, 0 the lowest; empty cells hold `empty`. */
    spans: (row: number, empty: string): readonly Span[] =>
      cells.slice(row * size.columns, (row + 1) * size.columns).map((cell) => ({
        text: textOf(cell, empty, canvas),
        tone: cell.dots === 0 && cell.mark === undefined ? 'faint' : cell.tone,
      })),
  };
}

function textOf({ dots, mark }: Cell, empty: string, { unicode }: Canvas): string {
  if (mark !== undefined) return mark;
  if (dots === 0) return empty;
  return unicode ? String.fromCharCode(0x2800 + dots) : '.';
}

import { Chalk, type ChalkInstance } from 'chalk';
import {
  type ByShape,
  type Chart,
  drawable,
  figureText,
  type NumberChart,
  ofShape,
  type Series,
  type SeriesChart,
} from '../chart.ts';
import { drawingOf, letterOf } from '../read-series.ts';
import { type Bar, barLines, drawBars, drawFunnelSteps } from './bar-lines.ts';
import {
  type Canvas,
  caption,
  clean,
  type Drawing,
  fitLine,
  type Line,
  type Picture,
  type Tone,
} from './canvas.ts';
import { drawBoxPlot, drawLifecycle, drawRetention } from './day-charts.ts';
import { legend, plotLines } from './plot-lines.ts';

/** Narrower terminals get drawings of this width all the same. */
const LEAST_WIDTH = 40;

/** No line is wider than the canvas. */
export function drawChart(chart: Chart, canvas: Canvas): Picture {
  const fitting = { ...canvas, width: Math.max(LEAST_WIDTH, canvas.width) };
  const { lines, below, complete } = ofShape(DRAWINGS, chart, fitting);
  const all = [...lines, ...below.flatMap((remark) => caption(remark, fitting))];
  return { complete, lines: all.map((line) => fitLine(line, fitting)) };
}

const DRAWINGS: ByShape<Drawing, [Canvas]> = {
  series: drawSeries,
  bars: drawBars,
  number: drawNumber,
  funnel: drawFunnelSteps,
  retention: drawRetention,
  lifecycle: drawLifecycle,
  'box-plot': drawBoxPlot,
};

const MOST_BARS = 40;

function drawSeries(chart: SeriesChart, canvas: Canvas): Drawing {
  const { style, unit, whole } = chart;
  const { series, isBars, remarks } = drawingOf(chart, MOST_BARS);
  const lines = isBars
    ? dailyBars(series, canvas, unit)
    : plotLines(series, canvas, { unit, area: style === 'area' });
  return {
    lines,
    below: remarks,
    complete: isBars && whole && series.length === chart.series.length,
  };
}

function dailyBars(series: readonly Series[], canvas: Canvas, unit: string): readonly Line[] {
  const days = Math.max(...series.map(({ values }) => values.length));
  const single = series.length === 1;
  const rows = Array.from({ length: days }, (_, index) =>
    series.map((one, place): Bar => {
      const day = series.find(({ days: own }) => own[index] !== undefined)?.days[index] ?? '';
      const own = place === 0 ? day : ' '.repeat(day.length);
      const value = one.values[index];
      return {
        label: single ? day : `${own} ${letterOf(place)}`,
        value: drawable(value),
        text: `${figureText(value)}${drawable(value) === undefined ? '' : unit}`,
        tone: place,
      };
    }),
  );
  return [...legend(series, canvas), ...barLines(rows.flat(), canvas)];
}

function drawNumber({ totals, remarks, whole }: NumberChart, canvas: Canvas): Drawing {
  const lines = totals.flatMap(({ name, text }, index): readonly Line[] =>
    index === 0 ? bigNumber(text, name, canvas) : [[{ text: `${name}: ${text}` }]],
  );
  return { lines, below: remarks, complete: whole };
}

/** Digits of three by five points, one line of text each, from the top. */
const DIGITS: Readonly<Record<string, string>> = {
  0: '### # # # # # # ###',
  1: ' #  ##   #   #  ###',
  2: '###   # ### #   ###',
  3: '###   # ###   # ###',
  4: '# # # # ###   #   #',
  5: '### #   ###   # ###',
  6: '### #   ### # # ###',
  7: '###   #   #   #   #',
  8: '### # # ### # # ###',
  9: '### # # ###   # ###',
  '-': '        ###        ',
  '.': '                 # ',
};

/** A number in large digits with its name below, both also as plain text; only plain if large ones don't fit. */
function bigNumber(text: string, name: string, canvas: Canvas): readonly Line[] {
  const plain: Line = [
    { text: `${clean(name, Math.max(10, canvas.width - text.length - 2), canvas)}: ${text}` },
  ];
  const glyphs = [...text].map((character) => DIGITS[character]);
  if (glyphs.includes(undefined) || glyphs.length * 4 > canvas.width) return [plain];
  const points = Array.from({ length: 6 }, (_, row) =>
    glyphs.map((glyph = '') => `${glyph.slice(row * 4, row * 4 + 3).padEnd(3)} `).join(''),
  );
  const rows = canvas.unicode
    ? [0, 2, 4].map((row) => halves(points[row] ?? '', points[row + 1] ?? ''))
    : points.slice(0, 5);
  return [...rows.map((row): Line => [{ text: row, tone: 'title' }]), [], plain];
}

function halves(upper: string, lower: string): string {
  const signs = [' ', '▄', '▀', '█'];
  return [...upper]
    .map((point, index) => signs[(point === '#' ? 2 : 0) + (lower[index] === '#' ? 1 : 0)] ?? ' ')
    .join('');
}

const SERIES = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red'] as const;

export function paintLines(lines: readonly Line[], { color }: { readonly color: boolean }): string {
  const paint = new Chalk({ level: color ? 1 : 0 });
  return lines
    .map((line) => `${line.map(({ text, tone }) => painted(text, tone, paint)).join('')}\n`)
    .join('');
}

function painted(text: string, tone: Tone | undefined, paint: ChalkInstance): string {
  if (tone === undefined || text.trim() === '') return text;
  if (tone === 'title') return paint.bold(text);
  if (tone === 'faint') return paint.dim(text);
  return paint[SERIES[tone % SERIES.length] ?? 'cyan'](text);
}

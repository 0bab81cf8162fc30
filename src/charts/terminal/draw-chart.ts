import { Chalk, type ChalkInstance } from 'chalk';
import { largest, smallest } from '../../json/numbers.ts';
import { displayWidth, padding } from '../../system/text.ts';
import {
  type BarsChart,
  type ByShape,
  type Chart,
  drawable,
  type FunnelChart,
  type FunnelStep,
  figureText,
  type LabelledBar,
  type NumberChart,
  ofShape,
  type Series,
  type SeriesChart,
} from '../chart.ts';
import { drawingOf, letterOf } from '../read-series.ts';
import {
  type Canvas,
  caption,
  clean,
  type Drawing,
  fitLine,
  type Line,
  type Picture,
  type Span,
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
  const { unit, whole } = chart;
  const { series, isBars, remarks } = drawingOf(chart, MOST_BARS);
  const lines = isBars ? dailyBars(series, canvas, unit) : plotLines(series, canvas, unit);
  return {
    lines,
    below: remarks,
    complete: isBars && whole && series.length === chart.series.length,
  };
}

function dailyBars(series: readonly Series[], canvas: Canvas, unit: string): readonly Line[] {
  const days = largest(series.map(({ values }) => values.length));
  const single = series.length === 1;
  const rows = Array.from({ length: days }, (_, index) =>
    series.map((one, place): Bar => {
      const day = series.find(({ days: own }) => own[index] !== undefined)?.days[index] ?? '';
      const own = place === 0 ? day : ' '.repeat(day.length);
      const value = one.values[index];
      return {
        label: single ? day : `${own} ${letterOf(place)}`,
        value: drawable(value),
        text: figureText(value, unit),
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

/** Bars on their side; a bin of a histogram that holds one has a mark still. */
function drawBars({ bars, full, remarks, whole }: BarsChart, canvas: Canvas): Drawing {
  const toned = bars.map((bar) => ({ ...bar, tone: 0 }));
  return { lines: barLines(toned, canvas, { full }), below: remarks, complete: whole };
}

/** A funnel as one bar a step, shaded up to who was there before; several funnels one below the other. */
function drawFunnelSteps(chart: FunnelChart, canvas: Canvas): Drawing {
  const { funnels, full, lost, remarks, whole } = chart;
  const text = largest(funnels.flatMap(({ steps }) => steps.map((step) => step.text.length)));
  // If one has figures that do not fit one line, the times of all stand on a line of their own.
  const areLong = funnels.some(({ steps }) =>
    steps.some(({ details, times }) => joined([...details, ...times], canvas).length > 1),
  );
  const lines = funnels.flatMap(({ name, steps }, index): readonly Line[] => [
    ...(index === 0 ? [] : [[]]),
    ...(name === '' ? [] : [[{ text: clean(name, canvas.width, canvas), tone: 'title' as const }]]),
    ...funnelLines(steps, canvas, { full, text, areLong }),
  ]);
  const below = [`${canvas.unicode ? '░' : '.'} ${lost}`, ...remarks];
  return { lines, below, complete: whole };
}

function funnelLines(
  steps: readonly FunnelStep[],
  canvas: Canvas,
  { areLong, ...scale }: Scale & { readonly areLong: boolean },
): readonly Line[] {
  const rows = steps.map(({ count, text, reach }) => ({ label: '', value: count, text, tone: 0, reach }));
  const bars = barParts(rows, canvas, scale);
  return steps.flatMap((step, index): readonly Line[] => [
    headOf(step, canvas),
    [{ text: '  ' }, ...(bars[index] ?? [])],
    ...(areLong ? [step.details, step.times] : [[...step.details, ...step.times]]).flatMap((texts) =>
      joined(texts, canvas),
    ),
  ]);
}

function headOf(step: FunnelStep, canvas: Canvas): Line {
  const place = step.place === '' ? '' : `${step.place} `;
  const optional = step.optional ? ' (optional)' : '';
  return [
    { text: place, tone: 'faint' },
    { text: clean(step.name, canvas.width - place.length - optional.length, canvas), tone: 'title' },
    { text: optional },
  ];
}

function joined(texts: readonly string[], { width }: Canvas): readonly Line[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    const longer = `${last}, ${text}`;
    if (last !== undefined && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(`  ${text}`);
  }
  return lines.map((text) => [{ text }]);
}

/** `reach` is the length of the bar without people lost. */
type Bar = LabelledBar & { readonly tone?: Tone | undefined; readonly reach?: number | undefined };

type Layout = { readonly below: number; readonly unit: number };

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

type Scale = {
  readonly full?: number | undefined;
  /** Cells kept for figures, if they are wider in other bars of the same drawing. */
  readonly text?: number;
};

/** Negative bars go left of the axis. Zero and gaps have no bar, anything else has at least one mark. */
export function barLines(bars: readonly Bar[], canvas: Canvas, scale: Scale = {}): readonly Line[] {
  const figures = largest(
    bars.map(({ text }) => displayWidth(figureOf(text, canvas))),
    0,
  );
  const longest = largest(
    bars.map(({ label }) => displayWidth(clean(label, canvas.width, canvas))),
    0,
  );
  const beside = longest <= canvas.width * 0.4 && canvas.width - longest - figures - 3 >= 10;
  const label = beside ? longest + 1 : INDENT;
  const parts = barParts(bars, canvas, { ...scale, label });
  return bars.flatMap((bar, index) => {
    const part = parts[index] ?? [];
    if (!beside)
      return [
        ...caption(bar.label, canvas).map((line) => line.map(({ text }) => ({ text }))),
        [{ text: ' '.repeat(INDENT) }, ...part],
      ];
    const name = clean(bar.label, longest, canvas);
    return [[{ text: name + padding(name, label) }, ...part]];
  });
}

/** Only the bars and figures, for lines of which `label` cells are taken. */
function barParts(
  bars: readonly Bar[],
  canvas: Canvas,
  { label = INDENT, full = 0, text = 0 }: Scale & { readonly label?: number },
): readonly Line[] {
  const figures = bars.map((bar) => figureOf(bar.text, canvas));
  // What stands for a missing figure has the room of the bar, unless bars go left and end where it begins.
  const sided = bars.some(({ value = 0 }) => value < 0);
  const widths = figures.map((figure, index) =>
    sided || bars[index]?.value !== undefined ? displayWidth(figure) : 0,
  );
  const room = canvas.width - label - 2 - largest(widths, text);
  const values = bars.flatMap(({ value, reach }) => [value ?? 0, reach ?? 0]);
  const layout = layOut({ low: smallest(values, 0), high: largest(values, Math.max(0, full)), room });
  return bars.map((bar, index) => [...barSpans(bar, layout, canvas), { text: ` ${figures[index] ?? ''}` }]);
}

const INDENT = 2;

function figureOf(text: string, canvas: Canvas): string {
  return clean(text, Math.floor(canvas.width / 2), canvas);
}

/** Both sides are whole cells, so that one unit does for both. */
function layOut({ low, high, room }: { low: number; high: number; room: number }): Layout {
  if (low === 0) return { below: 0, unit: high === 0 ? 1 : high / room };
  if (high === 0) return { below: room, unit: -low / room };
  const below = Math.min(room - 1, Math.max(1, Math.round(room / (1 - high / low))));
  return { below, unit: Math.max(high / (room - below), -low / below) };
}

function barSpans({ value = 0, tone, reach }: Bar, { below, unit }: Layout, canvas: Canvas): readonly Span[] {
  const axis: Span = { text: canvas.unicode ? '│' : '|', tone: 'faint' };
  const cells = Math.abs(value) / unit;
  if (value < 0) {
    const bar = (canvas.unicode ? '█' : '#').repeat(Math.max(1, Math.round(cells)));
    return [{ text: ' '.repeat(Math.max(0, below - bar.length)) }, { text: bar, tone }, axis];
  }
  const bar = value === 0 ? '' : positive(cells, canvas);
  const lost = reach === undefined ? 0 : Math.round(reach / unit) - bar.length;
  const shade: Span = { text: (canvas.unicode ? '░' : '.').repeat(Math.max(0, lost)), tone: 'faint' };
  return [{ text: ' '.repeat(below) }, axis, { text: bar, tone }, shade];
}

function positive(cells: number, { unicode }: Canvas): string {
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(cells)));
  const eighths = Math.max(1, Math.round(cells * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
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

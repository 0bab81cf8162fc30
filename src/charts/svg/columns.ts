import { scaleBand } from 'd3-scale';
import { stack, stackOffsetDiverging } from 'd3-shape';
import { largest } from '../../json/numbers.ts';
import {
  type BoxParts,
  type BoxPlotChart,
  drawable,
  figureText,
  type LifecycleChart,
  type Series,
} from '../chart.ts';
import { longestDays } from '../read-series.ts';
import { type AxisOptions, shortFigure, stepAxis, valueAxis, withoutOverlap } from './axes.ts';
import {
  type Body,
  box,
  COLORS,
  element,
  grouped,
  type LegendEntry,
  placed,
  rule,
  SAMPLE,
  type SeriesDrawing,
  SMALL,
  text,
  WIDTH,
  widest,
  widthOf,
} from './svg.ts';

const HEIGHT = 320;

/** No column but that of zero is lower. */
const LEAST = 2;

const WIDEST = 90;

/** Upright bars, those of one step side by side in the order of the legend, each with its figure if there is room. */
export function columnsBody({ series, names, unit, remarks }: SeriesDrawing): Body {
  const steps = longestDays(series);
  const columns = series.map((one) => one.values.map(drawable));
  const known = columns.flat().filter((value) => value !== undefined);
  const frame = bandFrame(steps, { values: known, unit, inner: 0.25, outer: 0.125, above: 24 });
  const slot = Math.min(frame.wide / columns.length, WIDEST);
  const gap = Math.min(1, slot * 0.05);
  const labels = labelsOf(series, { room: columns.length === 1 ? frame.step - 6 : slot - 2, unit });
  const drawn = known.filter((value) => value !== 0).length;
  const gaps = drawn < steps.length * columns.length && labels === undefined;
  const { x, y, body } = frame;
  const marks = columns.flatMap((values, place) =>
    values.map((value = 0, index) => {
      const from = x(index) + (place - columns.length / 2) * slot;
      const high = value === 0 ? 0 : Math.max(LEAST, Math.abs(y(value) - y(0)));
      const isOpen = index >= values.length - (series[place]?.unfinished ?? 0);
      const tone = `fill${place % COLORS}${isOpen ? ' open' : ''}`;
      const top = value < 0 ? y(0) : y(0) - high;
      const shape = high === 0 ? '' : box(from + gap, top, slot - 2 * gap, high, tone);
      const label = value < 0 ? top + high + 9 : top - 9;
      const words = labels?.[place]?.[index] ?? '';
      return shape + text(from + slot / 2, label, words, { size: SMALL, align: 'middle' });
    }),
  );
  return body(marks, {
    legend: fillLegend(names),
    remarks: gaps ? [...remarks, 'A step without a column is zero or has no figure.'] : remarks,
  });
}

/** `above` is room for figures; `inner` and `outer` are gaps between the bands and at the ends, as parts of a band. */
type FrameOptions = Partial<AxisOptions> & {
  readonly values: readonly number[];
  readonly above: number;
  readonly inner: number;
  readonly outer?: number;
};

/** An axis of numbers with a band for each step, whose names stand below. */
function bandFrame(
  steps: readonly string[],
  { values, above, inner, outer = inner, height = HEIGHT, ...axisOptions }: FrameOptions,
) {
  const axis = valueAxis(values, { height, ...axisOptions });
  const width = WIDTH - axis.room - 10;
  const bands = scaleBand([...steps.keys()], [0, width])
    .paddingInner(inner)
    .paddingOuter(outer);
  const middle = (index: number) => (bands(index) ?? 0) + bands.bandwidth() / 2;
  const below = stepAxis(steps, { at: middle, apart: bands.step() });
  const body = (marks: readonly string[], about: Pick<Body, 'legend' | 'remarks'>): Body => {
    const zero = rule([0, axis.at(0)], [width, axis.at(0)], 'axis');
    const drawn = [axis.draw(width), ...marks, zero, placed(0, height, below.markup)].join('');
    return {
      ...about,
      width: WIDTH,
      height: above + height + below.height,
      markup: placed(axis.room, above, drawn),
    };
  };
  return { wide: bands.bandwidth(), step: bands.step(), x: middle, y: axis.at, body };
}

/** Whole figures if all have room, else short ones such as `10.6k`, else none: a part of them would mislead. */
function labelsOf(
  series: readonly Series[],
  { room, unit }: { readonly room: number; readonly unit: string },
): readonly (readonly string[])[] | undefined {
  const whole = series.map(({ values }) => values.map((value) => grouped(figureText(value, unit))));
  if (widest(whole.flat(), SMALL) <= room) return whole;
  const short = series.map(({ values }) =>
    values.map(drawable).map((value) => (value === undefined ? '–' : `${shortFigure(value)}${unit}`)),
  );
  return widest(short.flat(), SMALL) <= room ? short : undefined;
}

function fillLegend(names: readonly string[]): readonly LegendEntry[] {
  return names.flatMap((name, index) => {
    const sample = box(0, 0, SAMPLE.width, SAMPLE.height, `fill${index % COLORS}`);
    return name === '' ? [] : [{ name, sample }];
  });
}

/** A lower part has no room for its letter. */
const LETTER = 13;

/** Stacked columns: people who came above the axis, people who left below it; each part with its letter if it has room. */
export function lifecycleBody({ statuses, days, values, unfinished, remarks }: LifecycleChart): Body {
  const layers = stack<readonly number[], number>()
    .keys([...statuses.keys()])
    .value((day, place) => day[place] ?? 0)
    .offset(stackOffsetDiverging)(values);
  const edges = layers.map((layer) => layer.map(([from, to]) => [from, to] as const));
  const frame = bandFrame(days, {
    values: edges.flat(2),
    inner: 0.15,
    above: 10,
    height: HEIGHT + 40,
    count: 8,
  });
  const { x, y, body } = frame;
  const wide = Math.min(frame.wide, WIDEST);
  const marks = edges.flatMap((layer, place) =>
    layer.map(([from, to], index) => {
      const [low, high] = [y(from), y(to)];
      const height = Math.abs(low - high);
      if (height === 0) return '';
      const isOpen = index >= days.length - unfinished;
      const tone = `fill${place} ${isOpen ? 'open' : 'edge'}`;
      const words = height >= LETTER && wide > 16 ? (statuses[place]?.letter ?? '') : '';
      const style = { size: SMALL, tone: isOpen ? 'ink' : `letter${place}`, align: 'middle' } as const;
      const shape = box(x(index) - wide / 2, Math.min(low, high), wide, height, tone);
      return shape + text(x(index), (low + high) / 2, words, style);
    }),
  );
  return body(marks, {
    legend: fillLegend(statuses.map(({ name, letter }) => `${letter} ${name}`)),
    remarks,
  });
}

const BOX_REMARK =
  'The line runs from the minimum to the maximum. The box holds the middle half, and the line in it is the median, which is written above.';

export function boxPlotBody({ boxes, remarks }: BoxPlotChart): Body {
  const values = boxes.flatMap((one) => one.values);
  const labels = boxes.map(({ label }) => label);
  const frame = bandFrame(labels, { values, inner: 0.4, above: 24 });
  const { x, y, body } = frame;
  const wide = Math.min(frame.wide, 50);
  const figures = boxes.flatMap(({ parts, median }, index) =>
    parts === undefined ? [] : [{ x: x(index), y: y(largest(parts)) - 10, words: median }],
  );
  const shown = withoutOverlap(figures.filter(({ words }) => widthOf(words, SMALL) <= WIDTH / 4));
  const marks = [
    ...boxes.map(({ parts }, index) => (parts === undefined ? '' : boxOf(parts, y, [x(index), wide]))),
    ...shown.map((one) => text(one.x, one.y, one.words, { size: SMALL, align: 'middle' })),
  ];
  return body(marks, { legend: [], remarks: [...remarks, BOX_REMARK] });
}

function boxOf(parts: BoxParts, y: (value: number) => number, [x, wide]: readonly [number, number]): string {
  const [low, from, median, to, high] = [y(parts[0]), y(parts[1]), y(parts[2]), y(parts[3]), y(parts[4])];
  const cap = (y: number) => rule([x - wide / 4, y], [x + wide / 4, y], 'whisker');
  const halves = { x: x - wide / 2, y: Math.min(from, to), width: wide, height: Math.abs(from - to) };
  const middleLine = { x1: x - wide / 2, x2: x + wide / 2, y1: median, y2: median };
  return [
    rule([x, low], [x, high], 'whisker'),
    cap(low),
    cap(high),
    element('rect', { ...halves, class: 'box' }),
    element('line', { ...middleLine, class: 'whisker', 'stroke-width': 2 }),
  ].join('');
}

import { scaleBand } from 'd3-scale';
import { stack, stackOffsetDiverging } from 'd3-shape';
import type { BoxParts, BoxPlotChart, LifecycleChart } from '../chart.ts';
import { shortFigure, stepAxis, valueAxis, withoutOverlap } from './axes.ts';
import {
  type Body,
  box,
  COLORS,
  type Corner,
  element,
  type LegendEntry,
  rule,
  SAMPLE,
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

/** A column for each step; `undefined` if there is no figure. */
export type Columns = {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  readonly texts: readonly string[];
  /** How many at the end are of intervals that are not over. */
  readonly unfinished: number;
};

type Wanted = {
  readonly steps: readonly string[];
  readonly columns: readonly Columns[];
  readonly unit: string;
  readonly remarks: readonly string[];
  readonly adjoining?: boolean;
};

/** Upright bars, those of one step side by side in the order of the legend, each with its figure if there is room. */
export function columnsBody({ steps, columns, unit, remarks, adjoining = false }: Wanted): Body {
  const known = columns.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const axis = valueAxis(known, { height: HEIGHT, unit });
  const width = WIDTH - axis.room - 10;
  const bands = scaleBand([...steps.keys()], [0, width])
    .paddingInner(adjoining ? 0.03 : 0.25)
    .paddingOuter(adjoining ? 0 : 0.125);
  const below = stepAxis(steps, { at: (index) => middle(bands, index), apart: bands.step() });
  const slot = Math.min(bands.bandwidth() / columns.length, adjoining ? Infinity : WIDEST);
  const labels = labelsOf(columns, { room: columns.length === 1 ? bands.step() - 6 : slot - 2, unit });
  const drawn = known.filter((value) => value !== 0).length;
  const gaps = drawn < steps.length * columns.length && labels === undefined;
  return {
    width: WIDTH,
    height: 24 + HEIGHT + below.height,
    legend: fillLegend(columns.map(({ name }) => name)),
    remarks: gaps ? [...remarks, 'A step without a column is zero or has no figure.'] : remarks,
    draw: ({ left, top }) => {
      const corner = { left: left + axis.room, top: top + 24 };
      const zero = corner.top + axis.at(0);
      const bars = columns.flatMap(({ values, unfinished }, place) =>
        values.map((value, index) => {
          const from = corner.left + middle(bands, index) + (place - columns.length / 2) * slot;
          const high = Math.max(LEAST, Math.abs(axis.at(value ?? 0) - axis.at(0)));
          const end = (value ?? 0) < 0 ? zero + high : zero - high;
          const label = { x: from + slot / 2, y: end + ((value ?? 0) < 0 ? 9 : -9) };
          const tone = `fill${place % COLORS}${index >= values.length - unfinished ? ' open' : ''}`;
          const shape = value === undefined || value === 0 ? '' : bar([from, zero], [slot, end], tone);
          const words = labels?.[place]?.[index] ?? '';
          return shape + text(label.x, value ? label.y : zero - 9, words, { size: SMALL, align: 'middle' });
        }),
      );
      return [
        axis.draw(corner, width),
        ...bars,
        rule([corner.left, zero], [corner.left + width, zero], 'axis'),
        below.draw({ left: corner.left, top: corner.top + HEIGHT }),
      ].join('');
    },
  };
}

type Bands = { readonly bandwidth: () => number } & ((index: number) => number | undefined);

function middle(bands: Bands, index: number): number {
  return (bands(index) ?? 0) + bands.bandwidth() / 2;
}

function bar(
  [left, zero]: readonly [number, number],
  [width, end]: readonly [number, number],
  tone: string,
): string {
  const gap = Math.min(1, width * 0.05);
  return box(left + gap, Math.min(zero, end), width - 2 * gap, Math.abs(end - zero), tone);
}

/** Whole figures if all have room, else short ones such as `10.6k`, else none: a part of them would mislead. */
function labelsOf(
  columns: readonly Columns[],
  { room, unit }: { readonly room: number; readonly unit: string },
): readonly (readonly string[])[] | undefined {
  const whole = columns.map(({ texts }) => texts);
  if (widest(whole.flat(), SMALL) <= room) return whole;
  const short = columns.map(({ values }) =>
    values.map((value) => (value === undefined ? '–' : `${shortFigure(value)}${unit}`)),
  );
  return widest(short.flat(), SMALL) <= room ? short : undefined;
}

function fillLegend(names: readonly string[]): readonly LegendEntry[] {
  return names.flatMap((name, index) => {
    const sample = ({ left, top }: Corner) =>
      box(left, top, SAMPLE.width, SAMPLE.height, `fill${index % COLORS}`);
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
  const axis = valueAxis(edges.flat(2), { height: HEIGHT + 40, count: 8 });
  const width = WIDTH - axis.room - 10;
  const bands = scaleBand([...days.keys()], [0, width]).padding(0.15);
  const below = stepAxis(days, { at: (index) => middle(bands, index), apart: bands.step() });
  const wide = Math.min(bands.bandwidth(), WIDEST);
  return {
    width: WIDTH,
    height: 10 + HEIGHT + 40 + below.height,
    legend: fillLegend(statuses.map(({ name, letter }) => `${letter} ${name}`)),
    remarks,
    draw: ({ left, top }) => {
      const corner = { left: left + axis.room, top: top + 10 };
      const parts = edges.flatMap((layer, place) =>
        layer.map(([from, to], index) => {
          const [low, high] = [corner.top + axis.at(from), corner.top + axis.at(to)];
          const x = corner.left + middle(bands, index);
          const height = Math.abs(low - high);
          if (height === 0) return '';
          const isOpen = index >= days.length - unfinished;
          const tone = `fill${place} ${isOpen ? 'open' : 'edge'}`;
          const words = height >= LETTER && wide > 16 ? (statuses[place]?.letter ?? '') : '';
          const style = { size: SMALL, tone: isOpen ? 'ink' : `letter${place}`, align: 'middle' } as const;
          const shape = box(x - wide / 2, Math.min(low, high), wide, height, tone);
          return shape + text(x, (low + high) / 2, words, style);
        }),
      );
      const zero = corner.top + axis.at(0);
      return [
        axis.draw(corner, width),
        ...parts,
        rule([corner.left, zero], [corner.left + width, zero], 'axis'),
        below.draw({ left: corner.left, top: corner.top + HEIGHT + 40 }),
      ].join('');
    },
  };
}

const BOX_REMARK =
  'The line runs from the minimum to the maximum. The box holds the middle half, and the line in it is the median, which is written above.';

export function boxPlotBody({ boxes, remarks }: BoxPlotChart): Body {
  const all = boxes.flatMap(({ values }) => values);
  const axis = valueAxis(all, { height: HEIGHT });
  const width = WIDTH - axis.room - 10;
  const bands = scaleBand([...boxes.keys()], [0, width]).padding(0.4);
  const labels = boxes.map(({ label }) => label);
  const below = stepAxis(labels, { at: (index) => middle(bands, index), apart: bands.step() });
  const wide = Math.min(bands.bandwidth(), 50);
  return {
    width: WIDTH,
    height: 24 + HEIGHT + below.height,
    legend: [],
    remarks: [...remarks, BOX_REMARK],
    draw: ({ left, top }) => {
      const corner = { left: left + axis.room, top: top + 24 };
      const y = (value: number) => corner.top + axis.at(value);
      const figures = boxes.flatMap(({ parts, median }, index) => {
        const x = corner.left + middle(bands, index);
        return parts === undefined ? [] : [{ x, y: y(Math.max(...parts)) - 10, words: median }];
      });
      const shown = withoutOverlap(figures.filter(({ words }) => widthOf(words, SMALL) <= WIDTH / 4));
      return [
        axis.draw(corner, width),
        ...boxes.map(({ parts }, index) =>
          parts === undefined ? '' : boxOf(parts, y, [corner.left + middle(bands, index), wide]),
        ),
        ...shown.map(({ x, y, words }) => text(x, y, words, { size: SMALL, align: 'middle' })),
        below.draw({ left: corner.left, top: corner.top + HEIGHT }),
      ].join('');
    },
  };
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

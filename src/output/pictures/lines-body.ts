import type { Series } from '../charts/chart.ts';
import { drawable, figureText, isRounded } from '../charts/figure-text.ts';
import { letterOf } from '../charts/letters.ts';
import { longestDays, stepsOf } from '../charts/read/read-series.ts';
import { dayAxis } from './day-axis.ts';
import {
  type Body,
  type Corner,
  INK,
  LINE_COLORS,
  type Setting,
  type Text,
  WIDTH,
  widthOf,
} from './layout.ts';
import { type ScaleAxis, scaleAxis } from './scale-axis.ts';

type Wanted = {
  readonly series: readonly Series[];
  readonly names: readonly string[];
  readonly unit: string;
  readonly area: boolean;
  readonly remarks: readonly string[];
};

const HEIGHT = 340;
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect'] as const;
const DASHES = ['solid', [8, 4], [2, 3], [10, 3, 2, 3]] as const;
/** A mark every so many points at least. */
const APART = 24;

/** Series as lines over their days, from zero; a gap breaks the line. Marks, dashes and letters tell them apart. */
export function linesBody({ series, names, unit, area, remarks }: Wanted): Body {
  const values = series.map((one) => one.values.map(drawable));
  const axis = scaleAxis(
    values.flat().filter((value) => value !== undefined),
    { unit },
  );
  const days = longestDays(series);
  const side = Math.min(70, Math.max(30, widthOf(days.at(-1) ?? '') / 2 + 6));
  // The first day stands below the first point, half of it further left.
  const room = Math.max(axis.room, widthOf(days[0] ?? '') / 2 - 20);
  const width = WIDTH - room - side;
  const texts = figuresOf(series, { width, unit });
  const below = dayAxis(days, { width, between: texts !== undefined });
  const steps = stepsOf(series);
  const every = Math.max(1, Math.ceil((APART * Math.max(1, steps - 1)) / width));
  const single = series.length === 1;
  const rounded = texts !== undefined && series[0]?.values.some(isRounded);
  return {
    width: WIDTH,
    height: HEIGHT + 20 + below.height,
    names: names.filter((name) => name !== ''),
    remarks: rounded ? [...remarks, 'Rounded to two decimals.'] : remarks,
    place: ({ left, top }) => ({
      grid: [{ left: left + room, top: top + 20, width, height: HEIGHT }],
      xAxis: [below.setting],
      yAxis: [axis.setting],
      series: values.map((points, index) => ({
        ...lineStyle(index, { area: area && single }),
        ...(texts && labelsOf(texts)),
        name: names[index],
        symbolSize: (_: unknown, { dataIndex }: { readonly dataIndex: number }) =>
          dataIndex % every === 0 || isAlone(points, dataIndex) ? 7 : 0,
        data: points.map((value) =>
          value === undefined ? null : { value: axis.toSteps(value), label: sideOf(value) },
        ),
      })),
      texts: single ? [] : endLetters(values, { axis, left: left + room, top: top + 20, width, steps }),
    }),
  };
}

function lineStyle(index: number, { area }: { readonly area: boolean }): Setting {
  const color = colorOf(index);
  return {
    type: 'line',
    clip: false,
    showAllSymbol: true,
    symbol: SYMBOLS[index % SYMBOLS.length],
    itemStyle: { color },
    lineStyle: { color, width: 2, type: DASHES[index % DASHES.length] },
    ...(area ? { areaStyle: { color, opacity: 0.2, origin: 0 } } : {}),
  };
}

function colorOf(index: number): string {
  return LINE_COLORS[index % LINE_COLORS.length] ?? INK;
}

type Frame = Corner & { readonly axis: ScaleAxis; readonly width: number; readonly steps: number };

const LETTER = 13;

/** The letter of each line beside its last point; letters that would touch move up. */
function endLetters(
  values: readonly (readonly (number | undefined)[])[],
  { axis, left, top, width, steps }: Frame,
): readonly Text[] {
  const { first, last } = axis.scale;
  const ends = values.flatMap((points, series) => {
    const index = points.findLastIndex((value) => value !== undefined);
    const value = points[index];
    if (value === undefined) return [];
    const y = top + ((last - axis.toSteps(value)) / (last - first)) * HEIGHT;
    return [{ series, index, y: Math.min(y, top + HEIGHT - LETTER / 2) }];
  });
  const highest = new Map<number, number>();
  return ends
    .toSorted((one, other) => other.y - one.y)
    .map(({ series, index, y }) => {
      const free = Math.min(y, (highest.get(index) ?? Infinity) - LETTER);
      highest.set(index, free);
      const x = left + (index * width) / Math.max(1, steps - 1) + 8;
      return { x, y: free, text: letterOf(series), bold: true, color: colorOf(series) };
    });
}

/** The figures of a single line, where there is room for each of them. */
function figuresOf(
  series: readonly Series[],
  { width, unit }: { readonly width: number; readonly unit: string },
): readonly string[] | undefined {
  const [first] = series;
  if (first === undefined || series.length > 1) return undefined;
  const texts = first.values.map((value) => `${figureText(value)}${unit}`);
  const widest = Math.max(...texts.map((text) => widthOf(text, 11)));
  return widest + 6 > width / Math.max(1, texts.length) ? undefined : texts;
}

/** A figure stands on the side of its point that is away from zero. */
function sideOf(value: number): Setting {
  return { position: value < 0 ? 'bottom' : 'top' };
}

function labelsOf(texts: readonly string[]): Setting {
  const formatter = ({ dataIndex }: { readonly dataIndex: number }) => texts[dataIndex] ?? '';
  const halo = { textBorderColor: '#ffffff', textBorderWidth: 3 };
  return { label: { show: true, fontSize: 11, color: INK, formatter, ...halo } };
}

/** A point between two gaps has no line to show it. */
function isAlone(points: readonly (number | undefined)[], index: number): boolean {
  return points[index - 1] === undefined && points[index + 1] === undefined;
}

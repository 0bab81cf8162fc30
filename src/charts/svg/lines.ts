import { scaleLinear } from 'd3-scale';
import {
  line as lineShape,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
} from 'd3-shape';
import { largest } from '../../json/numbers.ts';
import { drawable, figureText, isRounded, type Series } from '../chart.ts';
import { letterOf, longestDays, stepsOf } from '../read-series.ts';
import { shortFigure, stepAxis, valueAxis, withoutOverlap } from './axes.ts';
import {
  type Body,
  COLORS,
  element,
  grouped,
  type LegendEntry,
  placed,
  rounded,
  SAMPLE,
  type SeriesDrawing,
  SMALL,
  text,
  WIDTH,
  widthOf,
} from './svg.ts';

const HEIGHT = 320;

const ABOVE = 20;

const SYMBOLS = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolStar] as const;

const SYMBOL_SIZE = 42;

const DASHES = [undefined, '8 4', '4 2', '10 3 2 3'] as const;

const APART = 24;

/** A line of more points has figures at its least, largest and last one. */
const MOST_FIGURES = 10;

const LETTER = 13;

type Points = readonly (number | undefined)[];

type Place = { readonly x: (index: number) => number; readonly y: (value: number) => number };

/** Series as lines over their days, from zero; a gap breaks the line. Marks, dashes and letters tell them apart. */
export function linesBody({ series, names, unit, remarks }: SeriesDrawing): Body {
  const values = series.map((one) => one.values.map(drawable));
  const single = series.length === 1;
  const known = values.flat().filter((value) => value !== undefined);
  const axis = valueAxis(known, { height: HEIGHT, unit });
  const figures = single ? figuresOf(series[0], unit) : [];
  const wide = figures.map(({ words }) => widthOf(words, SMALL));
  const inset = largest(
    wide.map((each) => each / 2 + 4),
    10,
  );
  const days = longestDays(series);
  const width = WIDTH - axis.room - (single ? 10 : 24);
  const steps = stepsOf(series);
  const apart = (width - 2 * inset) / Math.max(1, steps - 1);
  const x = scaleLinear()
    .domain([0, Math.max(1, steps - 1)])
    .range([inset, width - inset]);
  const below = stepAxis(days, { at: x, apart });
  const isRoundedFigure = figures.some(({ index }) => isRounded(series[0]?.values[index]));
  const place: Place = { x, y: axis.at };
  const every = Math.max(1, Math.ceil(APART / apart));
  const drawn = [
    axis.draw(width),
    ...values.map((points, index) =>
      lineOf(points, index, {
        place,
        every,
        open: Math.min(series[index]?.unfinished ?? 0, points.length - 1),
      }),
    ),
    single ? pointFigures(figures, values[0] ?? [], place) : endLetters(values, place),
    placed(0, HEIGHT, below.markup),
  ];
  return {
    width: WIDTH,
    height: ABOVE + HEIGHT + below.height,
    legend: legendOf(names),
    remarks: [
      ...remarks,
      ...(known.length === 0 ? ['The service gave no figures.'] : []),
      ...(isRoundedFigure ? ['Rounded to two decimals.'] : []),
    ],
    markup: placed(axis.room, ABOVE, drawn.join('')),
  };
}

type LineStyle = {
  readonly place: Place;
  readonly every: number;
  readonly open: number;
};

/** Leads to points that are not final; no series has dots. */
const OPEN_DASH = '1 4';

function lineOf(points: Points, index: number, { place, every, open }: LineStyle): string {
  const color = index % COLORS;
  const isPoint = (value: number | undefined) => value !== undefined;
  const y = (value: number | undefined) => place.y(value ?? 0);
  const pathOf = (from: number, to: number) =>
    lineShape<number | undefined>((_, at) => place.x(at + from), y)
      .defined(isPoint)
      .digits(2)(points.slice(from, to));
  const marks = points.flatMap((value, at) =>
    value !== undefined && (at % every === 0 || isAlone(points, at))
      ? [mark(index, place.x(at), place.y(value))]
      : [],
  );
  const stroke = (d: string | null, dash: string | undefined) =>
    d === null ? '' : element('path', { d, class: `line line${color}`, 'stroke-dasharray': dash });
  const over = points.length - open;
  return [
    stroke(pathOf(0, over), DASHES[index % DASHES.length]),
    open > 0 ? stroke(pathOf(over - 1, points.length), OPEN_DASH) : '',
    ...marks,
  ].join('');
}

/** A point between two gaps has no line to show it. */
function isAlone(points: Points, index: number): boolean {
  return points[index - 1] === undefined && points[index + 1] === undefined;
}

function mark(index: number, x: number, y: number): string {
  const shape = symbol(SYMBOLS[index % SYMBOLS.length], SYMBOL_SIZE).digits(1)() ?? '';
  const transform = `translate(${rounded(x)} ${rounded(y)})`;
  return element('path', { d: shape, class: `mark${index % COLORS}`, transform });
}

function legendOf(names: readonly string[]): readonly LegendEntry[] {
  return names.flatMap((name, index) => {
    if (name === '') return [];
    const middle = SAMPLE.height / 2;
    const line = element('path', {
      d: `M0,${middle}h${SAMPLE.width}`,
      class: `line line${index % COLORS}`,
      'stroke-dasharray': DASHES[index % DASHES.length],
    });
    return [{ name, sample: line + mark(index, SAMPLE.width / 2, middle) }];
  });
}

/** The letter of each line beside its last point; letters that would touch move up. */
function endLetters(values: readonly Points[], place: Place): string {
  const ends = values.flatMap((points, series) => {
    const index = points.findLastIndex((value) => value !== undefined);
    const value = points[index];
    return value === undefined ? [] : [{ series, index, y: Math.min(place.y(value), HEIGHT - LETTER / 2) }];
  });
  const highest = new Map<number, number>();
  return ends
    .toSorted((one, other) => other.y - one.y)
    .map(({ series, index, y }) => {
      const free = Math.min(y, (highest.get(index) ?? Infinity) - LETTER);
      highest.set(index, free);
      const tone = `mark${series % COLORS}`;
      return text(place.x(index) + 9, free, letterOf(series), { bold: true, tone });
    })
    .join('');
}

type Figure = { readonly index: number; readonly words: string };

/** The figures that a single line has beside its points: the last first, since it counts most. */
function figuresOf(series: Series | undefined, unit: string): readonly Figure[] {
  if (series === undefined) return [];
  const points = series.values.map(drawable);
  const known = points.flatMap((value, index) => (value === undefined ? [] : [{ value, index }]));
  if (known.length === 0) return [];
  const ordered = known.toSorted((one, other) => one.value - other.value);
  const places = [known.at(-1), ordered.at(-1), ordered[0], ...(points.length > MOST_FIGURES ? [] : known)];
  const indexes = new Set(places.flatMap((each) => (each === undefined ? [] : [each.index])));
  return [...indexes].map((index) => {
    const exact = grouped(figureText(series.values[index]));
    return {
      index,
      words: `${widthOf(exact, SMALL) > 110 ? shortFigure(points[index] ?? 0) : exact}${unit}`,
    };
  });
}

/** A figure stands above its point, beside it on a slope, and below it in a valley: it never covers the line. */
function pointFigures(figures: readonly Figure[], points: Points, place: Place): string {
  const labels = figures.map(({ index, words }) => {
    const value = points[index] ?? 0;
    const [before = value, after = value] = [points[index - 1], points[index + 1]];
    const isValley = before >= value && after >= value && before + after > 2 * value;
    const [above, below] = [place.y(value) - 13, place.y(value) + 14];
    const isFree = value < 0 || below < place.y(0) - 8;
    // -1 where the line falls, 1 where it rises.
    const slope =
      before === value || after === value ? 0 : (Math.sign(after - value) + Math.sign(value - before)) / 2;
    const beside = slope * (widthOf(words, SMALL) / 2 + 3);
    return { x: place.x(index) - beside, y: isValley && isFree ? below : above, words };
  });
  return withoutOverlap(labels)
    .map(({ x, y, words }) => text(x, y, words, { size: SMALL, tone: 'halo', align: 'middle' }))
    .join('');
}

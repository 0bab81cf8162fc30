import type { Json } from '../json/kinds.ts';
import { largest, smallest } from '../json/numbers.ts';
import { dataText, roundedDigits } from '../json/text.ts';
import { numberOf } from '../semantics/answer.ts';

/** What a chart says, without its marks: terminals and pictures draw the same one. */
export type Chart =
  | SeriesChart
  | BarsChart
  | NumberChart
  | FunnelChart
  | RetentionChart
  | LifecycleChart
  | BoxPlotChart;

/** `whole`: the chart holds every figure of the answer. `remarks` are sentences that belong below a drawing. */
type Common = {
  readonly whole: boolean;
  readonly remarks: readonly string[];
  readonly period?: string | undefined;
};

/** One line of a chart; `days` are its own, since a previous period has others. */
export type Series = {
  readonly name: string;
  readonly days: readonly string[];
  readonly values: readonly (Json | undefined)[];
  /** How many values at the end are of intervals that are not over. */
  readonly unfinished: number;
};

/** Series over days or other steps; `unit` stands behind each number: `%`. */
export type SeriesChart = Common & {
  readonly shape: 'series';
  readonly series: readonly Series[];
  readonly style: 'lines' | 'bars';
  readonly unit: string;
};

/** `value` is undefined without a figure. */
export type LabelledBar = {
  readonly label: string;
  readonly value: number | undefined;
  readonly text: string;
};

/** Bars with a label each on one scale from zero. */
export type BarsChart = Common & {
  readonly shape: 'bars';
  readonly bars: readonly LabelledBar[];
  /** What the longest bar could stand for, if not the largest value. */
  readonly full?: number;
};

export type NumberChart = Common & {
  readonly shape: 'number';
  readonly totals: readonly { readonly name: string; readonly text: string }[];
};

/** `reach` is the length of the bar without people lost. */
export type FunnelStep = {
  readonly place: string;
  readonly name: string;
  readonly optional: boolean;
  readonly count: number | undefined;
  readonly text: string;
  readonly reach: number | undefined;
  readonly details: readonly string[];
  readonly times: readonly string[];
};

export type Funnel = { readonly name: string; readonly steps: readonly FunnelStep[] };

/** `full` is what the scale reaches to where funnels share one; `lost` says what lies between count and reach. */
export type FunnelChart = Common & {
  readonly shape: 'funnel';
  readonly funnels: readonly Funnel[];
  readonly full: number | undefined;
  readonly lost: string;
};

/** A share of 0 people is undefined. */
export type RetentionCell = { readonly share: number | undefined; readonly text: string };

/** Cohorts, their size in the `first` interval, and how much of it came back; what is not known yet has no cell. */
export type RetentionChart = Common & {
  readonly shape: 'retention';
  readonly first: string;
  readonly intervals: readonly string[];
  readonly cohorts: readonly {
    readonly name: string;
    readonly size: string;
    readonly cells: readonly (RetentionCell | undefined)[];
  }[];
};

/** Columns of parts on top of each other, those below zero below the axis; `values` has a list for each day. */
export type LifecycleChart = Common & {
  readonly shape: 'lifecycle';
  readonly statuses: readonly { readonly name: string; readonly letter: string }[];
  readonly days: readonly string[];
  readonly values: readonly (readonly number[])[];
  readonly unfinished: number;
};

export type BoxParts = readonly [number, number, number, number, number];

export type BoxPlotChart = Common & {
  readonly shape: 'box-plot';
  readonly boxes: readonly {
    readonly label: string;
    readonly parts: BoxParts | undefined;
    readonly values: readonly number[];
    readonly median: string;
  }[];
};

/** What is done with a chart of each shape. */
export type ByShape<Result, More extends readonly unknown[] = []> = {
  readonly [Shape in Chart['shape']]: (
    chart: Extract<Chart, { readonly shape: Shape }>,
    ...more: More
  ) => Result;
};

export function ofShape<Result, More extends readonly unknown[]>(
  table: ByShape<Result, More>,
  chart: Chart,
  ...more: More
): Result {
  // The entry of a shape takes charts of that shape.
  const entry = table[chart.shape] as (chart: Chart, ...more: More) => Result;
  return entry(chart, ...more);
}

const MOST_DESCRIBED = 20;

/** The picture in words, for people who hear it. */
export function descriptionOf(chart: Chart): string {
  const [kind = '', ...items] = ofShape(WORDS, chart);
  const shown = items.slice(0, MOST_DESCRIBED);
  const left = items.length - shown.length;
  return `${kind}: ${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}`;
}

/** What it is, and what each of its parts says. */
const WORDS: ByShape<readonly string[]> = {
  series: ({ series }) => [
    'Series over time or steps',
    ...series.map(({ name, values }) => `${name}: ${values.map((value) => figureText(value)).join(', ')}`),
  ],
  bars: ({ bars }) => ['Bars', ...bars.map(({ label, text }) => `${label}: ${text}`)],
  number: ({ totals }) => ['Figure', ...totals.map(({ name, text }) => `${name}: ${text}`)],
  funnel: ({ funnels }) => [
    'Funnel',
    ...funnels.flatMap(({ name, steps }) =>
      steps.map((step) => `${name === '' ? '' : `${name}, `}${step.name}: ${step.text}`),
    ),
  ],
  retention: ({ cohorts }) => [
    'Retention by cohort',
    ...cohorts.map(
      ({ name, size, cells }) =>
        `${name}: ${[size, ...cells.flatMap((cell) => cell?.text ?? [])].join(', ')}`,
    ),
  ],
  lifecycle: ({ statuses, values }) => [
    'Lifecycle, stacked by status',
    ...statuses.map(({ name }, place) => `${name}: ${values.map((day) => day[place] ?? 0).join(', ')}`),
  ],
  'box-plot': ({ boxes }) => [
    'Box plot, medians',
    ...boxes.map(({ label, median }) => `${label}: ${median}`),
  ],
};

/** Stands for a figure that the service did not give: a gap is no zero. */
export const NO_FIGURE = 'no figure';

/** Beyond this size, or below its reciprocal, sums and scales are lost in the limits of floating point. */
const LARGEST = 1e200;

/** A number that a mark can be drawn for; undefined for a gap, and for what is too large or too close to zero. */
export function drawable(value: Json | undefined): number | undefined {
  const number = numberOf(value);
  if (number === undefined || number === 0) return number;
  const size = Math.abs(number);
  return size < LARGEST && size > 1 / LARGEST ? number : undefined;
}

/** A figure for people: with its own digits, but at most two decimals; tiny ones keep two digits that count. */
export function figureText(value: Json | undefined, unit = ''): string {
  const digits = dataText(value);
  // A difference of figures that are too large has no digits.
  if (digits === null || (typeof value === 'number' && !Number.isFinite(value))) return NO_FIGURE;
  if (drawable(value) === undefined) return digits;
  return `${roundedDigits(digits)}${unit}`;
}

export function isRounded(value: Json | undefined): boolean {
  const number = drawable(value);
  return number !== undefined && Number(figureText(value)) !== number;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** Seconds as `2d 3h 4m 5s`; below ten seconds with two decimals, above without. */
export function durationText(value: Json | undefined): string {
  const seconds = drawable(value);
  if (seconds === undefined) return NO_FIGURE;
  if (Math.abs(seconds) < 10) return `${figureText(seconds)}s`;
  let left = Math.round(Math.abs(seconds));
  const parts: string[] = [];
  for (const [unit, length] of UNITS) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  if (left > 0) parts.push(`${left}s`);
  return (seconds < 0 ? '-' : '') + parts.join(' ');
}

export function isRoundedDuration(value: Json | undefined): boolean {
  const seconds = drawable(value);
  if (seconds === undefined) return false;
  return Math.abs(seconds) < 10 ? isRounded(value) : !Number.isInteger(seconds);
}

/** Days as they are told apart: without a time where all are midnight. */
export function dayTexts(days: readonly (Json | undefined)[]): readonly string[] {
  const texts = days.map((day) => (typeof day === 'string' ? day : (dataText(day) ?? '')));
  const times = texts.map((text) =>
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text),
  );
  if (!times.every((time) => time !== null)) return texts;
  const midnight = times.every((time) => time?.[2] === undefined || time[2] === '00:00');
  return times.map((time) => (midnight ? (time?.[1] ?? '') : `${time?.[1]} ${time?.[2] ?? '00:00'}`));
}

/** Ticks of an axis: the multiples of `step` from `first` to `last`. Zero is always among them. */
export type Scale = { readonly step: number; readonly first: number; readonly last: number };

/** A scale with at most about `most` steps of 1, 2, 2.5 or 5 times a power of ten that holds all of the values. */
export function niceScale(values: readonly number[], most: number): Scale {
  const low = smallest(values, 0);
  const high = largest(values, 0);
  const rough = (high / most - low / most || 1) * (1 - 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = factor * power;
  const first = low === 0 ? 0 : -Math.ceil(-low / step - 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return { step, first, last: Math.max(last, first + 1) };
}

const SUFFIXES = [
  ['T', 1e12],
  ['B', 1e9],
  ['M', 1e6],
  ['k', 1e3],
] as const;

/** A tick as text, nothing rounded: ticks have few digits. `20k`, `2.5M`, `0.25`. */
export function tickText(scale: Pick<Scale, 'step'>, tick: number): string {
  const value = Number((tick * scale.step).toPrecision(12));
  const [suffix, size] = SUFFIXES.find(([, each]) => scale.step >= each / 10 && Math.abs(value) >= each) ?? [
    '',
    1,
  ];
  return `${Number((value / size).toPrecision(12))}${suffix}`;
}

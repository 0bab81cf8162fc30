import type { Json } from '../json/kinds.ts';
import { figureText } from './figures.ts';

/** What a chart says, before anybody decides with which marks: terminals and pictures draw the same one. */
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
  /** The time it is about. */
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
  readonly style: 'lines' | 'area' | 'bars';
  readonly unit: string;
};

/** `value` is undefined without a figure. */
export type LabelledBar = {
  readonly label: string;
  readonly value: number | undefined;
  readonly text: string;
};

/** Bars with a label each on one scale from zero. `adjoining` ones are the bins of a histogram. */
export type BarsChart = Common & {
  readonly shape: 'bars';
  readonly bars: readonly LabelledBar[];
  /** What the longest bar could stand for, if not the largest value. */
  readonly full?: number;
  readonly adjoining?: true;
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
  /** How long it took from the step before. */
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
  /** How many days at the end are not over. */
  readonly unfinished: number;
};

export type BoxParts = readonly [number, number, number, number, number];

export type BoxPlotChart = Common & {
  readonly shape: 'box-plot';
  readonly boxes: readonly {
    readonly label: string;
    /** Undefined if one of the five figures is missing. */
    readonly parts: BoxParts | undefined;
    /** All figures there are, for the scale. */
    readonly values: readonly number[];
    readonly median: string;
  }[];
};

const MOST_DESCRIBED = 20;

/** The picture in words, for people who hear it. */
export function descriptionOf(chart: Chart): string {
  const items = describedItems(chart);
  const shown = items.slice(0, MOST_DESCRIBED);
  const left = items.length - shown.length;
  return `${KINDS[chart.shape]}: ${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}`;
}

const KINDS: Readonly<Record<Chart['shape'], string>> = {
  series: 'Series over time or steps',
  bars: 'Bars',
  number: 'Figure',
  funnel: 'Funnel',
  retention: 'Retention by cohort',
  lifecycle: 'Lifecycle, stacked by status',
  'box-plot': 'Box plot, medians',
};

function describedItems(chart: Chart): readonly string[] {
  switch (chart.shape) {
    case 'series':
      return chart.series.map(
        ({ name, values }) => `${name}: ${values.map((value) => figureText(value)).join(', ')}`,
      );
    case 'bars':
      return chart.bars.map(({ label, text }) => `${label}: ${text}`);
    case 'number':
      return chart.totals.map(({ name, text }) => `${name}: ${text}`);
    case 'funnel':
      return chart.funnels.flatMap(({ name, steps }) =>
        steps.map((step) => `${name === '' ? '' : `${name}, `}${step.name}: ${step.text}`),
      );
    case 'retention':
      return chart.cohorts.map(
        ({ name, size, cells }) =>
          `${name}: ${[size, ...cells.flatMap((cell) => cell?.text ?? [])].join(', ')}`,
      );
    case 'lifecycle':
      return chart.statuses.map(
        ({ name }, place) => `${name}: ${chart.values.map((day) => day[place] ?? 0).join(', ')}`,
      );
    case 'box-plot':
      return chart.boxes.map(({ label, median }) => `${label}: ${median}`);
  }
}

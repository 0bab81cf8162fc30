import type { Json } from '../../json/kinds.ts';

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
type Common = { readonly whole: boolean; readonly remarks: readonly string[] };

/** One line of a chart; `days` are its own, since a previous period has others. */
export type Series = {
  readonly name: string;
  readonly days: readonly string[];
  readonly values: readonly (Json | undefined)[];
};

/** Series over days or other steps; `unit` stands behind each number: `%`. */
export type SeriesChart = Common & {
  readonly shape: 'series';
  readonly series: readonly Series[];
  readonly style: 'lines' | 'area' | 'bars';
  readonly unit: string;
};

/** `value` is undefined where there is no figure. */
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

/** `reach` is how far the bar would go had nobody been lost. */
export type FunnelStep = {
  readonly place: string;
  readonly name: string;
  readonly optional: boolean;
  readonly count: number | undefined;
  readonly text: string;
  readonly reach: number | undefined;
  readonly details: readonly string[];
};

export type Funnel = { readonly name: string; readonly steps: readonly FunnelStep[] };

/** `full` is what the scale reaches to where funnels share one; `lost` says what lies between count and reach. */
export type FunnelChart = Common & {
  readonly shape: 'funnel';
  readonly funnels: readonly Funnel[];
  readonly full: number | undefined;
  readonly lost: string;
};

/** A share of nobody is undefined. */
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
};

/** Least, lower quartile, median, upper quartile and largest. */
export type BoxParts = readonly [number, number, number, number, number];

export type BoxPlotChart = Common & {
  readonly shape: 'box-plot';
  readonly boxes: readonly {
    readonly label: string;
    /** Undefined where one of the five figures is missing. */
    readonly parts: BoxParts | undefined;
    /** All figures there are, for the scale. */
    readonly values: readonly number[];
    readonly median: string;
  }[];
};

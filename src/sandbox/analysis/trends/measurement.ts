import type { Actor } from '../actors.ts';
import type { AnalysisEvent } from '../dataset.ts';
import type { Periods } from '../time/periods.ts';

/** An event of a series with its actor. The events of one actor come one after another, in order of time. */
export type Sample = { readonly actor: Actor; readonly event: AnalysisEvent };

/** Gathers the events of one series and says what they amount to, by period and over the whole range. */
export type Measure = {
  readonly take: (sample: Sample) => void;
  readonly data: () => readonly number[];
  readonly total: () => number;
};

export type MeasureSetting = {
  readonly periods: Periods;
  readonly timezone: string;
  /** Counts an actor in the first period only, so that running sums stay unique. */
  readonly onlyFirst: boolean;
};

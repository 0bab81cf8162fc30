import type { Json, JsonObject } from '../../json/kinds.ts';
import type { Column } from '../look.ts';

/** What an insight's answer is about. `total` is a trend with one figure a series instead of one a day. */
export type InsightKind =
  | 'trends'
  | 'total'
  | 'box-plot'
  | 'funnel-steps'
  | 'funnel-trends'
  | 'time-to-convert'
  | 'correlation'
  | 'retention'
  | 'lifecycle'
  | 'stickiness'
  | 'paths'
  | 'sql';

/** Flat rows of one answer. `summary` holds figures that belong to the whole answer, such as an average. */
export type Figures = {
  readonly kind: InsightKind;
  readonly rows: readonly JsonObject[];
  readonly columns: readonly Column[];
  readonly summary?: JsonObject;
};

/** Why there are no rows although the service answered. */
export type NoResult = { readonly reason: 'failed' | 'running' | 'not-calculated'; readonly message: string };

/** What kinds are told apart by, read out of query or filters. */
export type Question = {
  /** `TrendsQuery`, `HogQLQuery` …; undefined where neither query nor filters say. */
  readonly kind: string | undefined;
  readonly display: string | undefined;
  readonly funnelVizType: string | undefined;
  /** Order numbers of funnel steps that people may skip. */
  readonly optionalSteps: ReadonlySet<number>;
};

/** The parts of an answer that figures are read from. */
export type Answer = {
  readonly result: Json | undefined;
  readonly question: Question;
  readonly columns: Json | undefined;
  readonly boxPlot: Json | undefined;
};

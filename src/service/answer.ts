import {
  type Column,
  isExactNumber,
  isList,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from '../json/kinds.ts';

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

/** What was asked, for answers that don't repeat it (funnel calculation, query). */
export type Asked = { readonly query?: Json | undefined; readonly filters?: Json | undefined };

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

/** The older form of a definition, `filters`, names the kinds in its own way. */
const legacyKinds: Readonly<Record<string, string>> = {
  TRENDS: 'TrendsQuery',
  FUNNELS: 'FunnelsQuery',
  RETENTION: 'RetentionQuery',
  PATHS: 'PathsQuery',
  STICKINESS: 'StickinessQuery',
  LIFECYCLE: 'LifecycleQuery',
};

/** Reads what was asked. Both query and filters may be filled; then filters hold only the display. */
export function readQuestion(query: Json | undefined, filters: Json | undefined): Question {
  const source = field(query, 'source') ?? query;
  const legacy = textField(filters, 'insight');
  const settings = field(source, 'trendsFilter');
  return {
    kind: textField(source, 'kind') ?? (legacy === undefined ? undefined : legacyKinds[legacy]),
    display: textField(settings, 'display') ?? textField(filters, 'display'),
    funnelVizType:
      textField(field(source, 'funnelsFilter'), 'funnelVizType') ?? textField(filters, 'funnel_viz_type'),
    optionalSteps: optionalSteps(source),
  };
}

function optionalSteps(source: Json | undefined): ReadonlySet<number> {
  const steps = listField(source, 'series').flatMap((step, index) => {
    const optional = field(step, 'optionalInFunnel');
    return optional === true || optional === 'true' ? [numberOf(field(step, 'order')) ?? index] : [];
  });
  return new Set(steps);
}

/** The own value of a key, undefined for anything that is not an object. */
export function field(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? ownValue(value, key) : undefined;
}

export function textField(value: Json | undefined, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === 'string' ? found : undefined;
}

export function listField(value: Json | undefined, key: string): readonly Json[] {
  const found = field(value, key);
  return isList(found) ? found : [];
}

/** A list of objects, undefined if it is anything else. */
export function objects(value: Json | undefined): readonly JsonObject[] | undefined {
  return isList(value) && value.every(isObject) ? value.filter(isObject) : undefined;
}

/** A number to calculate with; undefined for what is not one, so that no figure is made out of nothing. */
export function numberOf(value: Json | undefined): number | undefined {
  if (isExactNumber(value)) return Number(value.value);
  return typeof value === 'number' ? value : undefined;
}

/** Keeps the columns that at least one row has something in; those named in `always` stay. */
export function filledColumns(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  always: readonly string[],
): readonly Column[] {
  return columns.filter(
    ({ key }) => always.includes(key) || rows.some((row) => (field(row, key) ?? null) !== null),
  );
}

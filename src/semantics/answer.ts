import { excerpt } from '../errors.ts';
import {
  type Column,
  type ColumnType,
  isExactNumber,
  isList,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from '../json/kinds.ts';

/** What an insight's answer is about. `total` is a trend with one figure a series instead of one a day. */
type InsightKind =
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
  /** For each series of an answer, its place among those of the definition, from 0. */
  readonly positions?: readonly (number | undefined)[];
};

/** Why there are no rows although the service answered. */
export type NoResult = { readonly reason: 'failed' | 'running' | 'not-calculated'; readonly message: string };

/** What the service says about an answer besides its figures: it answers 200 whatever became of the calculation. */
type AnswerState = {
  /** That the calculation failed: how the sentence goes on, `: out of memory`, or nothing. */
  readonly failure: string | undefined;
  /** It still runs; the figures, if any, are older ones. */
  readonly running: { readonly id: string | undefined } | undefined;
  /** Whether rows, or values of a breakdown, were left out; undefined if the service does not say. */
  readonly hasMore: boolean | undefined;
  /** When it was calculated, in milliseconds. */
  readonly calculated: number | undefined;
};

/** Reads it from an insight, from the answer of a calculation, or from that of a query. */
export function readState(answer: Json | object): AnswerState {
  // The types of answers are objects of JSON.
  const body = answer as Json;
  const status = field(body, 'query_status');
  const id = textField(status, 'id');
  const more = field(body, 'hasMore');
  const calculated = Date.parse(textField(body, 'last_refresh') ?? '');
  return {
    failure: failureOf(body, status),
    running: field(status, 'complete') === false && field(status, 'error') !== true ? { id } : undefined,
    // The specification has it as a text.
    hasMore: more === undefined || more === null ? undefined : more === true || more === 'true',
    calculated: Number.isNaN(calculated) ? undefined : calculated,
  };
}

function failureOf(body: Json, status: Json | undefined): string | undefined {
  const reason = textField(status, 'error_message') || textField(body, 'error');
  if (field(status, 'error') !== true && !textField(body, 'error')) return undefined;
  return reason ? `: ${excerpt(reason)}` : '';
}

/** Milliseconds that two clocks may be apart before a result counts as dated in the future. */
const CLOCKS_APART = 60_000;

/** How old an answer is, in milliseconds; `future`: its date lies ahead of the service's own clock. */
export function ageOf({ calculated }: AnswerState, now: number): number | 'unknown' | 'future' {
  if (calculated === undefined) return 'unknown';
  return calculated - now > CLOCKS_APART ? 'future' : Math.max(0, now - calculated);
}

/** The service calls the results of most intervals fresh for two hours. */
const FRESH = 2 * 3_600_000;

/** How an answer was asked for: when, by the service's own clock, and with which mode of refreshing. */
export type Request = { readonly began: number; readonly refresh: string | undefined };

/**
 * Whether a new calculation was asked for, and an older one came. `blocking` and the like leave the service its fresh
 * results; the modes that force one do not.
 */
export function isOlderThanAsked(answer: Json | object, { began, refresh }: Request): boolean {
  if (refresh === undefined || refresh === 'force_cache') return false;
  const { calculated } = readState(answer);
  // The types of answers are objects of JSON.
  if (calculated === undefined) return field(answer as Json, 'is_cached') === true;
  return began - calculated > (refresh.startsWith('force_') ? CLOCKS_APART : FRESH);
}

/** What kinds are told apart by, read out of query or filters. */
type Question = {
  /** `TrendsQuery`, `HogQLQuery` …; undefined if neither query nor filters say. */
  readonly kind: string | undefined;
  readonly display: string | undefined;
  readonly funnelVizType: string | undefined;
  /** Order numbers of funnel steps that people may skip. */
  readonly optionalSteps: ReadonlySet<number>;
  /** What people named the series, in their order. */
  readonly customNames: readonly (string | undefined)[];
  readonly byCohort: boolean;
};

/** The parts of an answer that figures are read from. */
export type Answer = {
  readonly result: Json | undefined;
  readonly question: Question;
  readonly columns: Json | undefined;
  /** The database's names for the types of the columns. */
  readonly types: Json | undefined;
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

/** Reads what an answer was asked for. Both query and filters may be filled; then filters hold only the display. */
export function readQuestion(answer: Json): Question {
  const filters = field(answer, 'filters');
  const source = sourceOf(answer);
  const legacy = textField(filters, 'insight');
  const settings = field(source, 'trendsFilter');
  return {
    kind: textField(source, 'kind') ?? (legacy === undefined ? undefined : legacyKinds[legacy]),
    display: textField(settings, 'display') ?? textField(filters, 'display'),
    funnelVizType:
      textField(field(source, 'funnelsFilter'), 'funnelVizType') ?? textField(filters, 'funnel_viz_type'),
    optionalSteps: optionalSteps(source),
    customNames: namedIn(source, settings).map((one) => textField(one, 'custom_name') || undefined),
    byCohort:
      (textField(field(source, 'breakdownFilter'), 'breakdown_type') ??
        textField(filters, 'breakdown_type')) === 'cohort',
  };
}

/** What the series of an answer are of: the series of its query, or the formulas over them. */
function namedIn(source: Json | undefined, settings: Json | undefined): readonly Json[] {
  const [nodes, several] = [listField(settings, 'formulaNodes'), listField(settings, 'formulas')];
  if (nodes.length > 0) return nodes;
  if (several.length > 0) return several;
  const single = textField(settings, 'formula');
  return single ? [single] : listField(source, 'series');
}

/** The query of an answer without what only says how it is shown. */
export function sourceOf(answer: Json): Json | undefined {
  const query = field(answer, 'query');
  return field(query, 'source') ?? query;
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

/** Some fields of an object, null if it lacks them. */
export function pick(value: Json | undefined, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, field(value, key) ?? null]));
}

/** A list of objects, undefined if it is anything else. */
export function objects(value: Json | undefined): readonly JsonObject[] | undefined {
  return isList(value) && value.every(isObject) ? value.filter(isObject) : undefined;
}

/** Rows of one key together, in the order in which the keys first came. */
export function grouped(
  rows: readonly JsonObject[],
  keyOf: (row: JsonObject) => string,
): readonly (readonly JsonObject[])[] {
  const groups = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** The objects of a list, if it holds nothing else and all of them have what is asked for. */
export function objectsIf(
  value: Json | undefined,
  has: (one: JsonObject) => boolean,
): readonly JsonObject[] | undefined {
  const list = objects(value);
  return list?.every(has) ? list : undefined;
}

/** A number to calculate with; undefined for what is not one, so that no figure is made out of nothing. */
export function numberOf(value: Json | undefined): number | undefined {
  if (isExactNumber(value)) return Number(value.value);
  return typeof value === 'number' ? value : undefined;
}

const NUMERIC: readonly (ColumnType | undefined)[] = ['integer', 'unsigned', 'number', 'decimal'];

/** The number in a column: the service writes long and decimal ones as texts, and says so by the type of the column. */
export function numberIn(value: Json | undefined, { type }: Pick<Column, 'type'>): number | undefined {
  if (typeof value !== 'string' || !NUMERIC.includes(type)) return numberOf(value);
  const number = value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether a column holds numbers, some of which may be missing. */
export function isNumeric(column: Column, rows: readonly JsonObject[]): boolean {
  return rows.some((row) => numberIn(row[column.key], column) !== undefined);
}

/** The columns, without those that may be empty and are so in every row. */
export function filledColumns(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  mayBeEmpty: readonly string[],
): readonly Column[] {
  return columns.filter(
    ({ key }) => !mayBeEmpty.includes(key) || rows.some((row) => (field(row, key) ?? null) !== null),
  );
}

export function keyed(...keys: readonly string[]): readonly Column[] {
  return keys.map((key) => ({ key }));
}

export function numbers(...keys: readonly string[]): readonly Column[] {
  return keys.map((key) => ({ key, kind: 'number' }));
}

export const OTHER = 'Other';

export const NONE = 'None';

/** The service's own words for what is left of a breakdown, and for those without a value; numbers for bins. */
const INNER_WORDS: Readonly<Record<string, string>> = {
  $$_posthog_breakdown_other_$$: OTHER,
  $$_posthog_breakdown_null_$$: NONE,
  '9007199254740991': OTHER,
  '9007199254740990': NONE,
};

const INNER_WORD = /\$\$_posthog_breakdown_(?:other|null)_\$\$/g;

/** A name or a value of a breakdown in words that people know; anything else as it is. */
export function plainWords<Value extends Json>(value: Value): Value | string {
  if (isExactNumber(value) || typeof value === 'number') {
    return INNER_WORDS[isExactNumber(value) ? value.value : String(value)] ?? value;
  }
  if (typeof value !== 'string') return value;
  return value.replaceAll(INNER_WORD, (word) => INNER_WORDS[word] ?? word);
}

import { type Column, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import {
  type Answer,
  type Figures,
  field,
  filledColumns,
  grouped,
  keyed,
  listField,
  type NoResult,
  numberOf,
  numbers,
  OTHER,
  objects,
  objectsIf,
  pick,
  plainWords,
  readQuestion,
  readState,
  sourceOf,
  textField,
} from '../answer.ts';
import { cutOf } from '../sql.ts';
import {
  correlationRows,
  lifecycleRows,
  pathsRows,
  points,
  retentionRows,
  sqlRows,
  stickinessRows,
  trendsRows,
} from './figure-rows.ts';

/** `unknown`: a shape that no row can be made of; the answer is best shown as JSON, with `message` as a note. */
export type InsightRows =
  | { readonly outcome: 'rows'; readonly figures: Figures }
  | ({ readonly outcome: 'no-result' } & NoResult)
  | { readonly outcome: 'unknown'; readonly message: string };

type ReadRows = (answer: Answer) => Figures | undefined;

const readers: Readonly<Record<string, ReadRows>> = {
  TrendsQuery: trendsRows,
  FunnelsQuery: funnelRows,
  FunnelCorrelationQuery: correlationRows,
  RetentionQuery: retentionRows,
  LifecycleQuery: lifecycleRows,
  StickinessQuery: stickinessRows,
  PathsQuery: pathsRows,
  HogQLQuery: sqlRows,
  EventsQuery: sqlRows,
  ActorsQuery: sqlRows,
};

/** Tried in this order if nothing says the kind: the shapes that are hardest to mistake come first. */
const byShape: readonly ReadRows[] = [
  correlationRows,
  retentionRows,
  lifecycleRows,
  pathsRows,
  funnelRows,
  trendsRows,
  sqlRows,
];

/** A whole answer of the service as flat rows. A missing figure is null, never zero; an empty list is an answer. */
export function insightRows(answer: Json): InsightRows {
  const result = field(answer, 'result') ?? field(answer, 'results');
  if (result === undefined || result === null) {
    return isObject(answer) ? { outcome: 'no-result', ...whyNothing(answer) } : unknownShape();
  }
  const parts: Answer = {
    result,
    question: readQuestion(answer),
    columns: field(answer, 'columns'),
    types: field(answer, 'types'),
    boxPlot: field(answer, 'boxplot_data'),
  };
  const figures = readFigures(parts);
  if (figures === undefined) return unknownShape();
  const { kind, rows, columns } = figures;
  const shown = kind === 'sql' ? columns : filledColumns(columns, rows, MAY_BE_EMPTY);
  return { outcome: 'rows', figures: { ...figures, columns: shown } };
}

const MAY_BE_EMPTY = [
  'breakdown_value',
  'breakdown_name',
  'compare_label',
  'series_label',
  'custom_name',
  'optional',
  'reached_from_step_count',
  'reached_to_step_count',
];

function readFigures(answer: Answer): Figures | undefined {
  const { kind } = answer.question;
  const reader = kind !== undefined && Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  const read = reader?.(answer);
  if (read !== undefined) return read;
  if (isList(answer.result) && answer.result.length === 0) return sqlRows(answer);
  // A series of a funnel's trend has no name; one of a trend, or of anything like it, has.
  const named = objects(answer.result)?.some((one) => field(one, 'label') !== undefined) ?? false;
  const ambiguous = isList(answer.result) && named;
  for (const attempt of byShape) {
    if (attempt === funnelRows && ambiguous) continue;
    const figures = attempt(answer);
    if (figures !== undefined) return figures;
  }
  return undefined;
}

function unknownShape(): InsightRows {
  return { outcome: 'unknown', message: 'this version cannot show the answer as rows' };
}

/** A 200 may carry no result: the calculation failed, still runs, or was not requested. */
function whyNothing(answer: Json): NoResult {
  const { failure, running } = readState(answer);
  if (failure !== undefined) return { reason: 'failed', message: `the calculation failed${failure}` };
  if (running !== undefined) return { reason: 'running', message: 'the result is still being calculated' };
  return { reason: 'not-calculated', message: 'the service has no result for this insight' };
}

/** Why figures are not whole, as the end of a sentence. A breakdown is whole if the rest is summed up as other. */
export function cutOfFigures(answer: Json, { kind, rows }: Figures): string | undefined {
  const { hasMore } = readState(answer);
  if (kind !== 'sql') {
    const summed = rows.some(({ breakdown_value: value }) => plainWords(value ?? '') === OTHER);
    return hasMore === true && !summed ? 'the service left out values of the breakdown' : undefined;
  }
  const sql = textField(sourceOf(answer), 'query') ?? '';
  const cut = cutOf({ sql, found: rows.length, hasMore });
  if (cut === undefined) return undefined;
  return cut === 'more'
    ? 'the service has more rows than it sent'
    : 'the service may have more rows than it sent';
}

/** A funnel in any of its shapes: steps (also one list for each breakdown), trends, time to convert. */
function funnelRows(answer: Answer): Figures | undefined {
  const { result, question } = answer;
  if (isList(field(result, 'bins')) || question.funnelVizType === 'time_to_convert')
    return timeToConvertRows(result);
  if (question.funnelVizType === 'trends') return funnelTrendsRows(answer);
  return stepRows(answer) ?? funnelTrendsRows(answer);
}

const stepColumns: readonly Column[] = [
  ...keyed('breakdown_value', 'breakdown_name', 'compare_label'),
  ...numbers('order'),
  ...keyed('name', 'custom_name', 'optional'),
  ...numbers('count'),
  { key: 'conversion_from_previous', title: 'from previous %', kind: 'number' },
  { key: 'conversion_from_first', title: 'from first %', kind: 'number' },
  { key: 'dropped', kind: 'number' },
  { key: 'average_conversion_time', title: 'average time (s)', kind: 'number' },
  { key: 'median_conversion_time', title: 'median time (s)', kind: 'number' },
];

const stepTimes = ['average_conversion_time', 'median_conversion_time'];

function stepRows({ result, question }: Answer): Figures | undefined {
  if (!isList(result)) return undefined;
  const steps = objectsIf(
    result.flatMap((entry) => (isList(entry) ? entry : [entry])),
    (step) => Object.hasOwn(step, 'order') && Object.hasOwn(step, 'count'),
  );
  if (steps === undefined) return undefined;
  const funnels = grouped(steps, (step) => JSON.stringify(pick(step, ['breakdown_value', 'compare_label'])));
  const rows = funnels.flatMap((funnel) => conversions(funnel, question));
  return { kind: 'funnel-steps', rows, columns: stepColumns };
}

/** Counted from the last step that is not optional; without people there, a percentage would be a lie and stays blank. */
function conversions(
  steps: readonly JsonObject[],
  { optionalSteps, byCohort }: Answer['question'],
): readonly JsonObject[] {
  const ordered = steps.toSorted((left, right) => (orderOf(left) ?? 0) - (orderOf(right) ?? 0));
  const first = numberOf(field(ordered[0], 'count'));
  let previous: number | undefined;
  return ordered.map((step) => {
    const count = numberOf(field(step, 'count'));
    const order = orderOf(step);
    const optional = order !== undefined && optionalSteps.has(order);
    const before = previous;
    if (!optional) previous = count;
    return {
      breakdown_value: single(field(step, 'breakdown_value')),
      ...(byCohort && cohortName(step)),
      ...pick(step, ['compare_label', 'order', 'name', 'custom_name']),
      optional: optional ? true : null,
      ...pick(step, ['count']),
      conversion_from_previous: percent(count, before),
      conversion_from_first: percent(count, first),
      dropped: optional || before === undefined || count === undefined ? null : before - count,
      ...pick(step, stepTimes),
    };
  });
}

/** The service tells the name of a cohort beside its number. */
function cohortName(one: JsonObject): JsonObject {
  const name = single(field(one, 'breakdown'));
  return typeof name === 'string' ? { breakdown_name: name } : {};
}

/** Older answers have the order as text. */
function orderOf(step: JsonObject): number | undefined {
  const order = field(step, 'order');
  return typeof order === 'string' && /^\d+$/.test(order) ? Number(order) : numberOf(order);
}

/** A breakdown by one property comes as a list of one value. */
function single(value: Json | undefined): Json {
  return isList(value) && value.length === 1 ? (value[0] ?? null) : (value ?? null);
}

/** To two places, as the service rounds its own. */
function percent(part: number | undefined, whole: number | undefined): number | null {
  if (part === undefined || whole === undefined || whole === 0) return null;
  return Math.round((part / whole) * 10_000) / 100;
}

function timeToConvertRows(result: Json | undefined): Figures | undefined {
  const bins = field(result, 'bins');
  if (!isList(bins) || !bins.every((bin) => isList(bin) && bin.length >= 2)) return undefined;
  const pairs = bins.filter(isList);
  const rows = pairs.map((bin, index) => ({
    seconds_from: bin[0] ?? null,
    seconds_to: pairs[index + 1]?.[0] ?? null,
    persons: bin[1] ?? null,
  }));
  const columns = numbers('seconds_from', 'seconds_to', 'persons');
  return { kind: 'time-to-convert', rows, columns, summary: pick(result, ['average_conversion_time']) };
}

/** A row for each day; `data` is the conversion rate in percent. */
function funnelTrendsRows({ result, question }: Answer): Figures | undefined {
  const series = objectsIf(result, (one) => isList(field(one, 'data')));
  if (series === undefined) return undefined;
  const rows = series.flatMap((one) =>
    points(one).map(({ day, value }, index) => ({
      breakdown_value: single(field(one, 'breakdown_value')),
      ...(question.byCohort && cohortName(one)),
      ...pick(one, ['compare_label']),
      day,
      reached_from_step_count: listField(one, 'reached_from_step_count')[index] ?? null,
      reached_to_step_count: listField(one, 'reached_to_step_count')[index] ?? null,
      conversion_rate: value,
    })),
  );
  return { kind: 'funnel-trends', rows, columns: rateColumns };
}

const rateColumns: readonly Column[] = [
  ...keyed('breakdown_value', 'breakdown_name', 'compare_label', 'day'),
  { key: 'reached_from_step_count', title: 'from step', kind: 'number' },
  { key: 'reached_to_step_count', title: 'to step', kind: 'number' },
  { key: 'conversion_rate', title: 'conversion rate %', kind: 'number' },
];

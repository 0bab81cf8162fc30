import { isList, isObject, type Json } from '../json/kinds.ts';
import { dataText } from '../json/text.ts';
import {
  type Answer,
  type Asked,
  type Figures,
  field,
  filledColumns,
  listField,
  NONE,
  type NoResult,
  OTHER,
  objects,
  pick,
  plainWords,
  readQuestion,
  readState,
  textField,
} from '../service/answer.ts';
import { isOver, OPEN, type Timeline } from '../service/calendar.ts';
import { cutOf } from '../service/sql.ts';
import { funnelRows, lifecycleRows, numbers, stickinessRows, trendsRows } from './figure-rows.ts';

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

/** Tried in this order where nothing says the kind: the shapes that are hardest to mistake come first. */
const byShape: readonly ReadRows[] = [
  correlationRows,
  retentionRows,
  lifecycleRows,
  pathsRows,
  funnelRows,
  trendsRows,
  sqlRows,
];

/**
 * The figures of an insight, a funnel calculation or a query as flat rows. `answer` is the service's whole answer
 * (`result` or `results`, with query, filters, columns and status where it has them). A missing figure is null, never
 * zero. An empty list is an answer: no rows.
 */
export function insightRows(answer: Json, asked: Asked = {}): InsightRows {
  const result = field(answer, 'result') ?? field(answer, 'results');
  if (result === undefined || result === null) {
    return isObject(answer) ? { outcome: 'no-result', ...whyNothing(answer) } : unknownShape();
  }
  const parts: Answer = {
    result,
    question: readQuestion(asked.query ?? field(answer, 'query'), asked.filters ?? field(answer, 'filters')),
    columns: field(answer, 'columns'),
    boxPlot: field(answer, 'boxplot_data'),
  };
  const figures = readFigures(parts);
  return figures === undefined ? unknownShape() : { outcome: 'rows', figures };
}

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

/** Retention: a row for each cohort, a column for each interval; cells that lie in the future are absent. */
function retentionRows({ result }: Answer): Figures | undefined {
  const cohorts = objects(result);
  if (cohorts === undefined || !cohorts.every((cohort) => isList(field(cohort, 'values')))) return undefined;
  const intervals: string[] = [];
  const rows = cohorts.map((cohort) => {
    const cells = listField(cohort, 'values').map((value, index): [string, Json] => {
      const interval = textField(value, 'label') ?? textField(cohorts[index], 'label') ?? String(index);
      if (!intervals.includes(interval)) intervals.push(interval);
      return [interval, field(value, 'count') ?? null];
    });
    return { ...pick(cohort, ['breakdown_value', 'date', 'label']), ...Object.fromEntries(cells) };
  });
  const columns = [{ key: 'breakdown_value' }, { key: 'date' }, { key: 'label' }, ...numbers(...intervals)];
  return { kind: 'retention', rows, columns: filledColumns(columns, rows, ['date', 'label', ...intervals]) };
}

/** Paths: a row for each edge. The service prefixes each end with the number of its step: `1_/pricing`. */
function pathsRows({ result }: Answer): Figures | undefined {
  const edges = objects(result);
  if (
    edges === undefined ||
    !edges.every((edge) => Object.hasOwn(edge, 'source') && Object.hasOwn(edge, 'target'))
  ) {
    return undefined;
  }
  const columns = [{ key: 'source' }, { key: 'target' }, ...numbers('value', 'average_conversion_time')];
  return { kind: 'paths', rows: edges, columns };
}

/** Correlation: a row for each event or property that goes with success or failure. */
function correlationRows({ result }: Answer): Figures | undefined {
  const events = objects(field(result, 'events'));
  if (events === undefined) return undefined;
  const figures = ['odds_ratio', 'success_count', 'failure_count'];
  const rows = events.map((entry) => ({
    event: textField(field(entry, 'event'), 'event') ?? field(entry, 'event') ?? null,
    ...pick(entry, ['correlation_type', ...figures]),
  }));
  const columns = [{ key: 'event' }, { key: 'correlation_type' }, ...numbers(...figures)];
  return { kind: 'correlation', rows, columns, summary: pick(result, ['skewed']) };
}

/** SQL and other tables: rows are lists, their names stand beside them. Two columns of one name are numbered. */
function sqlRows({ result, columns }: Answer): Figures | undefined {
  if (!isList(result)) return undefined;
  if (result.length > 0 && result.every(isObject)) {
    const rows = result.filter(isObject);
    const names = new Set(rows.flatMap((row) => Object.keys(row)));
    return { kind: 'sql', rows, columns: [...names].map((key) => ({ key })) };
  }
  if (!result.every(isList)) return undefined;
  const lists = result.filter(isList);
  const width = Math.max(0, ...lists.map((row) => row.length));
  const names = uniqueNames(isList(columns) ? columns : [], width);
  const rows = lists.map((row) =>
    Object.fromEntries(row.map((value, index): [string, Json] => [names[index] ?? String(index + 1), value])),
  );
  return { kind: 'sql', rows, columns: names.map((key) => ({ key })) };
}

function uniqueNames(columns: readonly Json[], width: number): readonly string[] {
  const used = new Set<string>();
  return Array.from({ length: Math.max(columns.length, width) }, (_, index) => {
    const given = columns[index];
    const wanted = typeof given === 'string' ? given : `column ${index + 1}`;
    let name = wanted;
    for (let copy = 2; used.has(name); copy += 1) name = `${wanted} (${copy})`;
    used.add(name);
    return name;
  });
}

/** The text of an SQL query, in whatever it is wrapped. */
function sqlOf(query: Json | undefined): string | undefined {
  return textField(field(query, 'source') ?? query, 'query');
}

/**
 * Why figures are not whole, as the end of a sentence; undefined if they are. Rows of SQL may be cut off, and values
 * of a breakdown, unless those left out are summed up as other.
 */
export function cutOfFigures(
  answer: Json | object,
  { kind, rows }: Figures,
  asked: Asked = {},
): string | undefined {
  const { hasMore } = readState(answer);
  if (kind !== 'sql') {
    const summed = rows.some(({ breakdown_value: value }) => plainWords(value ?? '') === OTHER);
    return hasMore === true && !summed ? 'the service left out values of the breakdown' : undefined;
  }
  // The types of answers are objects of JSON.
  const sql = sqlOf(asked.query ?? field(answer as Json, 'query')) ?? '';
  const cut = cutOf({ sql, found: rows.length, hasMore });
  if (cut === undefined) return undefined;
  return cut === 'more'
    ? 'the service has more rows than it sent'
    : 'the service may have more rows than it sent';
}

/** The figures in words that people know: the service's own for what is left of a breakdown, and for no value, are replaced. */
export function forPeople(figures: Figures, answer: Json, asked: Asked = {}): Figures {
  if (figures.kind === 'sql') return figures;
  const isBrokenDown =
    isBreakdown(asked.query ?? field(answer, 'query'), asked.filters ?? field(answer, 'filters')) ||
    figures.rows.some(({ breakdown_value: value }) => (value ?? null) !== null);
  const rows = figures.rows.map((row) => {
    const { label, breakdown_value: value = null } = row;
    const words =
      isBrokenDown && Object.hasOwn(row, 'breakdown_value') ? { breakdown_value: wordsOf(value) } : {};
    return { ...row, ...(typeof label === 'string' ? { label: plainWords(label) } : {}), ...words };
  });
  return { ...figures, rows };
}

/** The figures with a mark on those whose interval was not over when they were calculated; undefined if all were. */
export function withOpenMarks(figures: Figures, timeline: Timeline): Figures | undefined {
  const cells = figures.columns.filter(({ kind }) => kind === 'number').map(({ key }) => key);
  let isOpen = false;
  const rows = figures.rows.map((row) => {
    const open = cells.filter((key, later) => {
      const value = row[key] ?? null;
      if (value === null) return false;
      return figures.kind === 'retention'
        ? !isOver(row.date, timeline, later)
        : figures.kind !== 'sql' && !isOver(row.day, timeline);
    });
    isOpen ||= open.length > 0;
    const marked = open.map((key): [string, Json] => [key, `${dataText(row[key])}${OPEN.mark}`]);
    return { ...row, ...Object.fromEntries(marked) };
  });
  return isOpen ? { ...figures, rows } : undefined;
}

function wordsOf(value: Json): Json {
  if (isList(value)) return value.length === 0 ? NONE : value.map(wordsOf);
  return value === null || value === '' ? NONE : plainWords(value);
}

function isBreakdown(query: Json | undefined, filters: Json | undefined): boolean {
  const source = field(query, 'source') ?? query;
  const asked = field(source, 'breakdownFilter') ?? filters;
  return listField(asked, 'breakdowns').length > 0 || (field(asked, 'breakdown') ?? null) !== null;
}

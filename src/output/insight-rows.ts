import { isList, isObject, type Json } from '../json/kinds.ts';
import type { Answer, Figures, NoResult } from './insights/answer.ts';
import { funnelRows } from './insights/funnel-rows.ts';
import { readQuestion } from './insights/question.ts';
import { field, objects, textField } from './insights/read.ts';
import { lifecycleRows, stickinessRows, trendsRows } from './insights/series-rows.ts';
import { correlationRows, pathsRows, retentionRows, sqlRows } from './insights/table-rows.ts';

export type { Figures, NoResult } from './insights/answer.ts';

/** `unknown`: a shape that no row can be made of; the answer is best shown as JSON, with `message` as a note. */
export type InsightRows =
  | { readonly outcome: 'rows'; readonly figures: Figures }
  | ({ readonly outcome: 'no-result' } & NoResult)
  | { readonly outcome: 'unknown'; readonly message: string };

/** What was asked, for answers that don't repeat it (funnel calculation, query). */
export type Asked = { readonly query?: Json | undefined; readonly filters?: Json | undefined };

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
  const known = kind !== undefined && Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  const read = known?.(answer);
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
  return { outcome: 'unknown', message: 'the answer has a shape this version cannot show as rows' };
}

/** A 200 may carry no result: the calculation failed, still runs, or nobody asked for one. */
function whyNothing(answer: Json): NoResult {
  const status = field(answer, 'query_status');
  if (field(status, 'error') === true) {
    const message = textField(status, 'error_message');
    return {
      reason: 'failed',
      message: message === undefined ? 'the calculation failed' : `the calculation failed: ${message}`,
    };
  }
  if (isObject(status) && field(status, 'complete') === false) {
    return { reason: 'running', message: 'the result is still being calculated' };
  }
  return { reason: 'not-calculated', message: 'the service holds no result for this insight' };
}

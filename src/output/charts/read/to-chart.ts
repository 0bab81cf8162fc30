import type { Json } from '../../../json/kinds.ts';
import type { Asked } from '../../insight-rows.ts';
import type { Figures } from '../../insights/answer.ts';
import { readQuestion } from '../../insights/question.ts';
import { field, textField } from '../../insights/read.ts';
import type { Chart } from '../chart.ts';
import { readBoxPlot } from './read-box-plot.ts';
import { readFunnel } from './read-funnel.ts';
import { readLifecycle } from './read-lifecycle.ts';
import { readCorrelation, readPaths } from './read-ranks.ts';
import { readRetention } from './read-retention.ts';
import { readFunnelTrends, readStickiness, readTrends } from './read-series.ts';
import { readSql } from './read-sql.ts';
import { readTimeToConvert } from './read-time-to-convert.ts';
import { readTotals } from './read-totals.ts';

type Reading = { readonly display: string | undefined; readonly unicode: boolean };
type Read = (figures: Figures, reading: Reading) => Chart | undefined;

const readers: Readonly<Record<Figures['kind'], Read>> = {
  trends: (figures, { display }) => readTrends(figures, display),
  total: (figures, { display }) => readTotals(figures, display),
  'box-plot': readBoxPlot,
  'funnel-steps': readFunnel,
  'funnel-trends': readFunnelTrends,
  'time-to-convert': readTimeToConvert,
  correlation: readCorrelation,
  retention: readRetention,
  lifecycle: readLifecycle,
  stickiness: readStickiness,
  paths: (figures, { unicode }) => readPaths(figures, unicode ? '→' : '->'),
  sql: (figures, { display }) => readSql(figures, display),
};

/** The figures of an answer as a chart. Undefined where there is nothing to draw, or a table shows it better. */
export function toChart(
  figures: Figures,
  answer: Json,
  { asked = {}, unicode }: { readonly asked?: Asked | undefined; readonly unicode: boolean },
): Chart | undefined {
  return readers[figures.kind](figures, { display: displayOf(answer, asked), unicode });
}

/** How the app shows it. SQL keeps that outside its source, and a plain table of the app has no other form. */
function displayOf(answer: Json, asked: Asked): string | undefined {
  const query = asked.query ?? field(answer, 'query');
  if (textField(query, 'kind') === 'DataTableNode') return 'ActionsTable';
  return (
    textField(query, 'display') ?? readQuestion(query, asked.filters ?? field(answer, 'filters')).display
  );
}

import type { Json } from '../../api/json.ts';
import type { Asked } from '../insight-rows.ts';
import type { Figures } from '../insights/answer.ts';
import { readQuestion } from '../insights/question.ts';
import { field, textField } from '../insights/read.ts';
import { drawBoxPlot } from './box-plot.ts';
import { drawFunnelSteps } from './funnel-steps.ts';
import { drawLifecycle } from './lifecycle.ts';
import { type Canvas, fitLine, type Picture } from './picture.ts';
import { drawCorrelation, drawPaths } from './ranks.ts';
import { drawRetention } from './retention.ts';
import { seriesOf } from './series.ts';
import { drawSql } from './sql.ts';
import { drawStickiness } from './stickiness.ts';
import { drawTimeToConvert } from './time-to-convert.ts';
import { drawTotals } from './totals.ts';
import { drawSeries, drawTrends } from './trends.ts';

/** Narrower terminals get drawings of this width all the same. */
const LEAST_WIDTH = 40;

type Draw = (figures: Figures, canvas: Canvas, display: string | undefined) => Picture | undefined;

const drawers: Readonly<Record<Figures['kind'], Draw>> = {
  trends: drawTrends,
  total: drawTotals,
  'box-plot': drawBoxPlot,
  'funnel-steps': drawFunnelSteps,
  'funnel-trends': (figures, canvas) =>
    drawSeries(seriesOf(figures, 'conversion_rate'), canvas, { display: undefined, unit: '%' }),
  'time-to-convert': drawTimeToConvert,
  correlation: drawCorrelation,
  retention: drawRetention,
  lifecycle: drawLifecycle,
  stickiness: drawStickiness,
  paths: drawPaths,
  sql: drawSql,
};

/**
 * The figures of an answer as a picture of characters: no line wider than the canvas, no control character, and nothing
 * told by colour alone. Undefined where there is nothing to draw, or a table shows it better.
 */
export function drawChart(
  figures: Figures,
  answer: Json,
  { asked = {}, canvas }: { readonly asked?: Asked; readonly canvas: Canvas },
): Picture | undefined {
  const fitting = { ...canvas, width: Math.max(LEAST_WIDTH, canvas.width) };
  const picture = drawers[figures.kind](figures, fitting, displayOf(answer, asked));
  return picture && { ...picture, lines: picture.lines.map((line) => fitLine(line, fitting)) };
}

/** How the app shows it. SQL keeps that outside its source, and a plain table of the app has no other form. */
function displayOf(answer: Json, asked: Asked): string | undefined {
  const query = asked.query ?? field(answer, 'query');
  if (textField(query, 'kind') === 'DataTableNode') return 'ActionsTable';
  return (
    textField(query, 'display') ?? readQuestion(query, asked.filters ?? field(answer, 'filters')).display
  );
}

import type { Json } from '../../json/kinds.ts';
import type { Asked } from '../insight-rows.ts';
import type { Figures } from '../insights/answer.ts';
import { drawBars } from './bars.ts';
import { drawBoxPlot } from './box-plot.ts';
import type { Chart } from './chart.ts';
import { drawFunnelSteps } from './funnel-steps.ts';
import { drawLifecycle } from './lifecycle.ts';
import { drawNumber } from './number.ts';
import { type Canvas, fitLine, type Picture } from './picture.ts';
import { toChart } from './read/to-chart.ts';
import { drawRetention } from './retention.ts';
import { drawSeries } from './series.ts';

/** Narrower terminals get drawings of this width all the same. */
const LEAST_WIDTH = 40;

/**
 * The figures of an answer as a picture of characters: no line wider than the canvas, no control character, and nothing
 * told by colour alone. Undefined where there is nothing to draw, or a table shows it better.
 */
export function drawChart(
  figures: Figures,
  answer: Json,
  { asked, canvas }: { readonly asked?: Asked | undefined; readonly canvas: Canvas },
): Picture | undefined {
  const fitting = { ...canvas, width: Math.max(LEAST_WIDTH, canvas.width) };
  const chart = toChart(figures, answer, { asked, unicode: canvas.unicode });
  if (chart === undefined) return undefined;
  const picture = draw(chart, fitting);
  return { ...picture, lines: picture.lines.map((line) => fitLine(line, fitting)) };
}

function draw(chart: Chart, canvas: Canvas): Picture {
  switch (chart.shape) {
    case 'series':
      return drawSeries(chart, canvas);
    case 'bars':
      return drawBars(chart, canvas);
    case 'number':
      return drawNumber(chart, canvas);
    case 'funnel':
      return drawFunnelSteps(chart, canvas);
    case 'retention':
      return drawRetention(chart, canvas);
    case 'lifecycle':
      return drawLifecycle(chart, canvas);
    case 'box-plot':
      return drawBoxPlot(chart, canvas);
  }
}

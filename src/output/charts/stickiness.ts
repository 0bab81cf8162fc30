import { dataText } from '../cell-text.ts';
import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import type { Canvas, Picture } from './picture.ts';
import { seriesOf } from './series.ts';
import { drawSeries } from './trends.ts';

/** Stickiness as bars: how many did it on 1, 2, 3 … intervals. */
export function drawStickiness(figures: Figures, canvas: Canvas): Picture | undefined {
  const rows = figures.rows.map((row) => {
    const days = dataText(field(row, 'days'));
    return { ...row, day: days === null ? null : `on ${days}` };
  });
  return drawSeries(seriesOf({ ...figures, rows }, 'value'), canvas, { display: 'ActionsBar' });
}

import type { JsonObject } from '../../../json/kinds.ts';
import { dataText } from '../../cell-text.ts';
import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { BoxParts, BoxPlotChart } from '../chart.ts';
import { dayTexts, drawable, figureText } from '../figure-text.ts';

const MOST_BOXES = 40;
const PARTS = ['min', 'p25', 'median', 'p75', 'max'] as const;

/** Box plots, one a day, on one scale. */
export function readBoxPlot({ rows }: Figures): BoxPlotChart | undefined {
  if (rows.length === 0 || rows.length > MOST_BOXES) return undefined;
  const days = dayTexts(rows.map((row) => field(row, 'day')));
  const boxes = rows.map((row, index) => ({
    label: [dataText(field(row, 'series_label')), days[index]].filter(Boolean).join(' '),
    parts: partsOf(row),
    values: PARTS.map((part) => drawable(field(row, part)) ?? 0),
    median: figureText(field(row, 'median')),
  }));
  return { shape: 'box-plot', boxes, whole: false, remarks: [] };
}

function partsOf(row: JsonObject): BoxParts | undefined {
  const [low, from, middle, to, high] = PARTS.map((part) => drawable(field(row, part)));
  if (
    low === undefined ||
    from === undefined ||
    middle === undefined ||
    to === undefined ||
    high === undefined
  ) {
    return undefined;
  }
  return [low, from, middle, to, high];
}

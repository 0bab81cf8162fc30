import type { BarsChart } from '../charts/chart.ts';
import { columnsBody } from './columns-body.ts';
import { type Body, fitted, WIDTH, widthOf } from './layout.ts';
import { rowPanel } from './row-panel.ts';

/** Bars on their side. The bins of a histogram stand upright and touch, as long as there is room below for their names. */
export function barsBody(chart: BarsChart): Body {
  const { bars, full, remarks, adjoining } = chart;
  const widest = Math.max(...bars.map(({ label }) => widthOf(label)));
  if (adjoining && widest + 8 <= (WIDTH - 80) / bars.length) return histogram(chart);
  const rows = bars.map(({ label, value, text }) => ({
    head: fitted(label, WIDTH),
    below: [],
    value,
    text: fitted(text, WIDTH / 2),
  }));
  const panel = rowPanel({ rows, width: WIDTH, full });
  return {
    width: WIDTH,
    height: panel.height,
    names: [],
    remarks,
    place: (corner) => panel.place(corner, 0),
  };
}

function histogram({ bars, remarks }: BarsChart): Body {
  const column = {
    name: '',
    values: bars.map(({ value }) => value),
    texts: bars.map(({ text }) => text),
  };
  return columnsBody({
    steps: bars.map(({ label }) => label),
    columns: [column],
    adjoining: true,
    remarks,
    unit: '',
  });
}

import { barLines } from './bar-lines.ts';
import type { BarsChart } from './chart.ts';
import { type Canvas, caption, type Picture } from './picture.ts';

/** Bars on their side; a bin of a histogram that holds one has a mark still. */
export function drawBars({ bars, full, remarks, whole }: BarsChart, canvas: Canvas): Picture {
  const toned = bars.map((bar) => ({ ...bar, tone: 0 }));
  return {
    lines: [...barLines(toned, canvas, { full }), ...remarks.flatMap((remark) => caption(remark, canvas))],
    complete: whole,
  };
}

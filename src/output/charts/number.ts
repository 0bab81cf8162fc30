import { bigNumber } from './big-number.ts';
import type { NumberChart } from './chart.ts';
import { type Canvas, caption, type Line, type Picture } from './picture.ts';

/** A large number; what it is compared with stands below it. */
export function drawNumber({ totals, remarks, whole }: NumberChart, canvas: Canvas): Picture {
  const lines = totals.flatMap(({ name, text }, index): readonly Line[] =>
    index === 0 ? bigNumber(text, name, canvas) : [[{ text: `${name}: ${text}` }]],
  );
  return { lines: [...lines, ...remarks.flatMap((remark) => caption(remark, canvas))], complete: whole };
}

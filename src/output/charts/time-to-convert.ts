import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { type Bar, barLines } from './bar-lines.ts';
import { drawable, durationText, figureText, isRoundedDuration } from './figure-text.ts';
import { type Canvas, caption, type Picture } from './picture.ts';

/** Times to convert as a histogram on its side: a bar a bin, on one scale from zero; a bin of one has a mark still. */
export function drawTimeToConvert({ rows, summary }: Figures, canvas: Canvas): Picture | undefined {
  if (rows.length === 0) return undefined;
  const bars = rows.map((row): Bar => {
    const from = durationText(field(row, 'seconds_from'));
    const to = field(row, 'seconds_to') ?? null;
    return {
      label: to === null ? `from ${from}` : `${from} to ${durationText(to)}`,
      value: drawable(field(row, 'persons')),
      text: figureText(field(row, 'persons')),
      tone: 0,
    };
  });
  const average = field(summary, 'average_conversion_time') ?? null;
  const rounded = [...rows.map((row) => field(row, 'seconds_from')), average].some(isRoundedDuration);
  const remark = [
    average === null ? '' : `On average ${durationText(average)}.`,
    rounded ? 'Times are rounded.' : '',
    'The smallest bar may stand for less than its length.',
  ];
  const text = remark.filter((each) => each !== '').join(' ');
  return { lines: [...barLines(bars, canvas), ...caption(text, canvas)], complete: true };
}

import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { BarsChart, LabelledBar } from '../chart.ts';
import { drawable, durationText, figureText, isRoundedDuration } from '../figure-text.ts';

/** Times to convert as a histogram: a bar a bin, on one scale from zero. */
export function readTimeToConvert({ rows, summary }: Figures): BarsChart | undefined {
  if (rows.length === 0) return undefined;
  const bars = rows.map((row): LabelledBar => {
    const from = durationText(field(row, 'seconds_from'));
    const to = field(row, 'seconds_to') ?? null;
    return {
      label: to === null ? `from ${from}` : `${from} to ${durationText(to)}`,
      value: drawable(field(row, 'persons')),
      text: figureText(field(row, 'persons')),
    };
  });
  const average = field(summary, 'average_conversion_time') ?? null;
  const rounded = [...rows.map((row) => field(row, 'seconds_from')), average].some(isRoundedDuration);
  const remark = [
    average === null ? '' : `On average ${durationText(average)}.`,
    rounded ? 'Times are rounded.' : '',
    'The smallest bar may stand for less than its length.',
  ];
  const remarks = [remark.filter((each) => each !== '').join(' ')];
  return { shape: 'bars', bars, adjoining: true, whole: true, remarks };
}

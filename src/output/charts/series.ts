import { type Bar, barLines } from './bar-lines.ts';
import type { Series, SeriesChart } from './chart.ts';
import { drawable, figureText, isRounded } from './figure-text.ts';
import { letterOf, MOST_SERIES } from './letters.ts';
import { type Canvas, caption, clean, type Line, type Picture } from './picture.ts';
import { plotLines } from './plot-lines.ts';
import { stepsOf } from './read/read-series.ts';

/** More bars than this are no picture any more. */
const MOST_BARS = 40;

/** Series as lines, as a shaded area, or as bars. */
export function drawSeries(chart: SeriesChart, canvas: Canvas): Picture {
  const { series: all, style, unit } = chart;
  const series = all.slice(0, MOST_SERIES);
  const wanted = style === 'bars';
  const steps = stepsOf(all);
  if (wanted && series.length * steps <= MOST_BARS) {
    return {
      lines: dailyBars(series, canvas, unit),
      complete: chart.whole && series.length === all.length,
    };
  }
  const remarks = [
    series.length < all.length ? `The first ${series.length} of ${all.length} series.` : '',
    wanted && steps > 1 ? 'Drawn as lines: there are too many bars.' : '',
    style === 'area' && series.length > 1 ? 'Drawn as lines, not on top of each other.' : '',
  ].filter((remark) => remark !== '');
  return {
    lines: [
      ...plotLines(series, canvas, { unit, area: style === 'area' }),
      ...remarks.flatMap((remark) => caption(remark, canvas)),
    ],
    complete: false,
  };
}

function dailyBars(series: readonly Series[], canvas: Canvas, unit: string): readonly Line[] {
  const days = Math.max(...series.map(({ values }) => values.length));
  const single = series.length === 1;
  const rows = Array.from({ length: days }, (_, index) =>
    series.map((one, place): Bar => {
      const day = series.find(({ days: own }) => own[index] !== undefined)?.days[index] ?? '';
      const own = place === 0 ? day : ' '.repeat(day.length);
      const value = one.values[index];
      return {
        label: single ? day : `${own} ${letterOf(place)}`,
        value: drawable(value),
        text: `${figureText(value)}${drawable(value) === undefined ? '' : unit}`,
        tone: place,
      };
    }),
  );
  const rounded = series.some(({ values }) => values.some(isRounded));
  return [
    ...series.map((one, place): Line => seriesLine(one, single ? undefined : place, { series, canvas })),
    ...barLines(rows.flat(), canvas),
    ...(rounded ? caption('Rounded to two decimals.', canvas) : []),
  ];
}

function seriesLine(
  one: Series,
  place: number | undefined,
  { series, canvas }: { series: readonly Series[]; canvas: Canvas },
): Line {
  if (place === undefined) return [{ text: clean(one.name, canvas.width, canvas), tone: 'title' }];
  const [first] = series;
  const own = one.days[0] !== first?.days[0];
  const range = own ? ` (${one.days[0] ?? ''} to ${one.days.at(-1) ?? ''})` : '';
  return [
    { text: letterOf(place), tone: place },
    { text: ` ${clean(one.name, canvas.width - 2 - range.length, canvas)}${range}` },
  ];
}

import type { Figures } from '../insights/answer.ts';
import { type Bar, barLines } from './bar-lines.ts';
import { drawable, figureText, isRounded } from './figure-text.ts';
import { type Canvas, caption, clean, type Line, type Picture } from './picture.ts';
import { plotLines } from './plot-lines.ts';
import { letterOf, MOST_SERIES, type Series, seriesOf } from './series.ts';

/** More bars than this are no picture any more. */
const MOST_BARS = 40;

const bars = new Set(['ActionsBar', 'ActionsUnstackedBar', 'ActionsStackedBar']);

/** Trends as lines, as a shaded area, or as bars; one day alone always as bars. */
export function drawTrends(
  figures: Figures,
  canvas: Canvas,
  display: string | undefined,
): Picture | undefined {
  return drawSeries(seriesOf(figures, 'value'), canvas, { display });
}

type Style = { readonly display: string | undefined; readonly unit?: string };

/** Any series over days or other steps. */
export function drawSeries(
  all: readonly Series[],
  canvas: Canvas,
  { display, unit = '' }: Style,
): Picture | undefined {
  const days = Math.max(0, ...all.map(({ values }) => values.length));
  if (days === 0) return undefined;
  const series = all.slice(0, MOST_SERIES);
  const few = series.length * days <= MOST_BARS;
  const wanted = bars.has(display ?? '');
  if (few && (wanted || days === 1)) {
    return { lines: dailyBars(series, canvas, unit), complete: series.length === all.length };
  }
  const remarks = [
    series.length < all.length ? `The first ${series.length} of ${all.length} series.` : '',
    wanted ? 'Drawn as lines: there are too many bars.' : '',
    display === 'ActionsAreaGraph' && series.length > 1 ? 'Drawn as lines, not on top of each other.' : '',
  ].filter((remark) => remark !== '');
  return {
    lines: [
      ...plotLines(series, canvas, { unit, area: display === 'ActionsAreaGraph' }),
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

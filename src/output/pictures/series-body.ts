import type { Series, SeriesChart } from '../charts/chart.ts';
import { drawable, figureText, isRounded } from '../charts/figure-text.ts';
import { letterOf, MOST_SERIES } from '../charts/letters.ts';
import { longestDays, stepsOf } from '../charts/read/read-series.ts';
import { columnsBody } from './columns-body.ts';
import { type Body, fitted, WIDTH, widthOf } from './layout.ts';
import { linesBody } from './lines-body.ts';

/** More columns than this are too narrow for their figures. */
const MOST_COLUMNS = 60;

/** Series as lines, as an area, or as columns. */
export function seriesBody({ series: all, style, unit, remarks }: SeriesChart): Body {
  const series = all.slice(0, MOST_SERIES);
  const steps = stepsOf(series);
  const wanted = style === 'bars';
  const columns = wanted && series.length * steps <= MOST_COLUMNS;
  const names = namesOf(series);
  const below = [
    ...remarks,
    series.length < all.length ? `The first ${series.length} of ${all.length} series.` : '',
    wanted && !columns ? 'Drawn as lines: there are too many bars.' : '',
    style === 'area' && series.length > 1 ? 'Drawn as lines, not on top of each other.' : '',
    columns && series.some(({ values }) => values.some(isRounded)) ? 'Rounded to two decimals.' : '',
  ].filter((remark) => remark !== '');
  if (!columns) return linesBody({ series, names, unit, area: style === 'area', remarks: below });
  return columnsBody({
    steps: longestDays(series),
    columns: series.map(({ values }, index) => ({
      name: names[index] ?? '',
      values: values.map(drawable),
      texts: values.map((value) => `${figureText(value)}${drawable(value) === undefined ? '' : unit}`),
    })),
    unit,
    remarks: below,
  });
}

/** Several series begin with a letter, which makes each name its own; one of other days than the first says which. */
function namesOf(series: readonly Series[]): readonly string[] {
  const [first] = series;
  return series.map(({ name, days }, index) => {
    const own = days[0] !== first?.days[0] || days.at(-1) !== first?.days.at(-1);
    const range = own ? ` (${days[0] ?? ''} to ${days.at(-1) ?? ''})` : '';
    const letter = series.length > 1 ? `${letterOf(index)} ` : '';
    return `${letter}${fitted(name, WIDTH - 80 - widthOf(letter + range))}${range}`;
  });
}

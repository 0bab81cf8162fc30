import { dataText } from '../json/text.ts';
import { type Figures, field } from '../service/answer.ts';
import type { BarsChart, LabelledBar, NumberChart } from './chart.ts';
import { drawable, durationText, figureText, isRounded, isRoundedDuration } from './figures.ts';
import { nameOf } from './read-series.ts';

const MOST_BARS = 50;

const ranked = new Set(['WorldMap', 'ActionsPie', 'ActionsDonut']);

const shared = new Set(['ActionsPie', 'ActionsDonut']);

/** One figure a series: a large number, or bars, the largest first for maps and pies, with shares for pies. */
export function readTotals(
  { rows }: Figures,
  display: string | undefined,
): BarsChart | NumberChart | undefined {
  if (rows.length === 0) return undefined;
  const totals = rows.map((row) => ({ name: nameOf(row), figure: field(row, 'aggregated_value') }));
  const values = totals.map(({ figure }) => drawable(figure) ?? 0);
  const rounded = totals.some(({ figure }) => isRounded(figure)) ? ['Rounded to two decimals.'] : [];
  if (display === 'BoldNumber' && rows.length <= 2) {
    const texts = totals.map(({ name, figure }) => ({ name, text: figureText(figure) }));
    return { shape: 'number', totals: texts, whole: true, remarks: rounded };
  }
  const sum = values.reduce((left, right) => left + right, 0);
  const shares = shared.has(display ?? '') && sum > 0 && values.every((value) => value >= 0);
  const bars = totals.map(({ name, figure }): LabelledBar => {
    const value = drawable(figure);
    const share = shares && value !== undefined ? ` (${figureText((value / sum) * 100)}%)` : '';
    return { label: name, value, text: `${figureText(figure)}${share}` };
  });
  const inOrder = ranked.has(display ?? '') ? largestFirst(bars) : bars;
  const shown = inOrder.slice(0, MOST_BARS);
  const whole = shown.length === bars.length;
  const remarks = [
    ...(whole ? [] : [`The first ${shown.length} of ${bars.length}.`]),
    ...(shares ? [`Shares of ${figureText(sum)}, rounded to two decimals.`] : []),
    ...rounded,
  ];
  return { shape: 'bars', bars: shown, whole, remarks };
}

function largestFirst(bars: readonly LabelledBar[]): readonly LabelledBar[] {
  return bars.toSorted((left, right) => (right.value ?? -Infinity) - (left.value ?? -Infinity));
}

const MOST_RANKS = 15;

/** The most used edges of paths, with their counts. */
export function readPaths({ rows }: Figures, arrow: string): BarsChart | undefined {
  if (rows.length === 0) return undefined;
  const edges = rows.map(
    (row): LabelledBar => ({
      label: `${dataText(field(row, 'source')) ?? ''} ${arrow} ${dataText(field(row, 'target')) ?? ''}`,
      value: drawable(field(row, 'value')),
      text: figureText(field(row, 'value')),
    }),
  );
  const bars = largestFirst(edges).slice(0, MOST_RANKS);
  const remarks = bars.length < edges.length ? [`The ${bars.length} most used of ${edges.length}.`] : [];
  return { shape: 'bars', bars, whole: false, remarks };
}

/** Events that go with conversion or its lack: how many of those who did each converted, as a share of all who did. */
export function readCorrelation({ rows, summary }: Figures): BarsChart | undefined {
  if (rows.length === 0) return undefined;
  const bars = rows.slice(0, MOST_RANKS).map((row): LabelledBar => {
    const [success, failure] = [drawable(field(row, 'success_count')), drawable(field(row, 'failure_count'))];
    const sum = success === undefined || failure === undefined ? 0 : success + failure;
    const type = dataText(field(row, 'correlation_type'));
    return {
      label: `${dataText(field(row, 'event')) ?? ''}${type === null ? '' : ` (${type})`}, odds ratio ${figureText(field(row, 'odds_ratio'))}`,
      value: sum > 0 ? (success ?? 0) / sum : undefined,
      text: `${figureText(field(row, 'success_count'))} of ${sum}`,
    };
  });
  const remarks = [
    'A bar shows how many of the people with this event converted.',
    rows.some((row) => isRounded(field(row, 'odds_ratio'))) ? 'Odds ratios are rounded.' : '',
    field(summary, 'skewed') === true
      ? 'The service reports a skewed funnel: nearly all or nearly none convert.'
      : '',
    bars.length < rows.length ? `The first ${bars.length} of ${rows.length}.` : '',
  ].filter((remark) => remark !== '');
  return { shape: 'bars', bars, full: 1, whole: bars.length === rows.length, remarks };
}

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
    'The shortest bar may be longer than its value.',
  ];
  const remarks = [remark.filter((each) => each !== '').join(' ')];
  return { shape: 'bars', bars, adjoining: true, whole: true, remarks };
}

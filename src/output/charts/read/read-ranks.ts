import { dataText } from '../../cell-text.ts';
import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { BarsChart, LabelledBar } from '../chart.ts';
import { drawable, figureText, isRounded } from '../figure-text.ts';
import { largestFirst } from './read-totals.ts';

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
      text: `${figureText(field(row, 'success_count'))} of ${sum > 0 ? sum : 'nobody'}`,
    };
  });
  const remarks = [
    'Bars show the share that converted among those who did it.',
    rows.some((row) => isRounded(field(row, 'odds_ratio'))) ? 'Odds ratios are rounded.' : '',
    field(summary, 'skewed') === true
      ? 'The service calls the funnel skewed: nearly all or nearly none convert.'
      : '',
    bars.length < rows.length ? `The first ${bars.length} of ${rows.length}.` : '',
  ].filter((remark) => remark !== '');
  return { shape: 'bars', bars, full: 1, whole: bars.length === rows.length, remarks };
}

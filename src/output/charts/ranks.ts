import { dataText } from '../cell-text.ts';
import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { barLines } from './bar-lines.ts';
import { drawable, figureText, isRounded } from './figure-text.ts';
import { type Canvas, caption, type Picture } from './picture.ts';

const MOST_RANKS = 15;

/** The most used edges of paths, with their counts. */
export function drawPaths({ rows }: Figures, canvas: Canvas): Picture | undefined {
  if (rows.length === 0) return undefined;
  const edges = rows
    .map((row) => ({
      label: `${dataText(field(row, 'source')) ?? ''} ${canvas.unicode ? '→' : '->'} ${dataText(field(row, 'target')) ?? ''}`,
      value: drawable(field(row, 'value')),
      text: figureText(field(row, 'value')),
      tone: 0,
    }))
    .toSorted((left, right) => (right.value ?? -Infinity) - (left.value ?? -Infinity));
  const shown = edges.slice(0, MOST_RANKS);
  const cut =
    shown.length < edges.length ? caption(`The ${shown.length} most used of ${edges.length}.`, canvas) : [];
  return { lines: [...barLines(shown, canvas), ...cut], complete: false };
}

/** Events that go with conversion or its lack: how many of those who did each converted, as a share of all who did. */
export function drawCorrelation({ rows, summary }: Figures, canvas: Canvas): Picture | undefined {
  if (rows.length === 0) return undefined;
  const bars = rows.slice(0, MOST_RANKS).map((row) => {
    const [success, failure] = [drawable(field(row, 'success_count')), drawable(field(row, 'failure_count'))];
    const sum = success === undefined || failure === undefined ? 0 : success + failure;
    const type = dataText(field(row, 'correlation_type'));
    return {
      label: `${dataText(field(row, 'event')) ?? ''}${type === null ? '' : ` (${type})`}, odds ratio ${figureText(field(row, 'odds_ratio'))}`,
      value: sum > 0 ? (success ?? 0) / sum : undefined,
      text: `${figureText(field(row, 'success_count'))} of ${sum > 0 ? sum : 'nobody'}`,
      tone: 0,
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
  return {
    lines: [...barLines(bars, canvas, { full: 1 }), ...remarks.flatMap((remark) => caption(remark, canvas))],
    complete: bars.length === rows.length,
  };
}

import type { JsonObject } from '../../../json/kinds.ts';
import { dataText } from '../../cell-text.ts';
import type { Figures } from '../../insights/answer.ts';
import { field } from '../../insights/read.ts';
import type { FunnelChart, FunnelStep } from '../chart.ts';
import {
  drawable,
  durationText,
  figureText,
  isRounded,
  isRoundedDuration,
  NO_FIGURE,
} from '../figure-text.ts';
import { nameOf } from './read-series.ts';

const MOST_FUNNELS = 15;

/**
 * A funnel, or one for each breakdown value or period. The periods of a comparison share one scale, each breakdown value
 * has its own, since their sizes differ widely.
 */
export function readFunnel({ rows }: Figures): FunnelChart | undefined {
  if (rows.length === 0) return undefined;
  const funnels = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const name = nameOf(row);
    funnels.set(name, [...(funnels.get(name) ?? []), row]);
  }
  const shown = [...funnels].slice(0, MOST_FUNNELS);
  const compared = rows.some((row) => (field(row, 'compare_label') ?? null) !== null);
  const full = compared ? Math.max(...rows.map((row) => drawable(field(row, 'count')) ?? 0)) : undefined;
  const all = funnels.size;
  const remarks = [
    all > 1 && !compared ? 'Each value has a scale of its own.' : '',
    roundedRemark(rows),
    shown.length < all ? `The first ${shown.length} of ${all}.` : '',
  ];
  return {
    shape: 'funnel',
    funnels: shown.map(([name, steps]) => ({ name, steps: steps.map(toStep) })),
    full,
    lost: rows.some((row) => field(row, 'optional') === true)
      ? 'dropped since the last step that is not optional, which previous means too.'
      : 'dropped since the step before.',
    whole: shown.length === all,
    remarks: remarks.filter((remark) => remark !== ''),
  };
}

function toStep(step: JsonObject, index: number): FunnelStep {
  const number = dataText(field(step, 'order'));
  const [count, dropped] = [drawable(field(step, 'count')), drawable(field(step, 'dropped'))];
  const lost = dropped !== undefined && dropped > 0 && count !== undefined;
  return {
    place: number !== null && /^\d+$/.test(number) ? String(Number(number) + 1) : '',
    name: dataText(field(step, 'custom_name')) || dataText(field(step, 'name')) || 'step without a name',
    optional: field(step, 'optional') === true,
    count,
    text: figureText(field(step, 'count')),
    reach: lost ? count + dropped : undefined,
    details: index === 0 ? [] : detailsOf(step),
  };
}

function detailsOf(step: JsonObject): readonly string[] {
  const figure = (key: string, write: (text: string) => string) => {
    const text = figureText(field(step, key));
    return text === NO_FIGURE ? [] : [write(text)];
  };
  const time = (key: string, word: string) => {
    const text = durationText(field(step, key));
    return text === NO_FIGURE ? [] : [`${word} ${text}`];
  };
  return [
    ...figure('conversion_from_previous', (text) => `${text}% of previous`),
    ...figure('conversion_from_first', (text) => `${text}% of first`),
    ...figure('dropped', (text) => `${text} dropped`),
    ...time('average_conversion_time', 'average'),
    ...time('median_conversion_time', 'median'),
  ];
}

function roundedRemark(rows: readonly JsonObject[]): string {
  const times = rows.some(
    (row) =>
      isRoundedDuration(field(row, 'average_conversion_time')) ||
      isRoundedDuration(field(row, 'median_conversion_time')),
  );
  const percents = rows.some(
    (row) =>
      isRounded(field(row, 'count')) ||
      !Number.isInteger(drawable(field(row, 'conversion_from_previous')) ?? 0),
  );
  const rounded = [times ? 'Times' : '', percents ? 'percentages' : '']
    .filter((word) => word !== '')
    .join(' and ');
  return rounded === '' ? '' : `${rounded.slice(0, 1).toUpperCase()}${rounded.slice(1)} are rounded.`;
}

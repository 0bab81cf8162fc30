import { isExactNumber, isList, type Json } from '../../json/kinds.ts';
import { type Figures, field, NONE, numberOf, plainWords, sourceOf, textField } from '../answer.ts';
import { dayOf, timelineOf } from '../timeline.ts';

/** Which part of the events the figures are calculated from, `0.1` for a tenth; undefined for all of them. */
function samplingOf(answer: Json): number | undefined {
  const source = sourceOf(answer);
  const told = field(source, 'samplingFactor') ?? field(field(answer, 'filters'), 'sampling_factor');
  const [, part, of] =
    /\bSAMPLE\s+(\d*\.?\d+)(?:\s*\/\s*(\d+))?/i.exec(textField(source, 'query') ?? '') ?? [];
  const factor =
    part === undefined
      ? Number(isExactNumber(told) ? told.value : (told ?? 1))
      : Number(part) / Number(of ?? 1);
  return factor > 0 && factor < 1 ? factor : undefined;
}

/** What the figures of an answer are beside what their names say, in sentences. */
export function figureRemarks(answer: Json): readonly string[] {
  const sampling = samplingOf(answer);
  const smoothing = smoothingOf(answer);
  const retention = field(sourceOf(answer), 'retentionFilter');
  const aggregation = textField(retention, 'aggregationType') ?? 'count';
  return [
    sampling !== undefined &&
      `The figures are extrapolated from a sample of ${Number((sampling * 100).toPrecision(6))}%.`,
    smoothing > 1 && `Each figure is the mean of ${smoothing} intervals.`,
    aggregation !== 'count' && `The figures count people; the ${aggregation} of the property is not read.`,
    field(retention, 'cumulative') === true &&
      'Each figure counts people who came back then or later, so it still grows.',
  ].filter((remark) => remark !== false);
}

/** Over how many intervals each figure of a trend is the mean. */
export function smoothingOf(answer: Json): number {
  const told =
    field(field(sourceOf(answer), 'trendsFilter'), 'smoothingIntervals') ??
    field(field(answer, 'filters'), 'smoothing_intervals');
  return numberOf(told) ?? 1;
}

const MOST_GAPS = 5;

/** That rows are missing between others, as a sentence: a statement has none for an interval without events. */
export function gapRemark(gaps: readonly string[]): string | undefined {
  if (gaps.length === 0) return undefined;
  const more = gaps.length > MOST_GAPS ? ' and others' : '';
  return `Intervals without a row do not count; they are missing after ${gaps.slice(0, MOST_GAPS).join(', ')}${more}.`;
}

/** That nothing has a value of the breakdown, as a sentence: its name may be wrong. */
export function breakdownRemark({ rows }: Figures, answer: Json): string | undefined {
  const filter = field(sourceOf(answer), 'breakdownFilter') ?? field(answer, 'filters');
  const asked = field(filter, 'breakdown') ?? null;
  const named = isList(asked) ? asked.map(String).join(', ') : asked;
  const type = textField(filter, 'breakdown_type');
  if (named === null || rows.length === 0 || type === 'cohort' || type === 'hogql') return undefined;
  const isNone = (value: Json | undefined): boolean =>
    Array.isArray(value) ? value.every(isNone) : (value ?? '') === '' || plainWords(value ?? '') === NONE;
  if (!rows.every((row) => isNone(row.breakdown_value))) return undefined;
  return `Nothing has a value of the ${type === undefined ? '' : `${type} `}property "${named}": its name may be wrong.`;
}

/** That figures of a whole range are still to change, as a sentence: it is not over, or people may still convert. */
export function rangeRemark({ kind }: Figures, answer: Json, now: number): string | undefined {
  const { at, to = at, window, timezone } = timelineOf(answer, now);
  if (kind === 'funnel-steps' || kind === 'time-to-convert')
    return Math.min(to, at) + window > at
      ? `People who began since ${dayOf(at - window, timezone)} may still convert.`
      : undefined;
  const isWhole = kind === 'stickiness' || kind === 'total';
  return isWhole && to >= at ? 'The figures are of a range that is not over.' : undefined;
}

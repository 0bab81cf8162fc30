import type { Json, JsonObject } from '../json/kinds.ts';
import { largest } from '../json/numbers.ts';
import { dataText } from '../json/text.ts';
import { type Figures, field, readQuestion, sourceOf, textField } from '../semantics/answer.ts';
import { seriesOf } from '../semantics/figures/series.ts';
import {
  type BarsChart,
  type ByShape,
  type Chart,
  dayTexts,
  drawable,
  durationText,
  type FunnelChart,
  type FunnelStep,
  figureText,
  isRounded,
  isRoundedDuration,
  type LabelledBar,
  NO_FIGURE,
  type NumberChart,
  ofShape,
} from './chart.ts';
import {
  type Reading,
  readBoxPlot,
  readLifecycle,
  readRetention,
  readSql,
  readStickiness,
  readTrends,
} from './read-series.ts';

type Read = (figures: Figures, reading: Reading) => Chart | undefined;

const readers: Readonly<Record<Figures['kind'], Read>> = {
  trends: readTrends,
  total: readTotals,
  'box-plot': readBoxPlot,
  'funnel-steps': readFunnel,
  'funnel-trends': readTrends,
  'time-to-convert': readTimeToConvert,
  correlation: readCorrelation,
  retention: readRetention,
  lifecycle: readLifecycle,
  stickiness: readStickiness,
  paths: readPaths,
  sql: readSql,
};

/** The figures of an answer as a chart. Undefined if there is nothing to draw, or a table shows it better. */
export function toChart(figures: Figures, answer: Json, { unicode, now }: ChartInput): Chart | undefined {
  if (figures.rows.length === 0) return undefined;
  const series = seriesOf(figures, answer, now);
  const chart = readers[figures.kind](figures, { series, display: displayOf(answer), unicode });
  const remarks = chart?.remarks.filter((remark) => remark !== '') ?? [];
  return chart && { ...chart, remarks, period: periodOf(chart, answer) };
}

type ChartInput = {
  readonly unicode: boolean;
  /** The service's time, in milliseconds: it tells which intervals are not over. */
  readonly now: number;
};

/** How the app shows it. SQL keeps that outside its source, and a plain table of the app has no other form. */
function displayOf(answer: Json): string | undefined {
  const query = field(answer, 'query');
  if (textField(query, 'kind') === 'DataTableNode') return 'ActionsTable';
  return textField(query, 'display') ?? readQuestion(answer).display;
}

const MOST_FUNNELS = 15;

/** The periods of a comparison share one scale; each breakdown value has its own, since sizes differ widely. */
function readFunnel({ rows }: Figures, { series: funnels }: Reading): FunnelChart {
  const shown = funnels.slice(0, MOST_FUNNELS);
  const compared = rows.some((row) => (field(row, 'compare_label') ?? null) !== null);
  const full = compared ? largest(rows.map((row) => drawable(field(row, 'count')) ?? 0)) : undefined;
  const all = funnels.length;
  return {
    shape: 'funnel',
    funnels: shown.map(({ name, figures }) => ({
      name,
      steps: figures.map(({ row }, index) => toStep(row, index)),
    })),
    full,
    lost: rows.some((row) => field(row, 'optional') === true)
      ? 'dropped since the last step that is not optional; "of previous" counts from there too.'
      : 'dropped since the step before.',
    whole: shown.length === all,
    remarks: [
      all > 1 && !compared ? 'Each value has its own scale.' : '',
      roundedRemark(rows),
      firstOf(shown, funnels),
    ],
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
    times: index === 0 ? [] : timesOf(step),
  };
}

function detailsOf(step: JsonObject): readonly string[] {
  const figure = (key: string, write: (text: string) => string) => {
    const text = figureText(field(step, key));
    return text === NO_FIGURE ? [] : [write(text)];
  };
  return [
    ...figure('conversion_from_previous', (text) => `${text}% of previous`),
    ...figure('conversion_from_first', (text) => `${text}% of first`),
    ...figure('dropped', (text) => `${text} dropped`),
  ];
}

function timesOf(step: JsonObject): readonly string[] {
  return ['average', 'median'].flatMap((word) => {
    const text = durationText(field(step, `${word}_conversion_time`));
    return text === NO_FIGURE ? [] : [`${word} ${text}`];
  });
}

function roundedRemark(rows: readonly JsonObject[]): string {
  const times = ['average_conversion_time', 'median_conversion_time'];
  const isTimeCut = rows.some((row) => times.some((key) => isRoundedDuration(field(row, key))));
  const isWhole = (value: Json | undefined) => Number.isInteger(drawable(value) ?? 0);
  const isShareCut = rows.some(
    (row) => isRounded(field(row, 'count')) || !isWhole(field(row, 'conversion_from_previous')),
  );
  if (isTimeCut) return isShareCut ? 'Times and percentages are rounded.' : 'Times are rounded.';
  return isShareCut ? 'Percentages are rounded.' : '';
}

function firstOf(shown: readonly unknown[], all: readonly unknown[]): string {
  return shown.length < all.length ? `The first ${shown.length} of ${all.length}.` : '';
}

const MOST_BARS = 50;

const ranked = new Set(['WorldMap', 'ActionsPie', 'ActionsDonut']);

const shared = new Set(['ActionsPie', 'ActionsDonut']);

/** One figure a series: a large number, or bars, the largest first for maps and pies, with shares for pies. */
function readTotals({ rows }: Figures, { series, display }: Reading): BarsChart | NumberChart {
  const totals = series.map(({ name, figures }) => ({ name, figure: figures[0]?.written }));
  const values = totals.map(({ figure }) => drawable(figure) ?? 0);
  const rounded = totals.some(({ figure }) => isRounded(figure)) ? 'Rounded to two decimals.' : '';
  if (display === 'BoldNumber' && rows.length <= 2) {
    const texts = totals.map(({ name, figure }) => ({ name, text: figureText(figure) }));
    return { shape: 'number', totals: texts, whole: true, remarks: [rounded] };
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
  const sharesOf = shares ? `Shares of ${figureText(sum)}, rounded to two decimals.` : '';
  const remarks = [firstOf(shown, bars), sharesOf || rounded];
  return { shape: 'bars', bars: shown, whole: shown.length === bars.length, remarks };
}

function largestFirst(bars: readonly LabelledBar[]): readonly LabelledBar[] {
  return bars.toSorted((left, right) => (right.value ?? -Infinity) - (left.value ?? -Infinity));
}

const MOST_RANKS = 15;

function readPaths({ rows }: Figures, { unicode }: Reading): BarsChart {
  const arrow = unicode ? '→' : '->';
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
function readCorrelation({ rows, summary }: Figures): BarsChart {
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
    firstOf(bars, rows),
  ];
  return { shape: 'bars', bars, full: 1, whole: bars.length === rows.length, remarks };
}

/** Times to convert as a histogram: a bar a bin, on one scale from zero. */
function readTimeToConvert({ rows, summary }: Figures): BarsChart {
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
  return { shape: 'bars', bars, whole: true, remarks };
}

const UNITS: Readonly<Record<string, string>> = {
  h: 'hours',
  d: 'days',
  w: 'weeks',
  m: 'months',
  q: 'quarters',
  y: 'years',
};

/** The time a chart is about: its own days, else the range the service tells, else the one that was asked for. */
function periodOf(chart: Chart, answer: Json): string | undefined {
  const own = ofShape(STEPS, chart);
  const isDays = own.every((day) => /^\d{4}-\d{2}(-\d{2})?( \d{2}:\d{2})?$/.test(day));
  const range = isDays ? rangeText(own[0], own.at(-1)) : undefined;
  if (range !== undefined) return range;
  const told = field(answer, 'resolved_date_range');
  if (textField(told, 'date_from') !== undefined) return askedText(told);
  return askedText(field(sourceOf(answer), 'dateRange')) ?? askedText(field(answer, 'filters'));
}

const STEPS: ByShape<readonly string[]> = {
  series: ({ series }) => series[0]?.days ?? [],
  lifecycle: ({ days }) => days,
  retention: ({ cohorts }) => cohorts.map(({ name }) => name),
  'box-plot': ({ boxes }) => boxes.map(({ label }) => label),
  bars: () => [],
  number: () => [],
  funnel: () => [],
};

function askedText(range: Json | undefined): string | undefined {
  const [from, to] = [textField(range, 'date_from'), textField(range, 'date_to')];
  const last = /^-(\d+)([hdwmqy])$/.exec(from ?? '');
  if (last !== null && to === undefined) return `Last ${last[1]} ${UNITS[last[2] ?? ''] ?? ''}`;
  const [first, end] = dayTexts([from ?? null, to ?? null]);
  return rangeText(first || undefined, end || undefined);
}

function rangeText(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined) return to === undefined ? undefined : `Until ${to}`;
  if (to === undefined) return `From ${from}`;
  return from === to ? from : `${from} to ${to}`;
}

import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import type { Json } from '../../src/json/kinds.ts';

/** A number as the client keeps it: with its own digits. The package's type lacks the mark that ours has. */
export const exact = (digits: string) => new LosslessNumber(digits) as unknown as Json;

export const trends = (display: string, result: Json): Json => ({
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', trendsFilter: { display } } },
  result,
});
export const funnel = (vizType: string, result: Json): Json => ({
  query: { source: { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: vizType } } },
  result,
});
export const days = (count: number) =>
  Array.from({ length: count }, (_, index) => `2026-01-${String(index + 1).padStart(2, '0')}`);

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '\u001b[31mred',
    'a\nb\tc',
    '\u202eright',
    '購入完了したユーザー',
    '👨‍👩‍👧 family',
    '',
    'x'.repeat(200),
  ),
);
const figure: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: -50, max: 1_000_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Json>(
    null,
    0,
    1e-9,
    -0.5,
    Number.MAX_VALUE,
    exact('123456789012345678901234567890'),
    exact('1e400'),
    '7',
  ),
);
const figures = fc.array(figure, { maxLength: 70 });
const named = (values: fc.Arbitrary<Json[]>, extra: Record<string, fc.Arbitrary<Json>> = {}) =>
  fc.array(
    values.chain((data) =>
      fc.record({ label: text, data: fc.constant(data), days: fc.constant(days(data.length)), ...extra }),
    ),
    { maxLength: 14 },
  );

const displays = ['ActionsLineGraph', 'ActionsAreaGraph', 'ActionsBar', 'SlopeGraph', 'unheard of'];
const totals = ['BoldNumber', 'ActionsPie', 'ActionsBarValue', 'WorldMap', 'ActionsTable'];
const step = fc.record({
  name: text,
  custom_name: fc.option(text),
  order: fc.nat(5),
  count: figure,
  average_conversion_time: figure,
  median_conversion_time: figure,
  breakdown_value: fc.option(text),
});
const statuses = ['new', 'returning', 'resurrecting', 'dormant'];
const box = fc.record({
  day: fc.constantFrom(...days(9)),
  min: figure,
  p25: figure,
  median: figure,
  mean: figure,
  p75: figure,
  max: figure,
});
const cohort = fc.record({
  date: fc.constantFrom(...days(9)),
  label: text,
  values: fc.array(
    fc.record({ count: figure, label: fc.constantFrom('Day 0', 'Day 1', 'Day 2', 'Month 12') }),
    { maxLength: 15 },
  ),
});

/** Answers of every kind that can be drawn, with what services and people put into them. */
export const anyAnswer: fc.Arbitrary<Json> = fc.oneof(
  fc.tuple(fc.constantFrom(...displays), named(figures)).map(([display, result]) => trends(display, result)),
  fc
    .tuple(
      fc.constantFrom(...totals),
      fc.array(fc.record({ label: text, aggregated_value: figure, breakdown_value: fc.option(text) }), {
        maxLength: 60,
      }),
    )
    .map(([display, result]) => trends(display, result)),
  fc.array(step, { maxLength: 30 }).map((result) => funnel('steps', result)),
  named(figures).map((result) => funnel('trends', result)),
  fc
    .array(fc.tuple(figure, figure), { maxLength: 30 })
    .map((bins) => funnel('time_to_convert', { bins, average_conversion_time: 3.3333 })),
  fc.array(cohort, { maxLength: 12 }).map((result) => ({ query: { kind: 'RetentionQuery' }, result })),
  figures.map((data) => ({
    query: { kind: 'LifecycleQuery' },
    result: statuses.map((status) => ({ status, data, days: days(data.length) })),
  })),
  named(figures).map((result) => ({ query: { kind: 'StickinessQuery' }, result })),
  fc
    .array(box, { maxLength: 20 })
    .map((boxes) => ({ ...Object(trends('BoxPlot', [])), boxplot_data: boxes })),
  fc
    .array(fc.record({ source: text, target: text, value: figure }), { maxLength: 30 })
    .map((result) => ({ query: { kind: 'PathsQuery' }, result })),
  fc
    .array(
      fc.record({
        event: fc.record({ event: text }),
        odds_ratio: figure,
        success_count: figure,
        failure_count: figure,
        correlation_type: text,
      }),
      { maxLength: 20 },
    )
    .map((events) => ({ query: { kind: 'FunnelCorrelationQuery' }, result: { events, skewed: true } })),
  fc
    .array(fc.tuple(text, figure, figure), { maxLength: 30 })
    .map((result) => ({ query: { kind: 'HogQLQuery' }, columns: ['name', 'a', 'b'], result })),
);

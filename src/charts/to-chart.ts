import type { Json, JsonObject } from '../json/kinds.ts';
import { dataText } from '../json/text.ts';
import { type Asked, type Figures, field, readQuestion, textField } from '../service/answer.ts';
import { isOver, OPEN, type Timeline, timelineOf } from '../service/calendar.ts';
import type {
  BoxParts,
  BoxPlotChart,
  Chart,
  FunnelChart,
  FunnelStep,
  LifecycleChart,
  RetentionCell,
  RetentionChart,
} from './chart.ts';
import {
  dayTexts,
  drawable,
  durationText,
  figureText,
  isRounded,
  isRoundedDuration,
  NO_FIGURE,
} from './figures.ts';
import { readCorrelation, readPaths, readTimeToConvert, readTotals } from './read-bars.ts';
import {
  breakdownOf,
  nameOf,
  openRemarks,
  readFunnelTrends,
  readSql,
  readStickiness,
  readTrends,
  unfinishedOf,
} from './read-series.ts';

type Reading = {
  readonly display: string | undefined;
  readonly unicode: boolean;
  readonly timeline: Timeline | undefined;
};

type Read = (figures: Figures, reading: Reading) => Chart | undefined;

const readers: Readonly<Record<Figures['kind'], Read>> = {
  trends: readTrends,
  total: (figures, { display }) => readTotals(figures, display),
  'box-plot': readBoxPlot,
  'funnel-steps': readFunnel,
  'funnel-trends': readFunnelTrends,
  'time-to-convert': readTimeToConvert,
  correlation: readCorrelation,
  retention: readRetention,
  lifecycle: readLifecycle,
  stickiness: readStickiness,
  paths: (figures, { unicode }) => readPaths(figures, unicode ? '→' : '->'),
  sql: readSql,
};

/** The figures of an answer as a chart. Undefined if there is nothing to draw, or a table shows it better. */
export function toChart(
  figures: Figures,
  answer: Json,
  { asked = {}, unicode, now }: ChartInput,
): Chart | undefined {
  const timeline = now === undefined ? undefined : timelineOf(answer, asked, now);
  return readers[figures.kind](figures, { display: displayOf(answer, asked), unicode, timeline });
}

type ChartInput = {
  readonly asked?: Asked | undefined;
  readonly unicode: boolean;
  /** The service's time, in milliseconds: it tells which intervals are not over. */
  readonly now?: number | undefined;
};

/** How the app shows it. SQL keeps that outside its source, and a plain table of the app has no other form. */
function displayOf(answer: Json, asked: Asked): string | undefined {
  const query = asked.query ?? field(answer, 'query');
  if (textField(query, 'kind') === 'DataTableNode') return 'ActionsTable';
  return (
    textField(query, 'display') ?? readQuestion(query, asked.filters ?? field(answer, 'filters')).display
  );
}

const MOST_FUNNELS = 15;

/**
 * A funnel, or one for each breakdown value or period. The periods of a comparison share one scale, each breakdown value
 * has its own, since their sizes differ widely.
 */
function readFunnel({ rows }: Figures): FunnelChart | undefined {
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
    all > 1 && !compared ? 'Each value has its own scale.' : '',
    roundedRemark(rows),
    shown.length < all ? `The first ${shown.length} of ${all}.` : '',
  ];
  return {
    shape: 'funnel',
    funnels: shown.map(([name, steps]) => ({ name, steps: steps.map(toStep) })),
    full,
    lost: rows.some((row) => field(row, 'optional') === true)
      ? 'dropped since the last step that is not optional; "of previous" counts from there too.'
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

/** For each cohort its size, and how much of it came back. The counts themselves are left to the table. */
function readRetention({ rows, columns }: Figures, { timeline }: Reading): RetentionChart | undefined {
  const [first, ...later] = columns
    .map(({ key }) => key)
    .filter((key) => !['breakdown_value', 'date', 'label'].includes(key));
  if (rows.length === 0 || first === undefined) return undefined;
  const names = namesOf(rows);
  const marks = rows.map((row) =>
    [first, ...later].map((_, place) => (isOver(field(row, 'date'), timeline, place) ? '' : OPEN.mark)),
  );
  const cohorts = rows.map((row, index) => ({
    name: names[index] ?? '',
    size: `${figureText(field(row, first))}${marks[index]?.[0] ?? ''}`,
    cells: later.map((interval, place) => {
      const cell = toCell(field(row, interval), field(row, first));
      return cell && { ...cell, text: `${cell.text}${marks[index]?.[place + 1] ?? ''}` };
    }),
  }));
  return {
    shape: 'retention',
    first,
    intervals: later.map((interval) => shortHead(interval, first)),
    cohorts,
    whole: false,
    remarks: remarkOf(cohorts.flatMap(({ size, cells }) => [size, ...cells.map((cell) => cell?.text)])),
  };
}

/** Says what the mark means, if one stands. */
function remarkOf(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.some((text) => text?.endsWith(OPEN.mark)) ? [OPEN.remark] : [];
}

function namesOf(rows: readonly JsonObject[]): readonly string[] {
  const dates = dayTexts(rows.map((row) => field(row, 'date') ?? field(row, 'label')));
  return rows.map((row, index) => [...breakdownOf(row), dates[index] ?? ''].join(' '));
}

/** `Day 1` beside `Day 0` is 1. */
function shortHead(interval: string, first: string): string {
  const [unit, number] = interval.split(' ');
  return number !== undefined && first.startsWith(`${unit} `) ? number : interval;
}

/** A share of 0 people is none; one that is not all or nothing is never rounded to it. */
function toCell(part: Json | undefined, whole: Json | undefined): RetentionCell | undefined {
  const [some, all] = [drawable(part), drawable(whole)];
  if (some === undefined || all === undefined) return undefined;
  if (all <= 0) return { share: undefined, text: '-' };
  return { share: some / all, text: shareText(some / all) };
}

function shareText(share: number): string {
  const percent = Math.round(share * 100);
  if (share > 0 && percent === 0) return '<1%';
  return share < 1 && percent === 100 ? '>99%' : `${percent}%`;
}

const ORDER = ['new', 'resurrecting', 'returning', 'dormant'];

const LETTERS: Readonly<Record<string, string>> = {
  new: 'N',
  resurrecting: 'U',
  returning: 'R',
  dormant: 'D',
};

/** Lifecycle as stacked columns: who came above the axis, who stayed away below it. */
function readLifecycle({ rows, columns }: Figures, { timeline }: Reading): LifecycleChart | undefined {
  const keys = columns.map(({ key }) => key).filter((key) => key !== 'day');
  // Several series with the same statuses would need several axes.
  if (rows.length === 0 || !keys.every((key) => key in LETTERS)) return undefined;
  const statuses = ORDER.filter((key) => keys.includes(key)).map((name) => ({
    name,
    letter: LETTERS[name] ?? '?',
  }));
  const raw = rows.map((row) => field(row, 'day'));
  const days = dayTexts(raw);
  const unfinished = unfinishedOf(raw, timeline);
  return {
    shape: 'lifecycle',
    unfinished,
    statuses,
    days,
    values: rows.map((row) => statuses.map(({ name }) => drawable(field(row, name)) ?? 0)),
    whole: false,
    remarks: openRemarks(days, unfinished),
  };
}

const MOST_BOXES = 40;

const PARTS = ['min', 'p25', 'median', 'p75', 'max'] as const;

/** Box plots, one a day, on one scale. */
function readBoxPlot({ rows }: Figures, { timeline }: Reading): BoxPlotChart | undefined {
  if (rows.length === 0 || rows.length > MOST_BOXES) return undefined;
  const days = dayTexts(rows.map((row) => field(row, 'day')));
  const boxes = rows.map((row, index) => ({
    label: `${[dataText(field(row, 'series_label')), days[index]].filter(Boolean).join(' ')}${isOver(field(row, 'day'), timeline) ? '' : OPEN.mark}`,
    parts: partsOf(row),
    values: PARTS.map((part) => drawable(field(row, part)) ?? 0),
    median: figureText(field(row, 'median')),
  }));
  return { shape: 'box-plot', boxes, whole: false, remarks: remarkOf(boxes.map(({ label }) => label)) };
}

function partsOf(row: JsonObject): BoxParts | undefined {
  const known = PARTS.map((part) => drawable(field(row, part))).filter((value) => value !== undefined);
  const [low = 0, from = 0, middle = 0, to = 0, high = 0] = known;
  return known.length === PARTS.length ? [low, from, middle, to, high] : undefined;
}

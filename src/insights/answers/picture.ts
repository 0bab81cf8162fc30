import { type Chart, durationText, figureText } from '../../charts/chart.ts';
import type { Heading } from '../../charts/svg/svg-picture.ts';
import type { Context } from '../../cli/context.ts';
import { firstOf, usageError } from '../../errors.ts';
import { asObject, type Column, type Json, type JsonObject } from '../../json/kinds.ts';
import { type Figures, field, listField, numberOf, sourceOf } from '../../semantics/answer.ts';
import { figureRemarks } from '../../semantics/figures/remarks.ts';
import { MARK } from '../../semantics/timeline.ts';

export type ChartChoice = {
  /** By name: else a table stands in without a word if nothing can be drawn. */
  readonly asked: boolean;
  readonly drawn: boolean;
  /** Into a file that is a picture and nothing else, or a page that holds the figures too. */
  readonly picture: 'svg' | 'html' | undefined;
  readonly title: string | undefined;
};

export type Shown = {
  readonly choice: ChartChoice;
  /** The service's time, in milliseconds. */
  readonly now: number;
  readonly heading?: Heading;
};

export type Drawn = Shown & {
  readonly answer: Json;
  readonly cut: string | undefined;
};

export type Marked = { readonly figures: Figures; readonly remark: string | undefined };

type Pictured = Drawn & {
  readonly figures: Figures;
  readonly chart: Chart | undefined;
  /** The figures with marks on those that are not over, for a page. */
  readonly marked: Marked;
};

/** Prints a picture, or a page that holds the figures too. Throws a usage error for what cannot be drawn. */
export async function printPicture(
  { figures, chart, answer, choice, heading, cut, marked }: Pictured,
  context: Context,
): Promise<void> {
  const { svgPicture } = await import('../../charts/svg/svg-picture.ts');
  const lines = [
    ...(heading?.lines ?? []),
    cut === undefined ? '' : `Incomplete: ${cut}`,
    ...figureRemarks(answer),
  ].filter((line) => line !== '');
  const title = choice.title ?? heading?.title ?? analysisTitle(figures.kind, answer);
  if (choice.picture === 'svg') {
    if (chart === undefined) throw noPicture();
    return context.output.raw(svgPicture(chart, { title, lines }));
  }
  const { figuresPage } = await import('../../print/page.ts');
  const picture = chart && svgPicture(chart, { title: '', lines: [] });
  const { rows, columns, summary = {} } = forPage(marked.figures);
  const told = Object.entries(summary).flatMap(([name, value]) =>
    value === null ? [] : `${headingOf({ key: name })}: ${cellText(name, value)}`,
  );
  const remarks = [...(marked.remark === undefined ? [] : [marked.remark]), ...told];
  const about = [await projectLine(context), ...lines];
  await context.output.raw(figuresPage({ title, lines: about, picture, rows, columns, remarks }));
}

export function noPicture() {
  return usageError(
    'this result cannot be drawn as a picture',
    'choose a file name that ends in .csv or .json',
  );
}

async function projectLine(context: Context): Promise<string> {
  const { project, host } = await context.settings();
  const name = project.name === undefined ? project.id : `${project.name} (${project.id})`;
  // A page names no address that a reader could follow.
  return `Project ${name} at ${new URL(host.address).hostname}`;
}

const KINDS: { readonly [Kind in Figures['kind']]?: string } = {
  correlation: 'Funnel correlation',
  trends: 'Trends',
  total: 'Trends',
  lifecycle: 'Lifecycle',
  retention: 'Retention',
  stickiness: 'Stickiness',
  sql: 'Query',
};

const MOST_NAMED = 5;

/** An analysis from options has no name of its own: what it is of says what it is. */
function analysisTitle(kind: Figures['kind'], answer: Json): string {
  const word = KINDS[kind] ?? 'Funnel';
  const source = sourceOf(answer);
  const retention = field(source, 'retentionFilter');
  const filters = field(answer, 'filters');
  const named = [
    ...listField(source, 'series'),
    ...[field(retention, 'targetEntity'), field(retention, 'returningEntity')].filter(
      (one) => one !== undefined,
    ),
    ...listField(filters, 'events'),
    ...listField(filters, 'actions'),
  ];
  const names = named.map((one) => nameOf(asObject(one) ?? { id: one }));
  const shown = firstOf(names, MOST_NAMED, word === 'Funnel' ? ' → ' : ', ');
  return names.length === 0 ? word : `${word}: ${shown}`;
}

function nameOf(entity: JsonObject): string {
  const name = entity.custom_name || entity.name || entity.event || entity.id;
  return name === undefined || name === null ? 'any event' : String(name);
}

/** What headings say in place of the service's words. */
const HEADINGS: Readonly<Record<string, string>> = {
  breakdown_value: 'breakdown',
  compare_label: 'period',
  label: 'series',
  series_label: 'series',
  aggregated_value: 'value',
  seconds_from: 'from',
  seconds_to: 'to',
  average_conversion_time: 'average time',
  median_conversion_time: 'median time',
  odds_ratio: 'odds ratio',
  success_count: 'converted',
  failure_count: 'did not convert',
  correlation_type: 'goes with',
};

const TIMES = ['seconds_from', 'seconds_to', 'average_conversion_time', 'median_conversion_time'];

/** The figures of a page as its picture shows them: rounded alike, steps counted from 1, in words that people know. */
function forPage(figures: Figures): Figures {
  if (figures.kind === 'sql') return figures;
  const columns = figures.columns.map((column) => ({ ...column, title: headingOf(column) }));
  const rows = figures.rows.map((row): JsonObject => {
    const cells = columns.map(({ key, kind }): readonly [string, Json] => {
      const value = row[key] ?? null;
      if (key === 'order') return [key, numberOf(value) === undefined ? value : (numberOf(value) ?? 0) + 1];
      return [key, kind === 'number' && value !== null ? cellText(key, value) : value];
    });
    return Object.fromEntries(cells);
  });
  return { ...figures, rows, columns };
}

function headingOf({ key, title }: Column): string {
  if (key === 'order') return 'step';
  return HEADINGS[key] ?? title ?? key.replaceAll('_', ' ');
}

/** A number as the picture writes it; one that is not over keeps its mark. */
function cellText(key: string, value: Json): Json {
  const isMarked = typeof value === 'string' && value.endsWith(MARK);
  const number = isMarked ? Number(value.slice(0, -MARK.length)) : value;
  if (typeof number === 'string' || Number.isNaN(number)) return value;
  return `${TIMES.includes(key) ? durationText(number) : figureText(number)}${isMarked ? MARK : ''}`;
}

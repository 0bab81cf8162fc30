import type { Json, JsonObject } from '../../../json/kinds.ts';
import { toJsonText } from '../../../json/write.ts';
import type { Figures } from '../../../output/insight-rows.ts';
import { numberOf } from '../../../output/insights/answer.ts';
import type { Measured } from '../../../queries/expectation/measure.ts';

/** The figures that belong together: one line of a chart, one funnel, one column. */
export type Series = {
  readonly label: string | null;
  readonly breakdown: string | null;
  readonly measured: Measured;
};

/** Where a kind of figures has its values: in one column, or in every column but those named here. */
const VALUES: Readonly<Record<Figures['kind'], string | readonly string[]>> = {
  trends: 'value',
  total: 'aggregated_value',
  stickiness: 'value',
  lifecycle: ['day'],
  retention: ['breakdown_value', 'date', 'label'],
  sql: [],
  'funnel-steps': 'count',
  'funnel-trends': 'conversion_rate',
  'time-to-convert': 'persons',
  paths: 'value',
  correlation: 'odds_ratio',
  'box-plot': 'median',
};

/** The figures of an answer by series. Those of an earlier period, shown for comparison, are left out. */
export function seriesOf({ kind, rows, columns }: Figures): readonly Series[] {
  const present = rows.filter((row) => row.compare_label !== 'previous');
  if (kind === 'retention') return present.map(cohort);
  const values = columns.some(({ key }) => key === 'value') && kind === 'lifecycle' ? 'value' : VALUES[kind];
  if (typeof values !== 'string') return columnSeries(present, columns, values);
  return groups(present).map((group) => {
    const [first = {}] = group;
    return {
      label: labelOf(first),
      breakdown: breakdownOf(first),
      measured: {
        values: group.map((row) => figure(row[values])),
        ...(kind === 'funnel-steps' ? { conversion: conversionOf(group) } : {}),
      },
    };
  });
}

/** Rows of one series stand together; what tells series apart is not what tells their rows apart. */
function groups(rows: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const found = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const isStep = Object.hasOwn(row, 'conversion_from_first');
    const order = isStep ? null : (row.order ?? null);
    const name = [order, labelOf(row), row.breakdown_value ?? null, row.compare_label ?? null];
    const key = toJsonText(name);
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()];
}

function conversionOf(steps: readonly JsonObject[]): NonNullable<Measured['conversion']> {
  return {
    overall: figure(steps.at(-1)?.conversion_from_first),
    steps: steps.map((step) => figure(step.conversion_from_previous)),
  };
}

/** The retention of one cohort; intervals that are still to come are not among its values. */
function cohort(row: JsonObject): Series {
  const names = VALUES.retention;
  const values = Object.entries(row).filter(([key]) => !names.includes(key));
  return {
    label: textOf(row.date ?? row.label),
    breakdown: breakdownOf(row),
    measured: { values: values.map(([, value]) => figure(value)) },
  };
}

/** Columns of figures; those that hold text are no series. */
function columnSeries(
  rows: readonly JsonObject[],
  columns: Figures['columns'],
  omitted: readonly string[],
): readonly Series[] {
  return columns
    .filter(({ key }) => !omitted.includes(key) && rows.some((row) => figure(row[key]) !== null))
    .map(({ key }) => ({
      label: key,
      breakdown: null,
      measured: { values: rows.map((row) => figure(row[key])) },
    }));
}

function labelOf(row: JsonObject): string | null {
  if (Object.hasOwn(row, 'conversion_from_first')) return null;
  if (Object.hasOwn(row, 'source')) return `${textOf(row.source)} -> ${textOf(row.target)}`;
  if (typeof row.status === 'string') return row.status;
  return textOf(row.label ?? row.event ?? row.series_label);
}

function breakdownOf(row: JsonObject): string | null {
  return textOf(row.breakdown_value);
}

/** A breakdown by several properties is a list. */
function textOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((one: Json) => textOf(one) ?? '').join(', ');
  return typeof value === 'string' ? value : toJsonText(value);
}

function figure(value: Json | undefined): number | null {
  return numberOf(value) ?? null;
}

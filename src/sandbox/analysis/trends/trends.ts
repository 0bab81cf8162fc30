import type { Json, JsonObject } from '../../../json/kinds.ts';
import { type Calendar, shift, startOf } from '../../../semantics/calendar.ts';
import { invalid } from '../../refusal.ts';
import type { BreakdownKey } from '../breakdown.ts';
import type { AnalysisInput, Surroundings } from '../dataset.ts';
import type { TrendsDefinition } from '../definitions/query-nodes.ts';
import { nameOf, predicateOf, writeEntity } from '../filters/entity.ts';
import type { Predicate } from '../filters/property-filter.ts';
import { type Actor, actorsOf, compared, resolveSelection, sum } from '../selection.ts';
import { type DateRange, type Periods, periodsOf, readDate } from '../time/date-range.ts';
import {
  breakdownOfTrends,
  type GatheredSeries,
  gather,
  isCumulative,
  showsTotal,
  trailingDays,
} from './measure.ts';

/** One line of the result before it is written. Without a breakdown the key is the empty text. */
type Line = {
  readonly key: BreakdownKey;
  readonly action: JsonObject | null;
  readonly name: string;
  readonly data: readonly number[];
  readonly total: number;
};

/** Calculates trends: one result for each series, value of the breakdown and compared time. */
export function calculateTrends(definition: TrendsDefinition, input: AnalysisInput): readonly Json[] {
  return compared(definition, input, (range) => resultsOf(definition, range, input));
}

function resultsOf(
  definition: TrendsDefinition,
  range: DateRange,
  input: AnalysisInput,
): readonly JsonObject[] {
  const { calendar } = resolveSelection(definition, input);
  const periods = periodsOf(range, definition.interval, calendar);
  const gathered = gather(definition, { range, periods }, input);
  const lines = gathered.series.flatMap((series, order) => linesOf(series, order, definition, input));
  const results =
    definition.formulas.length === 0 ? lines : calculatedLines(definition, gathered.series, periods);
  return results.map((line) => {
    const named = line.key === '' ? undefined : gathered.breakdown?.write(line.key);
    const label = named === undefined ? line.name : `${line.name} - ${named.title}`;
    const breakdown = named === undefined ? {} : { breakdown_value: named.value };
    return { action: line.action, label, ...figuresOf(line, definition, periods), ...breakdown };
  });
}

function linesOf(
  series: GatheredSeries,
  order: number,
  definition: TrendsDefinition,
  surroundings: Surroundings,
): readonly Line[] {
  const entity = definition.series[order];
  if (entity === undefined) return [];
  const action = writeEntity(entity, order, surroundings);
  const name = nameOf(entity, surroundings);
  return [...series].map(([key, { data, total }]) => ({ key, action, name, data, total }));
}

/** With a formula its results stand in place of the series, one for each value of the breakdown. */
function calculatedLines(
  { formulas }: TrendsDefinition,
  series: readonly GatheredSeries[],
  periods: Periods,
): readonly Line[] {
  const keys = new Set(series.flatMap((lines) => [...lines.keys()]));
  return formulas.flatMap((text) => {
    const formula = readFormula(text, series.length);
    return [...keys].map((key) => ({
      key,
      action: null,
      name: `Formula (${text})`,
      data: periods.days.map((_, period) =>
        formula(series.map((lines) => lines.get(key)?.data[period] ?? 0)),
      ),
      total: formula(series.map((lines) => lines.get(key)?.total ?? 0)),
    }));
  });
}

function figuresOf(line: Line, definition: TrendsDefinition, { days, labels }: Periods): JsonObject {
  if (showsTotal(definition)) return { count: 0, data: [], labels: [], days, aggregated_value: line.total };
  if (isCumulative(definition)) {
    const data = runningSums(line.data);
    return { count: data.at(-1) ?? 0, data, labels, days };
  }
  const data = smooth(line.data, definition.smoothing);
  return { count: sum(data), data, labels, days };
}

function runningSums(data: readonly number[]): readonly number[] {
  let total = 0;
  return data.map((value) => {
    total += value;
    return total;
  });
}

/** The average of a period and those before it, rounded down as in the service. */
function smooth(data: readonly number[], over: number): readonly number[] {
  if (over <= 1) return data;
  return data.map((_, period) => {
    const values = data.slice(Math.max(0, period - over + 1), period + 1);
    return Math.floor(sum(values) / values.length);
  });
}

/** Calculates one number from the values of the series A, B, C… */
type Formula = (values: readonly number[]) => number;

type Operation = (left: number, right: number) => number;

const SUMS: Readonly<Record<string, Operation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
};

const PRODUCTS: Readonly<Record<string, Operation>> = {
  '*': (left, right) => left * right,
  '/': (left, right) => (right === 0 ? 0 : left / right),
};

/**
 * Reads a formula of letters, numbers, `+ - * /` and brackets. Dividing by zero gives 0. Throws a 400 for anything
 * else, and for a letter beyond the number of series.
 */
function readFormula(text: string, seriesCount: number): Formula {
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|[A-Za-z]|\S/g) ?? [];
  const mistake = () => invalid('formula', `"${text}" is not a formula over the series of this insight.`);
  const readSum = () => readOperations(SUMS, () => readOperations(PRODUCTS, readFactor));
  const readOperations = (operations: Readonly<Record<string, Operation>>, read: () => Formula) => {
    let formula = read();
    for (;;) {
      const operation = operations[tokens[0] ?? ''];
      if (operation === undefined) return formula;
      tokens.shift();
      const [left, right] = [formula, read()];
      formula = (values) => operation(left(values), right(values));
    }
  };
  const readFactor = (): Formula => {
    const token = tokens.shift() ?? '';
    if (token === '-') {
      const factor = readFactor();
      return (values) => -factor(values);
    }
    if (token === '(') {
      const inner = readSum();
      if (tokens.shift() !== ')') throw mistake();
      return inner;
    }
    if (/^[A-Za-z]$/.test(token)) {
      const index = token.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0);
      if (index >= seriesCount) throw mistake();
      return (values) => values[index] ?? 0;
    }
    if (!/^[\d.]+$/.test(token)) throw mistake();
    return () => Number(token);
  };
  const formula = readSum();
  if (tokens.length > 0) throw mistake();
  return formula;
}

/**
 * Which point of trends: the period that holds `day`, without it the whole range. `breakdown` names a value as
 * `breakdown_value` does in the result, as texts.
 */
export type TrendActorsSelection = {
  readonly series: number;
  readonly day?: string | undefined;
  readonly breakdown?: readonly string[] | undefined;
};

/** The actors behind a point. A cumulative point reaches back to the start, an active-users one over its days. */
export function trendActors(
  definition: TrendsDefinition,
  wanted: TrendActorsSelection,
  input: AnalysisInput,
): readonly Actor[] {
  const entity = definition.series[wanted.series];
  if (entity === undefined) throw invalid('series', `Series ${wanted.series} does not exist.`);
  const { filter, range, calendar } = resolveSelection(definition, input);
  const span = spanOf(definition, wanted, { range, calendar }, input);
  const days = trailingDays(entity.math);
  const from = days === undefined ? span.from : shift('day', span.to + 1, -days, calendar.timezone);
  const isOfSeries = predicateOf(entity, input);
  const periods = periodsOf(range, definition.interval, calendar);
  const isWanted = valueTest(definition, wanted, { range, periods }, input);
  const selection = { range: { from, to: span.to }, filter, groupTypeIndex: definition.groupTypeIndex };
  const actors: Actor[] = [];
  for (const { actor, events } of actorsOf(input, selection)) {
    if (events.some((event) => isOfSeries(event) && isWanted(event))) actors.push(actor);
  }
  return actors;
}

function spanOf(
  definition: TrendsDefinition,
  { day }: TrendActorsSelection,
  { range, calendar }: { readonly range: DateRange; readonly calendar: Calendar },
  { now }: Surroundings,
): DateRange {
  if (day === undefined) return range;
  const { interval } = definition;
  const start = startOf(interval, readDate(day, { ...calendar, now }).instant, calendar);
  const to = Math.min(shift(interval, start, 1, calendar.timezone) - 1, range.to);
  return { from: isCumulative(definition) ? range.from : Math.max(start, range.from), to };
}

function valueTest(
  definition: TrendsDefinition,
  wanted: TrendActorsSelection,
  span: { readonly range: DateRange; readonly periods: Periods },
  input: AnalysisInput,
): Predicate {
  const breakdown = breakdownOfTrends(definition, span, input);
  if (breakdown === undefined || wanted.breakdown === undefined) return () => true;
  const text = JSON.stringify(wanted.breakdown);
  const isWanted = (key: BreakdownKey) =>
    JSON.stringify([breakdown.write(key).value].flat().map(String)) === text;
  return (event) => breakdown.keysOf(event).some(isWanted);
}

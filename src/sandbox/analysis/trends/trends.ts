import type { Json, JsonObject } from '../../../json/kinds.ts';
import { invalidRequest } from '../../refusal.ts';
import type { BreakdownKey } from '../breakdown.ts';
import type { AnalysisInput, Surroundings } from '../dataset.ts';
import { nameOf, writeEntity } from '../filters/entity.ts';
import { resolveSelection, sum } from '../selection.ts';
import { compared, type DateRange, type Periods, periodsOf, previousRange } from '../time/date-range.ts';
import { type GatheredSeries, gather } from './gather.ts';
import { isCumulative, showsTotal, type TrendsDefinition } from './measure.ts';

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
  const { range, calendar } = resolveSelection(definition, input);
  const current = resultsOf(definition, range, input);
  if (definition.compare === undefined) return current;
  const before = previousRange(range, definition.dates, definition.compare, calendar);
  return compared(current, resultsOf(definition, before, input));
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

type Reader = { readonly tokens: readonly string[]; position: number; readonly text: string };

/**
 * Reads a formula of letters, numbers, `+ - * /` and brackets. Dividing by zero gives 0. Throws a 400 for anything
 * else, and for a letter beyond the number of series.
 */
function readFormula(text: string, seriesCount: number): Formula {
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|[A-Za-z]|\S/g) ?? [];
  const reader: Reader = { tokens, position: 0, text };
  const formula = readSum(reader, seriesCount);
  if (reader.position < tokens.length) throw mistake(reader);
  return formula;
}

function mistake({ text }: Reader): Error {
  return invalidRequest(`"${text}" is not a formula over the series of this insight.`, { attr: 'formula' });
}

function readSum(reader: Reader, seriesCount: number): Formula {
  return readOperations(reader, SUMS, () =>
    readOperations(reader, PRODUCTS, () => readFactor(reader, seriesCount)),
  );
}

type Operation = (left: number, right: number) => number;

const SUMS: Readonly<Record<string, Operation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
};

const PRODUCTS: Readonly<Record<string, Operation>> = {
  '*': (left, right) => left * right,
  '/': (left, right) => (right === 0 ? 0 : left / right),
};

function readOperations(
  reader: Reader,
  operations: Readonly<Record<string, Operation>>,
  read: () => Formula,
): Formula {
  let formula = read();
  let operation = operations[reader.tokens[reader.position] ?? ''];
  while (operation !== undefined) {
    reader.position += 1;
    formula = combine(formula, read(), operation);
    operation = operations[reader.tokens[reader.position] ?? ''];
  }
  return formula;
}

function combine(left: Formula, right: Formula, operation: Operation): Formula {
  return (values) => operation(left(values), right(values));
}

function readFactor(reader: Reader, seriesCount: number): Formula {
  const token = reader.tokens[reader.position] ?? '';
  reader.position += 1;
  if (token === '-') {
    const factor = readFactor(reader, seriesCount);
    return (values) => -factor(values);
  }
  if (token === '(') {
    const inner = readSum(reader, seriesCount);
    if (reader.tokens[reader.position] !== ')') throw mistake(reader);
    reader.position += 1;
    return inner;
  }
  if (/^[A-Za-z]$/.test(token)) {
    const index = token.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0);
    if (index >= seriesCount) throw mistake(reader);
    return (values) => values[index] ?? 0;
  }
  if (!/^[\d.]+$/.test(token)) throw mistake(reader);
  const number = Number(token);
  return () => number;
}

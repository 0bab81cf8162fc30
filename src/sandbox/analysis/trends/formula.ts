import { invalidRequest } from '../invalid-request.ts';

/** Calculates one number from the values of the series A, B, C… */
export type Formula = (values: readonly number[]) => number;

type Reader = { readonly tokens: readonly string[]; position: number; readonly text: string };

/**
 * Reads a formula of letters, numbers, `+ - * /` and brackets. Dividing by zero gives 0. Throws a 400 for anything
 * else, and for a letter beyond the number of series.
 */
export function readFormula(text: string, seriesCount: number): Formula {
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

import { type Cursor, openCursor } from './cursor.ts';
import { COMPARISONS, type Comparison, type Expectation, type Expression } from './expectation.ts';
import { readNumber } from './read-number.ts';
import { readQuantity } from './read-quantity.ts';
import { misread, type Token } from './read-tokens.ts';
import { checkUnits, type Operator } from './units.ts';

/**
 * Reads `last >= 100` and the like: two sums of figures, names and brackets with a comparison between them. Throws a
 * usage error that names the position and what was wrong there.
 */
export function parseExpectation(text: string): Expectation {
  const cursor = openCursor(text);
  const left = readSum(cursor);
  const token = cursor.take();
  const comparison = comparisonOf(token);
  if (comparison === undefined) {
    const found = token.kind === 'end' ? 'it ends' : `"${token.text}" stands`;
    throw misread(text, token.position, `${found} where a comparison is due: ${COMPARISONS.join(' ')}`);
  }
  const right = readSum(cursor);
  const rest = cursor.peek();
  if (rest.kind !== 'end') {
    const more =
      comparisonOf(rest) === undefined
        ? `"${rest.text}" is more than one comparison needs`
        : 'only two sides can be compared; give --expect twice';
    throw misread(text, rest.position, more);
  }
  if (!hasName(left) && !hasName(right)) throw misread(text, 1, 'neither side names a figure of the insight');
  checkUnits({ left, right }, { text, position: token.position });
  return { text, left, comparison, right };
}

function comparisonOf({ kind, text }: Token): Comparison | undefined {
  const spelt = text === '=' ? '==' : text;
  return kind === 'sign' ? COMPARISONS.find((one) => one === spelt) : undefined;
}

function readSum(cursor: Cursor): Expression {
  return readOperations(cursor, ['+', '-'], readProduct);
}

function readProduct(cursor: Cursor): Expression {
  return readOperations(cursor, ['*', '/'], readSigned);
}

function readOperations(
  cursor: Cursor,
  operators: readonly Operator[],
  readPart: (cursor: Cursor) => Expression,
): Expression {
  let left = readPart(cursor);
  for (;;) {
    const { position } = cursor.peek();
    const operator = operators.find((sign) => cursor.takes(sign));
    if (operator === undefined) return left;
    const operation = { kind: 'operation', operator, left, right: readPart(cursor) } as const;
    checkUnits(operation, { text: cursor.text, position });
    left = operation;
  }
}

function readSigned(cursor: Cursor): Expression {
  if (cursor.takes('-')) return { kind: 'negative', of: readSigned(cursor) };
  const token = cursor.take();
  if (token.kind === 'number') return readNumber(cursor.text, token);
  if (token.kind === 'name') return readQuantity(cursor, token);
  if (token.text === '(') {
    const inner = readSum(cursor);
    if (cursor.takes(')')) return inner;
    throw misread(cursor.text, cursor.peek().position, 'a closing bracket is missing');
  }
  const what = token.kind === 'end' ? 'it ends' : `"${token.text}" stands`;
  throw misread(cursor.text, token.position, `${what} where a figure or a name is due`);
}

function hasName(expression: Expression): boolean {
  switch (expression.kind) {
    case 'constant':
      return false;
    case 'named':
      return true;
    case 'negative':
      return hasName(expression.of);
    case 'operation':
      return hasName(expression.left) || hasName(expression.right);
  }
}

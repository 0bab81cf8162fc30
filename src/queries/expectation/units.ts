import { type Expression, QUANTITIES, type Unit } from './expectation.ts';
import { misread } from './read-tokens.ts';

export type Operator = '+' | '-' | '*' | '/';

/** Two sides and what stands between them; without an operator they are compared. */
export type Sides = {
  readonly left: Expression;
  readonly right: Expression;
  readonly operator?: Operator;
};

/** The unit of an expression whose parts fit together. */
function unitOf(expression: Expression): Unit {
  switch (expression.kind) {
    case 'constant':
      return expression.unit;
    case 'named':
      return QUANTITIES[expression.name];
    case 'negative':
      return unitOf(expression.of);
    case 'operation':
      return combined(unitOf(expression.left), unitOf(expression.right), expression.operator);
  }
}

/** A ratio of two of a kind is a plain number; else what is more than a number wins. */
function combined(left: Unit, right: Unit, operator: Operator): Unit {
  if (operator === '/' && left === right) return 'number';
  return left === 'number' ? right : left;
}

const WORDS: Readonly<Record<Unit, string>> = {
  number: 'a number',
  percent: 'a percentage',
  time: 'a length of time',
};

/** Throws a usage error for sides that cannot be added, multiplied or compared. */
export function checkUnits(sides: Sides, { text, position }: { text: string; position: number }): void {
  const { left, right, operator } = sides;
  if ((operator === '*' || operator === '/') && [left, right].some(isPercentConstant))
    throw misread(text, position, 'a percentage is no factor; write 0.8 for 80%');
  if (fits(sides)) return;
  const units = [unitOf(left), unitOf(right)] as const;
  const hint = units.includes('time') ? '; a time is written 24h' : '';
  throw misread(text, position, `one side is ${WORDS[units[0]]}, the other ${WORDS[units[1]]}${hint}`);
}

function fits({ left, right, operator }: Sides): boolean {
  const [first, second] = [unitOf(left), unitOf(right)];
  if (operator === '*') return first === 'number' || second === 'number';
  if (operator === '/') return first === second || second === 'number';
  if (first === second) return true;
  // `conversion >= 30` is as clear as `conversion >= 30%`.
  return (first === 'percent' && isPlainConstant(right)) || (second === 'percent' && isPlainConstant(left));
}

function isPercentConstant(expression: Expression): boolean {
  if (expression.kind === 'negative') return isPercentConstant(expression.of);
  return expression.kind === 'constant' && expression.unit === 'percent';
}

function isPlainConstant(expression: Expression): boolean {
  if (expression.kind === 'negative') return isPlainConstant(expression.of);
  return expression.kind === 'constant' && expression.unit === 'number';
}

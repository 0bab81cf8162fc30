import type { Expectation, Expression, Named } from './expectation.ts';
import { figureText } from './figure-text.ts';
import { type Found, type Measured, measure } from './measure.ts';

/** Whether something holds, and what was found, as the end of a sentence: `last is 42`. */
export type Verdict = { readonly holds: boolean; readonly found: string };

/** Holds an expectation against one series. What is missing never holds. */
export function judge({ left, comparison, right }: Expectation, measured: Measured): Verdict {
  const found = foundText(left, right, measured);
  const sides = [evaluate(left, measured), evaluate(right, measured)] as const;
  if ('missing' in sides[0]) return { holds: false, found: sides[0].missing };
  if ('missing' in sides[1]) return { holds: false, found: sides[1].missing };
  return { holds: compare(sides[0].value, comparison, sides[1].value), found };
}

function compare(left: number, comparison: Expectation['comparison'], right: number): boolean {
  switch (comparison) {
    case '>=':
      return left >= right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '<':
      return left < right;
    case '==':
      return left === right;
    case '!=':
      return left !== right;
  }
}

function evaluate(expression: Expression, measured: Measured): Found {
  switch (expression.kind) {
    case 'constant':
      return { value: expression.value };
    case 'named':
      return measure(expression, measured);
    case 'negative':
      return calculated([evaluate(expression.of, measured)], ([value = Number.NaN]) => -value);
    case 'operation': {
      const parts = [evaluate(expression.left, measured), evaluate(expression.right, measured)];
      const { operator } = expression;
      return calculated(parts, ([left = Number.NaN, right = Number.NaN]) => apply(left, operator, right));
    }
  }
}

function apply(left: number, operator: '+' | '-' | '*' | '/', right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  return operator === '*' ? left * right : left / right;
}

/** A division by zero is no figure: whatever it were compared with would prove nothing. */
function calculated(parts: readonly Found[], calculate: (values: readonly number[]) => number): Found {
  const missing = parts.find((part) => 'missing' in part);
  if (missing !== undefined) return missing;
  const value = calculate(parts.flatMap((part) => ('value' in part ? [part.value] : [])));
  return Number.isFinite(value) ? { value } : { missing: 'it divides by zero' };
}

function foundText(left: Expression, right: Expression, measured: Measured): string {
  const names = new Map<string, string>();
  for (const named of [...namesIn(left), ...namesIn(right)]) {
    const found = measure(named, measured);
    const label = named.step === undefined ? named.name : `${named.name}(${named.step})`;
    if ('value' in found) names.set(label, figureText(found.value, named.name));
  }
  return [...names].map(([name, text]) => `${name} is ${text}`).join(', ');
}

function namesIn(expression: Expression): readonly Named[] {
  switch (expression.kind) {
    case 'constant':
      return [];
    case 'named':
      return [expression];
    case 'negative':
      return namesIn(expression.of);
    case 'operation':
      return [...namesIn(expression.left), ...namesIn(expression.right)];
  }
}

import type { PropertyFilter } from '../../../cli/command/property-filter.ts';
import { isExactNumber, type Json, type JsonObject } from '../../../json/kinds.ts';

type Test = (have: string, want: string) => boolean;

const TESTS: Readonly<Record<string, Test>> = {
  exact: (have, want) => have === want,
  is_not: (have, want) => have !== want,
  icontains: (have, want) => have.toLowerCase().includes(want.toLowerCase()),
  not_icontains: (have, want) => !have.toLowerCase().includes(want.toLowerCase()),
  gt: (have, want) => compare(have, want) > 0,
  gte: (have, want) => compare(have, want) >= 0,
  lt: (have, want) => compare(have, want) < 0,
  lte: (have, want) => compare(have, want) <= 0,
};
/** Operators that a person without the property satisfies. */
const FOR_ABSENT = new Set(['is_not', 'not_icontains', 'not_regex', 'is_not_set', 'not_in']);

/**
 * Whether properties satisfy a condition, as far as that can be told here. Operators that only the service can judge
 * (regular expressions of its database, dates, cohorts) are taken for satisfied.
 */
export function satisfies(properties: JsonObject, { key, operator, value }: PropertyFilter): boolean {
  const have = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (operator === 'is_set') return have !== undefined && have !== null;
  if (operator === 'is_not_set') return have === undefined || have === null;
  const test = TESTS[operator];
  if (!test) return true;
  if (have === undefined || have === null) return FOR_ABSENT.has(operator);
  return test(textOf(have), textOf(value ?? null));
}

function compare(have: string, want: string): number {
  const [left, right] = [Number(have), Number(want)];
  if (Number.isNaN(left) || Number.isNaN(right)) return have < want ? -1 : Number(have > want);
  return left - right;
}

function textOf(value: Json): string {
  if (isExactNumber(value)) return numberText(value.value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `1.0` and `1` are one number. */
function numberText(digits: string): string {
  const plain = Number(digits);
  return Number.isSafeInteger(plain) ? String(plain) : digits;
}

import type { Expression, Unit } from './expectation.ts';
import { misread, type Token } from './read-tokens.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400, w: 604_800 };

/** A figure with its unit: `100`, `20%`, `24h`. Throws a usage error for a unit that is none. */
export function readNumber(text: string, { text: word, position }: Token): Expression {
  const [, digits = '', unit = ''] = /^([\d.]+)(.*)$/.exec(word) ?? [];
  const value = Number(digits);
  if (unit === '') return constant(value, 'number');
  if (unit === '%') return constant(value, 'percent');
  const seconds = Object.hasOwn(SECONDS, unit) ? SECONDS[unit] : undefined;
  if (seconds !== undefined) return constant(value * seconds, 'time');
  const what = unit === 'm' ? `write ${digits}min for minutes` : `"${unit}" is no unit`;
  throw misread(text, position + digits.length, `${what}; units are %, s, min, h, d and w`);
}

function constant(value: number, unit: Unit): Expression {
  return { kind: 'constant', value, unit };
}

import type { Condition, Somebody } from './selecting-service.ts';

/**
 * Whom a condition covers, written from the service's documents and without a line of the program: whoever is deleted
 * has to be covered by each condition that was typed.
 */
export function covers(somebody: Somebody, condition: Condition, dialect: string): boolean {
  const { properties, distinct_ids: ids, cohorts, uuid } = somebody;
  const { type, key, operator, value } = condition;
  const email = properties.email;
  switch (type) {
    case 'cohort':
      return cohorts.includes(Number(value));
    case 'email':
      return email === value;
    case 'distinct_id':
      return ids.includes(String(value));
    case 'search': {
      const texts = dialect === 'live' ? [email, properties.name, ...ids, uuid] : [email];
      return ids.includes(String(value)) || texts.some((text) => inside(text, value));
    }
    default:
      return compares(properties[key], operator, value);
  }
}

const inside = (text: unknown, part: unknown) =>
  typeof text === 'string' && text.toLowerCase().indexOf(String(part).toLowerCase()) >= 0;

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).map(asText);

function compares(have: unknown, operator: string, value: unknown): boolean {
  const isThere = have !== undefined && have !== null;
  if (operator === 'is_set') return isThere;
  if (operator === 'is_not_set') return !isThere;
  const opposite = { is_not: 'exact', not_icontains: 'icontains', not_regex: 'regex', not_in: 'in' }[
    operator
  ];
  if (opposite !== undefined) return !compares(have, opposite, value);
  if (!isThere) return false;
  const text = asText(have);
  switch (operator) {
    case 'exact':
    case 'in':
      return list(value).includes(text);
    case 'icontains':
      return list(value).some((part) => inside(text, part));
    case 'regex':
      return list(value).some((pattern) => new RegExp(pattern, 'u').test(text));
    case 'between':
      return isBetween(have, value);
    case 'not_between':
      return Number.isFinite(number(have)) && !isBetween(have, value);
    default:
      return operator.startsWith('is_date')
        ? onDate(text, operator, value)
        : isOrdered(have, operator, value);
  }
}

const number = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && /^-?[0-9.]+$/.test(value)) ? Number(value) : NaN;

function isBetween(have: unknown, value: unknown): boolean {
  const [low, high] = list(value).map(Number);
  return number(have) >= (low ?? NaN) && number(have) <= (high ?? NaN);
}

function isOrdered(have: unknown, operator: string, value: unknown): boolean {
  const numbers = [number(have), number(value)] as const;
  const areTexts = numbers.every(Number.isNaN);
  const [left, right] = areTexts ? [asText(have), asText(value)] : numbers;
  if (operator === 'gt') return left > right;
  if (operator === 'lt') return left < right;
  return operator === 'gte' || operator === 'min' ? left >= right : left <= right;
}

/** Days are days of UTC here; a text that is no date is on none. */
function onDate(text: string, operator: string, value: unknown): boolean {
  const wanted = String(value);
  const [at, from] = [Date.parse(text), Date.parse(wanted)];
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return false;
  const to = wanted.length === 10 ? from + 86_400_000 - 1 : from;
  if (operator === 'is_date_before') return at < from;
  return operator === 'is_date_after' ? at > to : at >= from && at <= to;
}

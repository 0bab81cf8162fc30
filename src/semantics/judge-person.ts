import { CliError, counted } from '../errors.ts';
import { asObject, isExactNumber, isList, type Json } from '../json/kinds.ts';
import { toText } from '../json/text.ts';
import { idText } from '../service/endpoint.ts';
import type { Person } from '../service/schemas.ts';
import { DAY, HOUR } from './calendar.ts';
import type { Pattern } from './pattern.ts';
import {
  cohortOf,
  isOperator,
  type OperatorName,
  operatorOf,
  type PersonConditions,
  type PropertyFilter,
} from './person-conditions.ts';

/** What a person does not satisfy, as a clause about them; `isSearch` if the service may have seen more than its row. */
export type Unmet = { readonly text: string; readonly isSearch: boolean };

/** What is left to do where a condition cannot be checked, or changes nothing. */
export const LOOK_AT_LIST =
  'save the list with hogctl persons list, check it, and give it with --from; nothing was deleted';

type Check = Unmet & { readonly holds: (person: Person) => boolean };

/**
 * Judges rows by conditions as the service should: tells the first one that a person does not satisfy. What only some
 * services would take for satisfied is not. Throws `refused` for a condition that cannot be judged here.
 */
export async function createJudge(
  { search, email, distinctId, filters }: PersonConditions,
  { withNames }: { readonly withNames: boolean },
): Promise<(person: Person) => Unmet | undefined> {
  const shown = filters.filter((filter) => cohortOf(filter) === undefined);
  const compile = await patternCompiler(shown);
  const checks: Check[] = shown.map((filter) => checkOf(filter, compile));
  const add = (text: string, holds: Check['holds'], isSearch = false) =>
    checks.push({ text, isSearch, holds });
  if (email !== undefined) {
    add(`whose email is not "${email}"`, ({ properties }) => properties?.email === email);
  }
  if (distinctId !== undefined) {
    add(`who does not have the distinct id "${distinctId}"`, ({ distinct_ids: ids = [] }) =>
      ids.includes(distinctId),
    );
  }
  if (search !== undefined) {
    add(`who does not show "${search}"`, (person) => shows(person, search, withNames), true);
  }
  return (person) => checks.find(({ holds }) => !holds(person));
}

type Compile = (source: string) => Pattern | undefined;

/** RE2 takes long to load, and few conditions need it. */
async function patternCompiler(filters: readonly Json[]): Promise<Compile> {
  const needed = filters.some((filter) => isPattern(asObject(filter)?.operator));
  return needed ? (await import('./pattern.ts')).compilePattern : () => undefined;
}

function isPattern(operator: Json | undefined): boolean {
  return operator === 'regex' || operator === 'not_regex';
}

/** How many people do not satisfy a condition, and the first of them with it. */
export type UnmetCount = { readonly count: number; readonly first: string };

type Counting = { readonly withNames: boolean; readonly before?: UnmetCount | undefined };

/** Counts people of a list who do not satisfy its conditions; conditions that cannot be judged here are not looked at. */
export async function countUnmet(conditions: PersonConditions, { withNames, before }: Counting) {
  const unmet = await judgeOrNothing(conditions, { withNames });
  let { count, first } = before ?? { count: 0, first: '' };
  return {
    found: (): UnmetCount => ({ count, first }),
    add(person: Person): void {
      const fault = unmet?.(person);
      if (fault === undefined) return;
      count += 1;
      first ||= `person ${idText(person.id)}, ${fault.text}`;
    },
    /** What to say of them at the end of the list. */
    warning: () =>
      count === 0
        ? undefined
        : `warning: ${counted(count, 'of these persons does', 'of these persons do')} not satisfy every condition: ${first}; persons bulk-delete refuses such a selection`,
  };
}

async function judgeOrNothing(...given: Parameters<typeof createJudge>) {
  try {
    return await createJudge(...given);
  } catch (failure) {
    if (failure instanceof CliError) return undefined;
    throw failure;
  }
}

/** The specification searches emails and whole distinct ids, the live service names and parts of ids as well. */
function shows(person: Person, search: string, withNames: boolean): boolean {
  const { properties, distinct_ids: ids = [], id, uuid } = person;
  const sought = search.trim();
  const inParts = withNames
    ? [properties?.email, properties?.name, ...ids, idText(id), uuid]
    : [properties?.email];
  const isPart = inParts.some((text) => typeof text === 'string' && contains(text, sought));
  return isPart || ids.includes(sought);
}

function contains(have: string, part: string): boolean {
  return have.toLowerCase().includes(part.toLowerCase());
}

function checkOf(filter: Json, compile: Compile): Check {
  const { key, operator, value = null } = readFilter(filter);
  const { takes, forAbsent = false } = operatorOf(operator);
  const test = takes === 'nothing' ? () => operator === 'is_set' : TESTS[operator](value, compile);
  if (test === undefined) throw unjudgeable(`the condition on "${key}"`, operator);
  return {
    text: `who does not satisfy the condition on "${key}"`,
    isSearch: false,
    holds({ properties }) {
      const have = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
      return have === undefined || have === null ? forAbsent : test(textOf(have));
    },
  };
}

function readFilter(filter: Json): PropertyFilter & { readonly operator: OperatorName } {
  // Cast: every field is looked at below.
  const { key, operator = 'exact', value, type = 'person', ...rest } = filter as { [name: string]: Json };
  const isKnown = typeof key === 'string' && typeof operator === 'string' && isOperator(operator);
  const others = Object.keys(rest).filter((name) => name !== 'label');
  if (!isKnown || type !== 'person' || others.length > 0)
    throw unjudgeable(`the condition ${toText(filter)}`);
  return { key, operator, ...(value === undefined ? {} : { value }) };
}

function unjudgeable(what: string, operator?: OperatorName): CliError {
  const isDate = operator?.startsWith('is_date');
  const way = isPattern(operator)
    ? 'write the expression as RE2 accepts it, or '
    : 'write the date as 2026-01-31T00:00:00Z, or ';
  return new CliError('refused', `${what} cannot be checked here`, {
    hint: `${isPattern(operator) || isDate ? way : ''}${LOOK_AT_LIST}`,
  });
}

type Test = (have: string) => boolean;

type Tests = Readonly<Record<OperatorName, (want: Json, compile: Compile) => Test | undefined>>;

/** What a property that is there has to be; undefined if that cannot be told from the value wanted. */
const TESTS: Tests = {
  exact: (want) => anyOf(want, (one) => (have) => have === one),
  is_not: (want) => noneOf(want, (one) => (have) => have === one),
  in: (want) => anyOf(want, (one) => (have) => have === one),
  not_in: (want) => noneOf(want, (one) => (have) => have === one),
  icontains: (want) => anyOf(want, (one) => (have) => contains(have, one)),
  not_icontains: (want) => noneOf(want, (one) => (have) => contains(have, one)),
  regex: (want, compile) => matching(want, compile, true),
  not_regex: (want, compile) => matching(want, compile, false),
  gt: (want) => ordered(want, (order) => order > 0),
  gte: (want) => ordered(want, (order) => order >= 0),
  min: (want) => ordered(want, (order) => order >= 0),
  lt: (want) => ordered(want, (order) => order < 0),
  lte: (want) => ordered(want, (order) => order <= 0),
  max: (want) => ordered(want, (order) => order <= 0),
  between: (want) => within(want, (low, high) => low >= 0 && high <= 0),
  not_between: (want) => within(want, (low, high) => low < 0 || high > 0),
  is_set: () => () => true,
  is_not_set: () => () => false,
  is_date_exact: (want) => dated(want, isOn),
  is_date_before: (want) => dated(want, (have, day) => have.to < day.from),
  is_date_after: (want) => dated(want, (have, day) => have.from > day.to),
};

function textsOf(want: Json): readonly string[] {
  return (isList(want) ? want : [want]).map(textOf);
}

function anyOf(want: Json, make: (one: string) => Test): Test {
  const tests = textsOf(want).map(make);
  return (have) => tests.some((test) => test(have));
}

function noneOf(want: Json, make: (one: string) => Test): Test {
  const any = anyOf(want, make);
  return (have) => !any(have);
}

function matching(want: Json, compile: Compile, wanted: boolean): Test | undefined {
  const patterns = textsOf(want).map(compile);
  if (patterns.some((pattern) => pattern === undefined)) return undefined;
  return (have) => {
    const results = patterns.map((pattern) => pattern?.(have));
    if (results.includes(undefined)) return false;
    return results.includes(true) === wanted;
  };
}

function ordered(want: Json, holds: (order: number) => boolean): Test | undefined {
  if (isList(want)) return undefined;
  const limit = textOf(want);
  return (have) => {
    const order = compare(have, limit);
    return order !== undefined && holds(order);
  };
}

function within(want: Json, holds: (low: number, high: number) => boolean): Test | undefined {
  const [low, high, more] = textsOf(want);
  if (low === undefined || high === undefined || more !== undefined) return undefined;
  return (have) => {
    const orders = [compare(have, low), compare(have, high)];
    const [first, second] = isNumeric(have) ? orders : [];
    return first !== undefined && second !== undefined && holds(first, second);
  };
}

/** Numbers by value, texts by their bytes; a number and a text have no order. */
function compare(have: string, want: string): number | undefined {
  if (isNumeric(have) !== isNumeric(want)) return undefined;
  if (!isNumeric(have)) return Buffer.compare(Buffer.from(have), Buffer.from(want));
  const isWhole = [have, want].every((text) => /^-?\d+$/.test(text));
  if (isWhole) return Number(BigInt(have) - BigInt(want));
  return Number(have) - Number(want);
}

function isNumeric(text: string): boolean {
  return /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text);
}

/** As the service compares: `5` and `"5"`, `true` and `"true"` are one. */
function textOf(value: Json): string {
  if (!isExactNumber(value)) return toText(value);
  // `1.0` and `1` are one number.
  const plain = Number(value.value);
  return Number.isSafeInteger(plain) ? String(plain) : value.value;
}

/** Milliseconds; the time of a text without a zone is taken as if it were UTC. */
type Span = { readonly from: number; readonly to: number; readonly hasZone: boolean };

function dated(want: Json, holds: (have: Span, want: Span) => boolean): Test | undefined {
  const [text = '', more] = textsOf(want);
  const limit = more === undefined ? readSpan(text) : undefined;
  if (limit === undefined) return undefined;
  return (have) => {
    const span = readSpan(have);
    if (span === undefined) return false;
    return span.hasZone === limit.hasZone ? holds(span, limit) : holds(wide(span), wide(limit));
  };
}

function isOn(have: Span, want: Span): boolean {
  return have.hasZone === want.hasZone && have.from >= want.from && have.to <= want.to;
}

/** Every moment that it may mean: the project's zone is not known here, and zones reach from -12 to +14 hours. */
function wide({ from, to, hasZone }: Span): Span {
  return hasZone ? { from, to, hasZone } : { from: from - 14 * HOUR, to: to + 12 * HOUR, hasZone };
}

const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

function readSpan(text: string): Span | undefined {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return instant(Number(text) * 1000, true);
  if (/^\d{12,13}$/.test(text)) return instant(Number(text), true);
  const [, day = '', hour, minute, second = '00', fraction = '', zone] = DATE.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Some engines carry a 31st of February over to March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  if (hour === undefined) return { from: midnight, to: midnight + DAY - 1, hasZone: false };
  const clock = Number(hour) * HOUR + Number(minute) * 60_000 + Number(`${second}${fraction}`) * 1000;
  return instant(midnight + clock - offsetOf(zone), zone !== undefined);
}

function instant(at: number, hasZone: boolean): Span {
  return { from: at, to: at, hasZone };
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  const offset = Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * 60_000;
  return sign === '-' ? -offset : offset;
}

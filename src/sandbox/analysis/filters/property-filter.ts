import { isList, isObject, type Json, type JsonObject, ownValue } from '../../../json/kinds.ts';
import { toText } from '../../../json/text.ts';
import { shift, startOf } from '../../../semantics/calendar.ts';
import { compilePattern } from '../../../semantics/pattern.ts';
import { invalid, invalidRequest, type Refusal } from '../../refusal.ts';
import type { AnalysisEvent, AnalysisPerson, Group, Surroundings } from '../dataset.ts';
import { readDate } from '../time/date-range.ts';

/** Decides about one value; a missing property is undefined. */
export type ValueTest = (value: Json | undefined) => boolean;

type Builder = (wanted: Json | undefined, surroundings: Surroundings) => ValueTest;

const OPERATORS: Readonly<Record<string, Builder>> = {
  exact: (wanted) => exact(wanted),
  is_not: (wanted) => not(exact(wanted)),
  in: (wanted) => exact(wanted),
  not_in: (wanted) => not(exact(wanted)),
  icontains: (wanted) => contains(wanted),
  not_icontains: (wanted) => not(contains(wanted)),
  regex: (wanted) => matches(wanted),
  not_regex: (wanted) => not(matches(wanted)),
  gt: (wanted) => compare(wanted, (order) => order > 0),
  gte: (wanted) => compare(wanted, (order) => order >= 0),
  lt: (wanted) => compare(wanted, (order) => order < 0),
  lte: (wanted) => compare(wanted, (order) => order <= 0),
  min: (wanted) => compare(wanted, (order) => order >= 0),
  max: (wanted) => compare(wanted, (order) => order <= 0),
  between: (wanted) => between(wanted),
  not_between: (wanted) => present(not(between(wanted))),
  is_set: () => (value) => textOf(value) !== undefined,
  is_not_set: () => (value) => textOf(value) === undefined,
  is_date_exact: (wanted, surroundings) =>
    dated(wanted, surroundings, (at, day) => at >= day.from && at <= day.to),
  is_date_before: (wanted, surroundings) => dated(wanted, surroundings, (at, day) => at < day.from),
  is_date_after: (wanted, surroundings) => dated(wanted, surroundings, (at, day) => at > day.to),
};

/** The test behind an operator of the service. Negative operators hold for a missing property. */
export function testOf(operator: string, wanted: Json | undefined, surroundings: Surroundings): ValueTest {
  const build = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (build === undefined) throw invalid('properties', `The operator "${operator}" does not exist.`);
  return build(wanted, surroundings);
}

function not(test: ValueTest): ValueTest {
  return (value) => !test(value);
}

function present(test: ValueTest): ValueTest {
  return (value) => textOf(value) !== undefined && test(value);
}

function wantedTexts(wanted: Json | undefined): readonly string[] {
  const list: readonly Json[] = Array.isArray(wanted) ? wanted : [wanted ?? null];
  return list.map((entry) => textOf(entry)).filter((text) => text !== undefined);
}

function exact(wanted: Json | undefined): ValueTest {
  const texts = new Set(wantedTexts(wanted));
  return (value) => {
    const text = textOf(value);
    return text !== undefined && texts.has(text);
  };
}

function contains(wanted: Json | undefined): ValueTest {
  const texts = wantedTexts(wanted).map((text) => text.toLowerCase());
  return (value) => {
    const text = textOf(value)?.toLowerCase();
    return text !== undefined && texts.some((part) => text.includes(part));
  };
}

function matches(wanted: Json | undefined): ValueTest {
  const patterns = wantedTexts(wanted).map((text) => ({ text, pattern: compilePattern(text) }));
  const unread = patterns.find(({ pattern }) => pattern === undefined);
  if (unread !== undefined) throw unreadablePattern(unread.text);
  return (value) => {
    const given = textOf(value);
    if (given === undefined) return false;
    return patterns.some(({ text, pattern }) => {
      const isMatch = pattern?.(given);
      if (isMatch === undefined) throw unreadablePattern(text);
      return isMatch;
    });
  };
}

/** What takes time without a bound, or means different things to different engines, is not judged here. */
function unreadablePattern(pattern: string): Refusal {
  return invalid('properties', `"${pattern}" is not a regular expression that the sandbox reads.`);
}

function compare(wanted: Json | undefined, holds: (order: number) => boolean): ValueTest {
  const limit = numberOf(wanted);
  const limitText = textOf(wanted);
  return (value) => {
    const text = textOf(value);
    if (text === undefined || limitText === undefined) return false;
    const number = numberOf(value);
    if (number !== undefined && limit !== undefined) return holds(number - limit);
    return limit === undefined && holds(text.localeCompare(limitText, 'en'));
  };
}

function between(wanted: Json | undefined): ValueTest {
  const [low, high] = wantedTexts(wanted).map((text) => numberOf(text));
  if (low === undefined || high === undefined) throw invalidRequest('"between" needs a list of two numbers.');
  return (value) => {
    const number = numberOf(value);
    return number !== undefined && number >= low && number <= high;
  };
}

type Span = { readonly from: number; readonly to: number };

function dated(
  wanted: Json | undefined,
  { project, now }: Surroundings,
  holds: (at: number, span: Span) => boolean,
): ValueTest {
  const reader = { timezone: project.timezone, weekStart: 0, now };
  const { instant, whole } = readDate(wantedTexts(wanted)[0] ?? '', reader);
  const end = shift('day', startOf('day', instant, reader), 1, reader.timezone) - 1;
  const span = { from: instant, to: whole === 'day' ? end : instant };
  return (value) => {
    const at = dateOf(value, project.timezone);
    return at !== undefined && holds(at, span);
  };
}

/** Dates in properties are ISO texts or seconds since 1970; texts without a zone are in the project's. */
function dateOf(value: Json | undefined, timezone: string): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return number * 1000;
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$/.test(text)) {
    return readDate(text, { timezone, weekStart: 0, now: 0 }).instant;
  }
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** A property as text, as the service compares it: `5` and `"5"`, `true` and `"true"` are one. Missing is undefined. */
export function textOf(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : toText(value);
}

/** A property as a number; undefined if it is none. */
export function numberOf(value: Json | undefined): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined || text === '' || typeof value === 'boolean') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Decides about one event; undefined stands for "every event". */
export type Predicate = (event: AnalysisEvent) => boolean;

/**
 * Turns filters as requests and settings carry them into one test: a list (all must hold), an AND/OR tree
 * `{ type, values }`, one filter, or the old form `{ "email__icontains": "@" }`. Throws a 400 for what does not exist.
 */
export function compileFilters(filters: Json | undefined, surroundings: Surroundings): Predicate | undefined {
  if (filters === undefined || filters === null) return undefined;
  if (isList(filters)) return every(filters.map((filter) => compileFilters(filter, surroundings)));
  if (!isObject(filters)) throw invalid('properties', 'properties must be a list or an object.');
  if (isList(filters.values) && isTree(filters)) return compileTree(filters, filters.values, surroundings);
  if (filters.key !== undefined) return compileFilter(filters, surroundings);
  return every(Object.entries(filters).map(([key, value]) => compileOldForm(key, value, surroundings)));
}

function isTree(filter: JsonObject): boolean {
  return filter.type === 'AND' || filter.type === 'OR' || filter.key === undefined;
}

function compileTree(
  filter: JsonObject,
  values: readonly Json[],
  surroundings: Surroundings,
): Predicate | undefined {
  const tests = values.map((value) => compileFilters(value, surroundings));
  return filter.type === 'OR' ? some(tests) : every(tests);
}

/** `email__icontains` as a key and its operator. */
function splitOldKey(key: string): { readonly name: string; readonly operator: string } {
  const [word = ''] = /(?<![a-z_])[a-z_]*$/.exec(key) ?? [];
  const at = key.indexOf('__', Math.max(1, key.length - word.length));
  if (at === -1 || at + 2 >= key.length) return { name: key, operator: 'exact' };
  return { name: key.slice(0, at), operator: key.slice(at + 2) };
}

function compileOldForm(key: string, value: Json, surroundings: Surroundings): Predicate | undefined {
  const { name, operator } = splitOldKey(key);
  return compileFilter({ key: name, value, operator, type: 'event' }, surroundings);
}

/** Joins tests, any of which may be missing. */
export function every(tests: readonly (Predicate | undefined)[]): Predicate | undefined {
  const real = tests.filter((test) => test !== undefined);
  const [only, ...others] = real;
  if (only === undefined) return undefined;
  if (others.length === 0) return only;
  return (event) => real.every((test) => test(event));
}

/** An empty branch of an OR says nothing, as in the service; it does not let everything through. */
function some(tests: readonly (Predicate | undefined)[]): Predicate | undefined {
  const real = tests.filter((test) => test !== undefined);
  return real.length === 0 ? undefined : (event) => real.some((test) => test(event));
}

function compileFilter(filter: JsonObject, surroundings: Surroundings): Predicate {
  const key = textOf(filter.key) ?? '';
  const type = textOf(filter.type) ?? 'event';
  const operator = textOf(filter.operator) ?? 'exact';
  if (type.endsWith('cohort')) {
    const isMember = cohortTest(filter, surroundings);
    return (event) => isMember(event.person);
  }
  const test = testOf(operator, filter.value, surroundings);
  const read = readerOf(type, key, Number(textOf(filter.group_type_index) ?? 0), surroundings);
  return (event) => test(read(event));
}

type Reader<Value> = (event: AnalysisEvent) => Value;

/** Reads a property of one of the types that filters and breakdowns name. Throws a 400 for any other. */
export function readerOf(
  type: string,
  key: string,
  groupTypeIndex: number,
  surroundings: Surroundings,
): Reader<Json | undefined> {
  switch (type) {
    case 'event':
    case 'feature':
      return eventReader(key, surroundings);
    case 'person':
      surroundings.needs.ofPersons.names.add(key);
      return ({ person }) => ownValue(person.properties, key);
    case 'event_metadata':
      return (event) => (key === 'timestamp' ? new Date(event.timestamp).toISOString() : event.event);
    case 'group': {
      const keyOf = groupKeyReader(groupTypeIndex, surroundings);
      const groups = groupsByKey(surroundings.project.groups ?? [], groupTypeIndex);
      return (event) => ownValue(groups.get(keyOf(event) ?? '')?.properties ?? {}, key);
    }
    default:
      throw invalid('properties', `Filters of the type "${type}" are not supported here.`);
  }
}

/** Reads a property of events. There is no other way to one, since only what is asked for here is there. */
export function eventReader(key: string, { needs }: Surroundings): Reader<Json | undefined> {
  needs.ofEvents.names.add(key);
  return ({ properties }) => ownValue(properties, key);
}

/** Reads the key of the group an event belongs to, in the property `$group_N`. */
export function groupKeyReader(typeIndex: number, surroundings: Surroundings): Reader<string | undefined> {
  const read = eventReader(`$group_${typeIndex}`, surroundings);
  return (event) => textOf(read(event)) || undefined;
}

/** The project's groups of one type, by their key. */
export function groupsByKey(groups: readonly Group[], typeIndex: number): ReadonlyMap<string, Group> {
  return new Map(groups.filter((group) => group.type_index === typeIndex).map((group) => [group.key, group]));
}

type PersonTest = (person: AnalysisPerson) => boolean;

/** The test behind a filter of type cohort: `value` is an id or a list of ids, any of which suffices. */
function cohortTest(filter: JsonObject, surroundings: Surroundings): PersonTest {
  const ids: readonly Json[] = Array.isArray(filter.value) ? filter.value : [filter.value ?? null];
  const tests = ids.map((id) => membershipOf(Number(textOf(id)), surroundings));
  const operator = textOf(filter.operator);
  const negated = filter.negation === true || operator === 'not_in' || operator === 'is_not';
  return (person) => tests.some((test) => test(person)) !== negated;
}

/** The members of a cohort. Throws a 400 if the project has no such cohort. */
export function membershipOf(id: number, { project, needs, isMember }: Surroundings): PersonTest {
  if (!project.cohorts?.some((cohort) => cohort.id === id)) {
    throw invalid('properties', `Cohort ${id} does not exist.`);
  }
  needs.cohorts.add(id);
  return (person) => isMember(person, id);
}

/** Filters read events; this one has nothing but its person. */
export function eventOf(person: AnalysisPerson): AnalysisEvent {
  return { person, event: '', timestamp: 0, order: 0, properties: {} };
}

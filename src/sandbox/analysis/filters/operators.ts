import { isExactNumber, type Json } from '../../../json/kinds.ts';
import { writeJson } from '../../../json/write.ts';
import { shift, startOf } from '../../../service/calendar.ts';
import { compilePattern } from '../../../service/pattern.ts';
import { invalid, invalidRequest, type Refusal } from '../../refusal.ts';
import type { Surroundings } from '../dataset.ts';
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
  if (unread !== undefined) throw unreadable(unread.text);
  return (value) => {
    const given = textOf(value);
    if (given === undefined) return false;
    return patterns.some(({ text, pattern }) => {
      const isMatch = pattern?.(given);
      if (isMatch === undefined) throw unreadable(text);
      return isMatch;
    });
  };
}

/** What takes time without a bound, or means different things to different engines, is not judged here. */
function unreadable(pattern: string): Refusal {
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
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return isExactNumber(value) ? value.value : writeJson(value);
  return String(value);
}

/** A property as a number; undefined if it is none. */
export function numberOf(value: Json | undefined): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined || text === '' || typeof value === 'boolean') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

import { asObject, type Json, type JsonObject } from '../../../json/kinds.ts';
import { invalid, invalidRequest, parseOr } from '../../refusal.ts';
import { numberOf, textOf } from '../filters/property-filter.ts';

/** Fields that the old filters and the query nodes have in common, once their names are aside. */

const UNIT_SECONDS = {
  day: 86_400,
  second: 1,
  minute: 60,
  hour: 3600,
  week: 7 * 86_400,
  month: 30 * 86_400,
} as const;

const UNITS = ['day', 'second', 'minute', 'hour', 'week', 'month'] as const;

const DEFAULT_WINDOW_DAYS = 14;

/** The length of a window in seconds; 14 days without one above 0. */
export function readWindow(amount: number | undefined, unit: Json | undefined): number {
  if (amount === undefined || amount <= 0) return DEFAULT_WINDOW_DAYS * UNIT_SECONDS.day;
  const singular = readText(unit)?.toLowerCase().replace(/s$/, '');
  return amount * UNIT_SECONDS[readChoice(singular, UNITS, 'funnel_window_interval_type')];
}

/** What results are split by. Several properties are taken together; a person can be in several cohorts. */
export type Breakdown = Readonly<NonNullable<ReturnType<typeof readBreakdown>>>;

/** Reads a breakdown, which both forms spell alike. Throws a 400 for kinds that are not supported. */
export function readBreakdown(fields: JsonObject) {
  const limit = readNumber(fields.breakdown_limit, 'breakdown_limit');
  if (limit !== undefined && limit < 1) throw invalidRequest('breakdown_limit must be above 0.');
  const parts = readList(fields.breakdowns, 'breakdowns').map(readPart);
  if (parts.length > 0) return { kind: 'properties' as const, parts, limit };
  const names = readTexts(fields.breakdown);
  if (names.length === 0) return undefined;
  const type = readText(fields.breakdown_type) ?? 'event';
  if (type === 'cohort') return { kind: 'cohorts' as const, ids: names.map(readCohort) };
  const groupTypeIndex = fields.breakdown_group_type_index ?? null;
  return {
    kind: 'properties' as const,
    parts: names.map((property) => readPart({ property, type, group_type_index: groupTypeIndex })),
    limit,
  };
}

function readPart(value: Json) {
  const part: JsonObject = asObject(value) ?? { property: value };
  const type = readText(part.type) ?? 'event';
  if (type !== 'event' && type !== 'person' && type !== 'group') {
    throw invalid('breakdown_type', `Breakdowns of the type "${type}" are not supported here.`);
  }
  const property = readText(part.property) ?? readText(part.value);
  if (property === undefined) throw invalid('breakdown', 'A breakdown needs a property.');
  return { type, property, groupTypeIndex: readNumber(part.group_type_index, 'breakdown_group_type_index') };
}

function readCohort(text: string): number | 'all' {
  if (text === 'all') return 'all';
  const id = Number(text);
  if (!Number.isInteger(id)) throw invalid('breakdown', `"${text}" is not a cohort.`);
  return id;
}

const ATTRIBUTIONS = ['first_touch', 'last_touch', 'all_events', 'step'] as const;

/** Which of a person's values of a breakdown counts. `step` counts from 0. */
export function readAttribution(type: Json | undefined, step: Json | undefined) {
  const kind = readChoice(type, ATTRIBUTIONS, 'breakdown_attribution_type');
  if (kind !== 'step') return { kind };
  return { kind, step: readNumber(step, 'breakdown_attribution_value') ?? 0 };
}

/** The value of a breakdown that a list of actors is asked for, as texts. */
export function readBreakdownValue(value: Json | undefined): readonly string[] | undefined {
  return value === undefined || value === null ? undefined : readTexts(value);
}

type Field = Json | undefined;

/** Fields of a query string hold lists and objects as JSON text; this reads them and returns other values as they are. */
export function readValue(value: Field): Field {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? parseOr(value, () => value) : value;
}

/** An object, empty if there is none. Throws a 400 for anything else. */
export function readObject(value: Field, attr: string): JsonObject {
  const object = asObject(readValue(value) ?? {});
  if (object === undefined) throw invalid(attr, `${attr} must be an object.`);
  return object;
}

/** A list, empty if there is none. Throws a 400 for anything else. */
function readList(value: Field, attr: string): readonly Json[] {
  const list = readValue(value) ?? [];
  if (Array.isArray(list)) return list;
  throw invalid(attr, `${attr} must be a list.`);
}

/** A list of objects. Throws a 400 for anything else. */
export function readObjects(value: Field, attr: string): readonly JsonObject[] {
  return readList(value, attr).map((entry) => readObject(entry, attr));
}

/** The texts of a list; a single value is a list of one. */
export function readTexts(value: Field): readonly string[] {
  const list = readValue(value) ?? [];
  const values: readonly Json[] = Array.isArray(list) ? list : [list];
  return values.map((entry) => textOf(entry)).filter((text) => text !== undefined);
}

/** A text that is not empty. */
export function readText(value: Field): string | undefined {
  return textOf(value) || undefined;
}

/** A number. Throws a 400 for a text that is none. */
export function readNumber(value: Field, attr: string): number | undefined {
  if (readText(value) === undefined) return undefined;
  const number = numberOf(value);
  if (number === undefined) throw invalid(attr, `${attr} must be a number.`);
  return number;
}

/** True for `true`, `"true"` and 1. */
export function readFlag(value: Field): boolean {
  return ['true', '1'].includes(textOf(value)?.toLowerCase() ?? '');
}

/** One of several words, the first by default. Throws a 400 for any other. */
export function readChoice<Choice extends string>(
  value: Field,
  choices: readonly [Choice, ...Choice[]],
  attr: string,
): Choice {
  const text = readText(value);
  if (text === undefined) return choices[0];
  const choice = choices.find((candidate) => candidate === text.toLowerCase());
  if (choice === undefined) throw invalid(attr, `${attr} must be one of ${choices.join(', ')}.`);
  return choice;
}

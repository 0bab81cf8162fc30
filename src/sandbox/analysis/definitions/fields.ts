import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { Breakdown, BreakdownPart } from '../breakdown.ts';
import type { Attribution } from '../funnels/funnel-definition.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { Interval } from '../time/interval.ts';
import { asObject, readChoice, readList, readNumber, readText, readTexts, readValue } from './reading.ts';

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

/** The length of a window in seconds; 14 days where there is none, or one that is not above 0. */
export function readWindow(amount: number | undefined, unit: Json | undefined): number {
  if (amount === undefined || amount <= 0) return DEFAULT_WINDOW_DAYS * UNIT_SECONDS.day;
  const singular = readText(unit)?.toLowerCase().replace(/s$/, '');
  return amount * UNIT_SECONDS[readChoice(singular, UNITS, 'funnel_window_interval_type')];
}

export function readInterval(value: Json | undefined): Interval {
  return readChoice(value, ['day', 'minute', 'hour', 'week', 'month'], 'interval');
}

/** The part of a filter body that describes a breakdown, in the spelling that both forms share. */
type BreakdownFields = {
  readonly breakdown?: Json;
  readonly breakdown_type?: Json;
  readonly breakdowns?: Json;
  readonly breakdown_group_type_index?: Json;
  readonly breakdown_limit?: Json;
};

/** Reads a breakdown, undefined where there is none. Throws a 400 for kinds that are not supported. */
export function readBreakdown(fields: BreakdownFields): Breakdown | undefined {
  const limit = readNumber(fields.breakdown_limit, 'breakdown_limit');
  if (limit !== undefined && limit < 1) throw invalidRequest('breakdown_limit must be above 0.');
  const parts = readList(fields.breakdowns, 'breakdowns').map(readPart);
  if (parts.length > 0) return { kind: 'properties', parts, limit };
  const names = readTexts(fields.breakdown);
  if (names.length === 0) return undefined;
  const type = readText(fields.breakdown_type) ?? 'event';
  if (type === 'cohort') return { kind: 'cohorts', ids: names.map(readCohort) };
  const groupTypeIndex = fields.breakdown_group_type_index ?? null;
  return {
    kind: 'properties',
    parts: names.map((property) => readPart({ property, type, group_type_index: groupTypeIndex })),
    limit,
  };
}

function readPart(value: Json): BreakdownPart {
  const part: JsonObject = asObject(value) ?? { property: value };
  const type = readText(part.type) ?? 'event';
  if (type !== 'event' && type !== 'person' && type !== 'group') {
    throw invalidRequest(`Breakdowns of the type "${type}" are not supported here.`, {
      attr: 'breakdown_type',
    });
  }
  const property = readText(part.property) ?? readText(part.value);
  if (property === undefined) throw invalidRequest('A breakdown needs a property.', { attr: 'breakdown' });
  return { type, property, groupTypeIndex: readNumber(part.group_type_index, 'breakdown_group_type_index') };
}

function readCohort(text: string): number | 'all' {
  if (text === 'all') return 'all';
  const id = Number(text);
  if (!Number.isInteger(id)) throw invalidRequest(`"${text}" is no cohort.`, { attr: 'breakdown' });
  return id;
}

const ATTRIBUTIONS = ['first_touch', 'last_touch', 'all_events', 'step'] as const;

export function readAttribution(type: Json | undefined, step: Json | undefined): Attribution {
  const kind = readChoice(type, ATTRIBUTIONS, 'breakdown_attribution_type');
  if (kind !== 'step') return { kind };
  return { kind, step: readNumber(step, 'breakdown_attribution_value') ?? 0 };
}

/** Filters of a body: a list, a tree or an object; JSON text in a query string. */
export function readFilters(value: Json | undefined): Json {
  return readValue(value) ?? null;
}

/** The value of a breakdown that a list of actors is asked for, as texts. */
export function readBreakdownValue(value: Json | undefined): readonly string[] | undefined {
  return value === undefined || value === null ? undefined : readTexts(value);
}

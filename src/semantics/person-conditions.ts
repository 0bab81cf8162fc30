import { CliError, closest, counted, usageError } from '../errors.ts';
import { asList, asObject, isList, type Json } from '../json/kinds.ts';
import { parseJson, toText } from '../json/text.ts';
import { actOn, LARGEST_PAGE, objectRows } from '../service/endpoint.ts';
import type { Cohort, Person } from '../service/schemas.ts';
import { DAY } from './calendar.ts';

/** Conditions on persons as options give them, the same for listing, exporting and deleting. */
export type ConditionOptions = {
  readonly search?: string | undefined;
  readonly email?: string | undefined;
  readonly distinct_id?: string | undefined;
  readonly property?: readonly PropertyFilter[] | undefined;
  /** Filters as the service takes them. */
  readonly properties?: Json | undefined;
  readonly cohort?: number | undefined;
};

/** Conditions on persons; `filters` are those of the `properties` parameter. */
export type PersonConditions = {
  readonly search?: string | undefined;
  readonly email?: string | undefined;
  readonly distinctId?: string | undefined;
  readonly filters: readonly Json[];
};

/** Throws a usage error for a condition without a value, an unknown operator, and a cohort if none can be asked for. */
export function readConditions(
  { search, email, distinct_id: distinctId, property, properties, cohort }: ConditionOptions,
  { dialect }: { readonly dialect: string },
): PersonConditions {
  if (property !== undefined && properties !== undefined) {
    throw usageError('--property and --properties cannot be used together', 'give one of them');
  }
  for (const [option, text] of Object.entries({ search, email, 'distinct-id': distinctId })) {
    if (text?.trim() === '')
      throw usageError(`--${option} has an empty value, which would select every person`);
  }
  const given = property?.map((condition) => ({ ...condition, type: 'person' })) ?? readFilters(properties);
  const filters = cohort === undefined ? given : [...given, { key: 'id', value: cohort, type: 'cohort' }];
  if (dialect !== 'live' && filters.some((filter) => cohortOf(filter) !== undefined)) {
    throw usageError('this service may not support selecting by cohort', 'select by --property, or give ids');
  }
  return { search, email, distinctId, filters };
}

/** The parameters of a list of persons: a flat list of filters is the only form that is safe on the live service. */
export function conditionParameters({ search, email, distinctId, filters }: PersonConditions) {
  return { search, email, distinct_id: distinctId, properties: filters.length > 0 ? filters : undefined };
}

/** Whether there is any condition. */
export function hasConditions(options: ConditionOptions): boolean {
  const { search, email, distinct_id, property, properties, cohort } = options;
  return [search, email, distinct_id, property, properties, cohort].some((value) => value !== undefined);
}

/**
 * How a list of persons is read if none may be missed: in pages as large as the service is asked for
 * (docs/service.md), which share rows, so that people who are deleted meanwhile do not shift others out.
 */
export const WHOLE_LIST = { pageSize: LARGEST_PAGE, shared: 20 } as const;

/** The service lists no more distinct ids of a person than these, and does not say that there are more. */
const LISTED_DISTINCT_IDS = 1000;

/** Of each person a look-up of many names no more distinct ids than these. */
export const LOOKED_UP_IDS = 10;

/** Whether a person of a list may have more distinct ids than it names. */
export function mayHaveMoreIds({ distinct_ids: ids }: Person): boolean {
  return Array.isArray(ids) && ids.length >= LISTED_DISTINCT_IDS;
}

/** Why a list of persons is not whole. */
export function cutIds(who: string): CliError {
  return new CliError('partial', `${who} may have more distinct ids than the list shows`, {
    hint: 'hogctl persons export shows all of them, and so does hogctl persons get',
    outcome: 'not-done',
  });
}

/** The same for an answer that is passed on as it came. CSV has a column for each id. */
export function cutIdsOf(bytes: Uint8Array, format: string): CliError | undefined {
  const text = new TextDecoder().decode(bytes);
  if (format !== 'json') {
    const end = text.indexOf('\n');
    const header = end < 0 ? text : text.slice(0, end);
    return header.includes(`distinct_ids.${LISTED_DISTINCT_IDS - 1}`) ? cutIds('some persons') : undefined;
  }
  const rows = objectRows<Person>({ rows: asList(asObject(parseJson(text))?.results) ?? [] });
  const cut = rows.filter(mayHaveMoreIds).length;
  return cut === 0 ? undefined : cutIds(counted(cut, 'person', 'persons'));
}

/** Whether a person of a list has a distinct id. The list may leave it out; `get` reads all ids of one person. */
export async function hasDistinctId(
  person: Person,
  id: string,
  get: (person: string) => Promise<Person>,
): Promise<boolean> {
  const { distinct_ids: ids } = person;
  if (Array.isArray(ids) && ids.includes(id)) return true;
  if (!mayHaveMoreIds(person)) return false;
  const { distinct_ids: all } = await get(actOn(person.uuid ?? person.id));
  return Array.isArray(all) && all.includes(id);
}

/** The cohort that a filter names; undefined for other filters. */
export function cohortOf(filter: Json): string | undefined {
  const { type, value = null } = asObject(filter) ?? {};
  return type === 'cohort' ? toText(value) : undefined;
}

/** Why the people of a cohort are not the last word, and not those of the last day if the time is given. */
export function cohortState(cohort: Cohort, now?: number): string | undefined {
  const { is_calculating: isCalculating, errors_calculating: errors, is_static: isStatic } = cohort;
  const { last_calculation: last = null } = cohort;
  if (cohort.deleted === true) return 'it is deleted';
  if (isCalculating === true) return 'it is being calculated';
  const since = last === null ? 'it was never calculated' : `its persons are those of ${last}`;
  if (typeof errors === 'number' && errors > 0)
    return `${counted(errors, 'calculation')} failed since, ${since}`;
  const isOld = isStatic !== true && (last === null || (now !== undefined && now - Date.parse(last) > DAY));
  return isOld ? since : undefined;
}

function readFilters(properties: Json | undefined): readonly Json[] {
  if (properties === undefined) return [];
  if (!isList(properties)) {
    throw usageError('--properties takes a JSON list such as [{"key":"plan","value":"pro"}]');
  }
  for (const filter of properties) checkFilter(filter);
  return properties;
}

function checkFilter(filter: Json): void {
  const { key, operator = 'exact', value, type = 'person' } = asObject(filter) ?? {};
  if (type !== 'person') return;
  if (typeof key !== 'string' || key === '')
    throw usageError(`a filter of --properties has no key: ${toText(filter)}`);
  const name = toText(operator);
  if (!isOperator(name)) {
    const meant = closest(name, operatorNames);
    throw unknownOperator(name, meant && `did you mean ${meant}?`);
  }
  const isEmpty =
    value === undefined || value === null || value === '' || (isList(value) && value.length === 0);
  if (operatorOf(name).takes !== 'nothing' && isEmpty)
    throw usageError(
      `the condition on "${key}" has an empty value`,
      'use is_not_set to find unset properties',
    );
}

/** The error for an operator that the service does not have. */
export function unknownOperator(name: string, hint?: string) {
  return usageError(`unknown operator "${name}": the operators are ${operatorNames.join(', ')}`, hint);
}

/** One condition on a property, as the service takes it in a flat list. */
export type PropertyFilter = {
  readonly key: string;
  readonly operator: string;
  readonly value?: Json;
};

type Operator = {
  /** The sign that stands for it on the command line. */
  readonly sign?: string;
  /** What it compares with: `pair` is a lower and an upper bound. */
  readonly takes: 'one' | 'list' | 'pair' | 'nothing';
  /** Somebody without the property satisfies it. */
  readonly forAbsent?: true;
};

/** The operators of property conditions, by the service's names. */
const propertyOperators = {
  exact: { sign: '=', takes: 'one' },
  is_not: { sign: '!=', takes: 'one', forAbsent: true },
  icontains: { sign: '~', takes: 'one' },
  not_icontains: { takes: 'one', forAbsent: true },
  regex: { takes: 'one' },
  not_regex: { takes: 'one', forAbsent: true },
  gt: { sign: '>', takes: 'one' },
  gte: { sign: '>=', takes: 'one' },
  lt: { sign: '<', takes: 'one' },
  lte: { sign: '<=', takes: 'one' },
  min: { takes: 'one' },
  max: { takes: 'one' },
  between: { takes: 'pair' },
  not_between: { takes: 'pair' },
  is_set: { takes: 'nothing' },
  is_not_set: { takes: 'nothing', forAbsent: true },
  is_date_exact: { takes: 'one' },
  is_date_before: { takes: 'one' },
  is_date_after: { takes: 'one' },
  in: { takes: 'list' },
  not_in: { takes: 'list', forAbsent: true },
} as const satisfies { readonly [name: string]: Operator };

export type OperatorName = keyof typeof propertyOperators;

// Cast: Object.keys does not keep the names.
export const operatorNames = Object.keys(propertyOperators) as readonly OperatorName[];

export function isOperator(name: string): name is OperatorName {
  return Object.hasOwn(propertyOperators, name);
}

export function operatorOf(name: OperatorName): Operator {
  return propertyOperators[name];
}

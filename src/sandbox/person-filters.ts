import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toText } from '../json/text.ts';
import { compilePattern } from '../service/pattern.ts';
import { unreadablePattern } from './analysis/filters/property-filter.ts';
import { invalid, parseOr } from './refusal.ts';
import { pointerOf, type Readable } from './store/open-store.ts';
import type { Condition } from './store/persons.ts';
import type { SqlValue } from './store/session.ts';
import { selectCohorts } from './store/state.ts';

type PersonSearch = {
  readonly distinct_id?: string | undefined;
  readonly email?: string | undefined;
  readonly search?: string | undefined;
  readonly properties?: Json | undefined;
  /** Whether a search looks into names as well, as the live service does. */
  readonly withNames: boolean;
};

/** The persons that a list shows, as a condition. Throws a `Refusal` 400 for filters that cannot be read. */
export async function personsCondition(readable: Readable, wanted: PersonSearch): Promise<Condition> {
  const values = startValues();
  const { add } = values;
  const parts: string[] = [];
  if (wanted.distinct_id !== undefined) parts.push(ownsDistinctId(add(wanted.distinct_id)));
  if (wanted.email !== undefined) {
    parts.push(`json_extract_string(p.properties, '/email') = ${add(wanted.email)}`);
  }
  if (wanted.search !== undefined && wanted.search !== '') {
    const placeholder = add(wanted.search);
    const fields = wanted.withNames ? ['/email', '/name'] : ['/email'];
    const texts = fields.map(
      (field) => `contains(lower(json_extract_string(p.properties, '${field}')), lower(${placeholder}))`,
    );
    parts.push(`(${[...texts, ownsDistinctId(placeholder)].join(' or ')})`);
  }
  const { properties } = wanted;
  if (properties !== undefined && properties !== null && properties !== '') {
    parts.push(combine(readFilters(properties), await readDefinitions(readable), { values, ...OF_PERSONS }));
  }
  return { sql: parts.length === 0 ? 'true' : parts.join(' and '), values: values.list };
}

/**
 * Filters of SQL over the view of events, as a condition with its values written into it. Throws a `Refusal` 400 for
 * filters that cannot be read.
 */
export async function eventsCondition(readable: Readable, properties: Json): Promise<string> {
  const filters = (isList(properties) ? properties : [properties]).flat(MOST_OVERRIDES);
  const values = startValues();
  const sql = combine(filters, await readDefinitions(readable), { values, ...OF_EVENTS });
  return writeValues({ sql, values: values.list });
}

/** An override puts the filters of an insight and its own into one list. */
const MOST_OVERRIDES = 2;

/** A condition with its values as texts in it. */
export function writeValues({ sql, values }: Condition): string {
  return sql.replace(/\$(\d+)/g, (_, place: string) => quoteText(String(values[Number(place) - 1] ?? '')));
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function readDefinitions(readable: Readable): Promise<ReadonlyMap<string, Json>> {
  const cohorts = await selectCohorts(readable);
  return new Map(cohorts.map(({ id, definition }) => [String(id), definition]));
}

/** What filters are about: where properties of each type are, and how a condition on persons is one on these rows. */
type Rows = {
  readonly values: Values;
  readonly name: string;
  readonly usualType: string;
  readonly places: Readonly<Record<string, string>>;
  readonly ofPersons: (condition: string) => string;
};

const OF_PERSONS = {
  name: 'persons',
  usualType: 'person',
  places: { person: 'p.properties' },
  ofPersons: (condition: string) => condition,
};

const OF_EVENTS = {
  name: 'events',
  usualType: 'event',
  places: { event: 'properties::json', person: 'person.properties::json' },
  ofPersons: (condition: string) =>
    `person_id in (select p.uuid::uuid from store.persons p where ${condition})`,
};

function ownsDistinctId(placeholder: string): string {
  return `p.id in (select d.person_id from store.distinct_ids d where d.distinct_id = ${placeholder})`;
}

/** Collects the values of a condition; `add` answers the placeholder of one. */
type Values = { readonly list: SqlValue[]; readonly add: (value: SqlValue) => string };

function startValues(): Values {
  const list: SqlValue[] = [];
  return { list, add: (value) => `$${list.push(value)}::varchar` };
}

/** One filter as SQL over `p`, the persons table. */
type Operator = (property: string, value: Json, values: Values) => string;

const comparison =
  (sign: string): Operator =>
  (property, value, values) => {
    const placeholder = values.add(toText(value));
    return `(case when try_cast(${placeholder} as double) is not null
      then try_cast(${property} as double) ${sign} try_cast(${placeholder} as double)
      else ${property} ${sign} ${placeholder} end)`;
  };

const either =
  (one: (property: string, placeholder: string) => string): Operator =>
  (property, value, values) => {
    const options = (isList(value) ? value : [value]).map((item) => one(property, values.add(toText(item))));
    return options.length === 0 ? 'false' : `(${options.join(' or ')})`;
  };

/** The negations keep persons who have no such property. */
const neither =
  (operator: Operator): Operator =>
  (property, value, values) =>
    `coalesce(not ${operator(property, value, values)}, true)`;

const exact = either((property, placeholder) => `${property} = ${placeholder}`);

const contains = either((property, placeholder) => `contains(lower(${property}), lower(${placeholder}))`);

const matches: Operator = (property, value, values) => {
  const wrong = [value]
    .flat()
    .map(toText)
    .find((pattern) => compilePattern(pattern) === undefined);
  if (wrong !== undefined) throw unreadablePattern(wrong);
  return matchesAny(property, value, values);
};

const matchesAny = either((property, placeholder) => `regexp_matches(${property}, ${placeholder})`);

const between =
  (word: '' | 'not'): Operator =>
  (property, value, values) => {
    const [low, high] = (isList(value) ? value : []).map((bound) => values.add(toText(bound)));
    if (low === undefined || high === undefined) throw invalid('properties', 'A range needs two bounds.');
    return `try_cast(${property} as double) ${word} between try_cast(${low} as double) and try_cast(${high} as double)`;
  };

/** Texts of ten characters are days; times without a zone are in UTC. */
const dated =
  (compare: (at: string, start: string, end: string) => string): Operator =>
  (property, value, values) => {
    const text = toText(value);
    const start = `try_cast(${values.add(text)} as timestamp)`;
    const length = text.length === 10 ? '1 day' : '1 microsecond';
    return `(${compare(`try_cast(${property} as timestamp)`, start, `${start} + interval '${length}'`)})`;
  };

const OPERATORS: Readonly<Record<string, Operator>> = {
  exact,
  is_not: neither(exact),
  icontains: contains,
  not_icontains: neither(contains),
  regex: matches,
  not_regex: neither(matches),
  gt: comparison('>'),
  gte: comparison('>='),
  lt: comparison('<'),
  lte: comparison('<='),
  min: comparison('>='),
  max: comparison('<='),
  in: exact,
  not_in: neither(exact),
  between: between(''),
  not_between: between('not'),
  is_date_exact: dated((at, day, end) => `${at} >= ${day} and ${at} < ${end}`),
  is_date_before: dated((at, day) => `${at} < ${day}`),
  is_date_after: dated((at, _, end) => `${at} >= ${end}`),
  is_set: (property) => `${property} is not null`,
  is_not_set: (property) => `${property} is null`,
};

/** The members of a cohort as a condition. */
export function cohortCondition(id: string, definition: Json): Condition {
  const values = startValues();
  return { sql: membership({ id, definition }, values), values: values.list };
}

function readFilters(filters: Json): readonly Json[] {
  const refuse = () => {
    throw invalid('properties', 'Properties are not readable as JSON.');
  };
  const list = typeof filters === 'string' ? parseOr(filters, refuse) : filters;
  if (!isList(list)) throw invalid('properties', 'Properties must be a JSON list of filters.');
  return list;
}

function combine(filters: readonly Json[], cohorts: ReadonlyMap<string, Json>, rows: Rows): string {
  const parts = filters.map((filter) => {
    if (!isObject(filter) || typeof filter.key !== 'string') {
      throw invalid('properties', 'Each filter needs a key.');
    }
    return filter.type === 'cohort' ? cohortPart(filter, cohorts, rows) : propertyPart(filter, rows);
  });
  return parts.length === 0 ? 'true' : parts.map((part) => `(${part})`).join(' and ');
}

function propertyPart(filter: JsonObject, { values, name: rows, usualType, places }: Rows): string {
  const type = toText(filter.type ?? usualType);
  const place = Object.hasOwn(places, type) ? places[type] : undefined;
  if (place === undefined) throw invalid('properties', `Filters of type ${type} do not fit ${rows}.`);
  const name = typeof filter.operator === 'string' ? filter.operator : 'exact';
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) throw invalid('properties', `"${name}" is not an operator.`);
  const needsValue = name !== 'is_set' && name !== 'is_not_set';
  if (needsValue && (filter.value === undefined || filter.value === null)) {
    throw invalid('properties', `The operator ${name} needs a value.`);
  }
  // A property as text, null if it is missing or null.
  const property = `json_extract_string(${place}, ${values.add(pointerOf(toText(filter.key ?? '')))})`;
  return operator(property, filter.value ?? null, values);
}

function cohortPart(
  filter: JsonObject,
  cohorts: ReadonlyMap<string, Json>,
  { values, ofPersons }: Rows,
): string {
  const id = toText(filter.value ?? null);
  const definition = cohorts.get(id);
  if (definition === undefined) throw invalid('properties', `Cohort ${id} does not exist.`);
  return ofPersons(membership({ id, definition }, values));
}

/** The members of a cohort: those its filters find, or without filters those it lists. */
function membership(cohort: { readonly id: string; readonly definition: Json }, values: Values): string {
  // Cohorts cannot name cohorts, hence none to choose from.
  if (isList(cohort.definition)) return combine(cohort.definition, new Map(), { values, ...OF_PERSONS });
  return `p.id in (select c.person_id from store.cohort_persons c
    where c.cohort_id = try_cast(${values.add(cohort.id)} as bigint))`;
}

import { isList, isObject, type Json } from '../json/kinds.ts';
import { toText } from '../json/write.ts';
import { filterCondition } from './person-filters.ts';
import { invalid } from './refusal.ts';
import { selectCohorts } from './store/cohorts.ts';
import type { Readable } from './store/open-store.ts';
import type { Condition } from './store/persons.ts';
import type { SqlValue } from './store/sql-row.ts';

export type PersonSearch = {
  readonly distinct_id?: string | undefined;
  readonly email?: string | undefined;
  readonly search?: string | undefined;
  readonly properties?: Json | undefined;
  /** Whether a search looks into names as well, as the live service does. */
  readonly withNames: boolean;
};

/** Whom a list of persons shows, as a condition. Throws a `Refusal` 400 for filters that cannot be read. */
export async function personsCondition(readable: Readable, wanted: PersonSearch): Promise<Condition> {
  const values: SqlValue[] = [];
  const add = (value: string) => `$${values.push(value)}::varchar`;
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
    await checkPatterns(readable, properties);
    const cohorts = await selectCohorts(readable);
    const definitions = new Map(cohorts.map(({ id, definition }) => [String(id), definition]));
    parts.push(filterCondition(properties, definitions, values));
  }
  return { sql: parts.length === 0 ? 'true' : parts.join(' and '), values };
}

function ownsDistinctId(placeholder: string): string {
  return `p.id in (select d.person_id from store.distinct_ids d where d.distinct_id = ${placeholder})`;
}

/** Regular expressions are the database's own, so it is asked whether it can read them. */
async function checkPatterns(readable: Readable, filters: Json): Promise<void> {
  for (const pattern of patternsOf(filters)) {
    try {
      await readable.rows("select regexp_matches('', $1::varchar)", [pattern]);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw invalid('properties', `"${pattern}" is not a regular expression: ${reason}`);
    }
  }
}

function patternsOf(filters: Json): readonly string[] {
  if (!isList(filters)) return [];
  return filters.flatMap((filter) => {
    if (!isObject(filter) || !['regex', 'not_regex'].includes(toText(filter.operator ?? ''))) return [];
    const value = filter.value ?? null;
    return (isList(value) ? value : [value]).map(toText);
  });
}

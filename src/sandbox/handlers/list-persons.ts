import type { persons } from '../../api/endpoints/persons.ts';
import type { Json } from '../../api/json.ts';
import type { Handler } from '../call.ts';
import { isList, isObject, toText } from '../json-text.ts';
import { neighbours, readPart } from '../paging.ts';
import { filterCondition } from '../person-filters.ts';
import { invalid } from '../refusal.ts';
import { selectCohorts } from '../store/cohorts.ts';
import type { SqlValue, Store } from '../store/open-store.ts';
import { type Condition, countPersons, selectPersons } from '../store/persons.ts';
import { personRow } from './person-answers.ts';

type ListCall = Parameters<Handler<typeof persons.list>>[0];

/** The live service's CSV leaves paging out and stops here. */
const CSV_ROWS = 50_000;

export const listPersons: Handler<typeof persons.list> = async (call) => {
  const { input, dialect, store, address } = call;
  const condition = await conditionOf(call);
  const isWholeCsv = dialect === 'live' && call.format === 'csv';
  const part = isWholeCsv ? { limit: CSV_ROWS, offset: 0 } : readPart(input);
  const found = await selectPersons(store, condition, { ...part, limit: part.limit + 1 });
  const page = {
    ...neighbours(address, part, found.length > part.limit),
    results: found.slice(0, part.limit).map((person) => personRow(person, dialect)),
  };
  if (dialect === 'live' && input.include_total === undefined) return { status: 200, body: page };
  return { status: 200, body: { count: await countPersons(store, condition), ...page } };
};

async function conditionOf({ input, dialect, store }: ListCall): Promise<Condition> {
  const values: SqlValue[] = [];
  const add = (value: string) => `$${values.push(value)}::varchar`;
  const parts: string[] = [];
  if (input.distinct_id !== undefined) parts.push(ownsDistinctId(add(input.distinct_id)));
  if (input.email !== undefined) {
    parts.push(`json_extract_string(p.properties, '/email') = ${add(input.email)}`);
  }
  if (input.search !== undefined && input.search !== '') {
    const placeholder = add(input.search);
    // The live service looks into names as well.
    const fields = dialect === 'live' ? ['/email', '/name'] : ['/email'];
    const texts = fields.map(
      (field) => `contains(lower(json_extract_string(p.properties, '${field}')), lower(${placeholder}))`,
    );
    parts.push(`(${[...texts, ownsDistinctId(placeholder)].join(' or ')})`);
  }
  if (input.properties !== undefined && input.properties !== null && input.properties !== '') {
    await checkPatterns(store, input.properties);
    const cohorts = await selectCohorts(store);
    const definitions = new Map(cohorts.map(({ id, definition }) => [String(id), definition]));
    parts.push(filterCondition(input.properties, definitions, values));
  }
  return { sql: parts.length === 0 ? 'true' : parts.join(' and '), values };
}

function ownsDistinctId(placeholder: string): string {
  return `p.id in (select d.person_id from store.distinct_ids d where d.distinct_id = ${placeholder})`;
}

/** Regular expressions are the database's own, so it is asked whether it can read them. */
async function checkPatterns(store: Store, filters: Json): Promise<void> {
  for (const pattern of patternsOf(filters)) {
    try {
      await store.rows("select regexp_matches('', $1::varchar)", [pattern]);
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

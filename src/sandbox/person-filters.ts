import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toText } from '../json/text.ts';
import { isTimeZone } from '../semantics/calendar.ts';
import { noNeeds, type ProjectSettings, type Surroundings } from './analysis/dataset.ts';
import { compileFilters, eventOf } from './analysis/filters/property-filter.ts';
import { readDataset, readPersons } from './calculation/read-dataset.ts';
import { invalid, invalidRequest, parseOr } from './refusal.ts';
import { listedTexts, quoteText, type Readable, rowsOfNumbers, textOf } from './store/open-store.ts';
import type { Condition } from './store/persons.ts';
import { readState, type StoredCohort, selectCohorts } from './store/state.ts';

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
  const { distinct_id: distinctId, email, search = '', properties = null } = wanted;
  const parts = ['true'];
  if (distinctId !== undefined) parts.push(ownsDistinctId(distinctId));
  if (email !== undefined) parts.push(`json_extract_string(p.properties, '/email') = ${quoteText(email)}`);
  if (search !== '') {
    const fields = wanted.withNames ? ['/email', '/name'] : ['/email'];
    const texts = fields.map(
      (field) =>
        `contains(lower(json_extract_string(p.properties, '${field}')), lower(${quoteText(search)}))`,
    );
    parts.push(`(${[...texts, ownsDistinctId(search)].join(' or ')})`);
  }
  if (properties !== null && properties !== '') parts.push(await foundBy(readable, readFilters(properties)));
  return parts.join(' and ');
}

function ownsDistinctId(distinctId: string): Condition {
  return `p.id in (select d.person_id from store.distinct_ids d where d.distinct_id = ${quoteText(distinctId)})`;
}

function readFilters(filters: Json): readonly Json[] {
  const refuse = () => {
    throw invalid('properties', 'Properties are not readable as JSON.');
  };
  const list = typeof filters === 'string' ? parseOr(filters, refuse) : filters;
  if (!isList(list)) throw invalid('properties', 'Properties must be a JSON list of filters.');
  return list;
}

/** The members of a cohort: those its filters find, or without filters those it lists. */
export async function membersOf(readable: Readable, { id, definition }: StoredCohort): Promise<Condition> {
  if (isList(definition)) return foundBy(readable, definition);
  return `p.id in (select c.person_id from store.cohort_persons c where c.cohort_id = ${id})`;
}

/** The persons for whom all filters hold, by the same rules as in analyses. */
async function foundBy(readable: Readable, filters: readonly Json[]): Promise<Condition> {
  const { test, needs } = await compile(readable, filters.map(personFilter));
  if (test === undefined) return 'true';
  const persons = await readPersons(readable, { needs });
  const found = persons.filter((person) => test(eventOf(person)));
  return `p.uuid in ${listedTexts(found.map(({ uuid }) => uuid))}`;
}

function personFilter(filter: Json): JsonObject {
  if (!isObject(filter) || typeof filter.key !== 'string') {
    throw invalid('properties', 'Each filter needs a key.');
  }
  const [type, operator] = [filter.type ?? 'person', filter.operator ?? 'exact'];
  if (type !== 'person' && type !== 'cohort') {
    throw invalid('properties', `Filters of type ${toText(type)} do not fit persons.`);
  }
  const needsValue = operator !== 'is_set' && operator !== 'is_not_set';
  if (needsValue && (filter.value ?? null) === null) {
    throw invalid('properties', `The operator ${toText(operator)} needs a value.`);
  }
  return { ...filter, type };
}

/** Filters over events as a condition of SQL on their ids. Throws a `Refusal` 400 for filters that cannot be read. */
export async function eventsCondition(readable: Readable, filters: Json): Promise<(uuid: string) => string> {
  const { test, needs } = await compile(readable, filters);
  if (test === undefined) return () => 'true';
  needs.anyEvent = true;
  const { people } = await readDataset(readable, { needs });
  const found: number[] = [];
  for (const { events } of people()) {
    for (const event of events) if (test(event)) found.push(event.order);
  }
  return (uuid) => `${uuid} in (select md5('event ' || id)::uuid from ${rowsOfNumbers(found)} found(id))`;
}

async function compile(readable: Readable, filters: Json) {
  const surroundings = await readSurroundings(readable);
  compileFilters(filters, surroundings);
  const isMember = await readMembers(readable, surroundings.needs.cohorts);
  return { needs: surroundings.needs, test: compileFilters(filters, { ...surroundings, isMember }) };
}

/** The project and the clock as analyses take them. */
export async function readSurroundings(readable: Readable): Promise<Surroundings> {
  const { project, now } = await readState(readable);
  // What a project says beyond name and cohorts is the analyses' own form, checked at its use.
  const settings = project as Partial<ProjectSettings>;
  const timezone = typeof project.timezone === 'string' ? project.timezone : 'UTC';
  if (!isTimeZone(timezone)) throw invalidRequest(`The time zone "${timezone}" does not exist.`);
  const cohorts = (await selectCohorts(readable)).map(({ id, name }) => ({ id: Number(id), name }));
  return {
    project: { ...settings, timezone, cohorts },
    now: Number(now / 1000n),
    needs: noNeeds(),
    isMember: () => false,
  };
}

/** Reads who is in these cohorts. */
export async function readMembers(
  readable: Readable,
  ids: ReadonlySet<number>,
): Promise<Surroundings['isMember']> {
  const members = new Map<number, ReadonlySet<string>>();
  for (const cohort of ids.size === 0 ? [] : await selectCohorts(readable)) {
    if (!ids.has(Number(cohort.id))) continue;
    const condition = await membersOf(readable, cohort);
    const rows = await readable.rows(`select p.uuid from store.persons p where ${condition}`);
    members.set(Number(cohort.id), new Set(rows.map((row) => textOf(row, 'uuid'))));
  }
  return ({ uuid }, cohort) => members.get(cohort)?.has(uuid) ?? false;
}

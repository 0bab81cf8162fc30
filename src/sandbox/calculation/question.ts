import { isList, isObject, type Json, type JsonObject, ownValue } from '../../json/kinds.ts';
import type { Dialect } from '../../service/endpoint.ts';
import { calculateLifecycle, calculateRetention, calculateStickiness } from '../analysis/activity.ts';
import { calculateCorrelation } from '../analysis/correlation.ts';
import type { AnalysisInput, Surroundings } from '../analysis/dataset.ts';
import { type ActorsRequest, readActorsQuery } from '../analysis/definitions/actors.ts';
import {
  type AnalysisDefinition,
  readQueryDefinition,
  unwrapQuery,
} from '../analysis/definitions/definition.ts';
import { calculateFunnel } from '../analysis/funnels/funnel.ts';
import { type Actor, resolveSelection } from '../analysis/selection.ts';
import type { DateRange } from '../analysis/time/date-range.ts';
import { calculateTrends } from '../analysis/trends/trends.ts';
import { nameOf, personRow } from '../handlers/person-answers.ts';
import { writeMoment } from '../operator.ts';
import type { Part } from '../parameters.ts';
import { personsCondition, readMembers, readSurroundings } from '../person-filters.ts';
import { invalid } from '../refusal.ts';
import { describeTables, type Running, runSql } from '../sql/run-sql.ts';
import { DEFAULT_ROWS, MOST_ROWS } from '../sql/translate.ts';
import { personsByIds, type StoredPerson, selectPersons } from '../store/persons.ts';
import type { Session } from '../store/session.ts';
import { readDataset } from './read-dataset.ts';

/** Calculates any analysis, in the shape of the service's `result`. Throws a `Refusal` 400 if the service does. */
export function calculate(definition: AnalysisDefinition, input: AnalysisInput): Json {
  switch (definition.kind) {
    case 'funnel':
      return calculateFunnel(definition, input);
    case 'trends':
      return calculateTrends(definition, input);
    case 'lifecycle':
      return calculateLifecycle(definition, input);
    case 'stickiness':
      return calculateStickiness(definition, input);
    case 'retention':
      return calculateRetention(definition, input);
    case 'correlation':
      return calculateCorrelation(definition, input);
  }
}

type QuestionContext = Running & { readonly session: Session };

/** Finds the answer of a question, with `results` and what else the service says beside them. */
export type Question = (surface: QuestionContext) => Promise<JsonObject>;

/** Reads a query node, its frame, or `{ filters }` in the old form. Throws a 400 for what is not calculated here. */
export function readQuestion(node: JsonObject): Question {
  const query = unwrapQuery(node);
  if (query.kind === 'HogQLQuery') {
    return ({ session, ...surface }) => runSql(session, query, surface);
  }
  if (query.kind === 'DatabaseSchemaQuery') return async () => describeTables();
  if (query.kind === 'ActorsQuery') return (surface) => answerActorsQuery(query, surface);
  return questionOf(readQueryDefinition(query));
}

/** The question of an analysis that was read already. */
export function questionOf(definition: AnalysisDefinition): Question {
  return async (source) => ({
    results: await runAnalysis(definition, source, (input) => calculate(definition, input)),
  });
}

/** Runs an analysis over no events first, which shows what it looks at, and then over what it needs. */
async function runAnalysis<Result>(
  definition: AnalysisDefinition,
  { session, signal }: PeopleSource,
  run: (input: AnalysisInput) => Result,
): Promise<Result> {
  const surroundings = await readSurroundings(session);
  run({ ...surroundings, people: () => [] });
  const { needs } = surroundings;
  const isMember = await readMembers(session, needs.cohorts);
  const range = visibleRange(definition, surroundings);
  const dataset = await readDataset(session, { needs, range, signal });
  return run({ ...surroundings, isMember, ...dataset });
}

/** Only funnels see nothing outside of their dates; other analyses look back, or at an earlier range. */
function visibleRange(definition: AnalysisDefinition, surroundings: Surroundings): DateRange | undefined {
  const funnel = definition.kind === 'correlation' ? definition.funnel : definition;
  if (funnel.kind !== 'funnel' || funnel.compare !== undefined || funnel.dates.from === 'all')
    return undefined;
  return resolveSelection(funnel, { ...surroundings, people: () => [] }).range;
}

const DEFAULT_SELECT = ['actor'];

/** Answers an `ActorsQuery`: rows in the order of `select`. Throws a `Refusal` 400 for what it cannot select. */
async function answerActorsQuery(query: JsonObject, surface: QuestionContext): Promise<JsonObject> {
  const part = { limit: readCount(query, 'limit', DEFAULT_ROWS), offset: readCount(query, 'offset', 0) };
  if (part.limit > MOST_ROWS) throw invalid('limit', `A query gives ${MOST_ROWS} rows at most.`);
  refuse(query, ['orderBy', 'fixedProperties']);
  const { select = DEFAULT_SELECT } = query;
  if (!isList(select)) throw invalid('select', 'Expected a list of items.', 'not_a_list');
  const columns = select.map((column) => readColumn(column, surface.dialect));
  const { people, missing, hasMore } = await readPage(query, part, surface);
  return {
    results: people.map((actor) => columns.map(({ read }) => read(actor))),
    columns: columns.map(({ name }) => name),
    types: null,
    hasMore,
    ...part,
    missing_actors_count: missing,
    // The service shows the SQL that it made of the query; there is none here.
    hogql: '',
  };
}

function readCount(query: JsonObject, name: string, fallback: number): number {
  const value = query[name] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(name, 'A valid integer is required.');
}

/** Fields that would change the answer and are not read here. */
function refuse(query: JsonObject, names: readonly string[]): void {
  const given = names.find((name) => {
    const value = query[name] ?? null;
    return value !== null && !(isList(value) && value.length === 0) && value !== '';
  });
  if (given !== undefined) throw invalid(given, `The sandbox lists actors without ${given}.`);
}

async function readPage(query: JsonObject, part: Part, surface: QuestionContext): Promise<PeoplePage> {
  if (isObject(query.source)) {
    refuse(query, ['search', 'properties']);
    return listPeople(readActorsQuery(query), part, surface);
  }
  const { session } = surface;
  const { search, properties } = query;
  const condition = await personsCondition(session, {
    search: typeof search === 'string' ? search : undefined,
    properties,
    withNames: true,
  });
  const found = await selectPersons(session, condition, { ...part, limit: part.limit + 1 });
  return { people: found.slice(0, part.limit), missing: 0, hasMore: found.length > part.limit };
}

type Group = Extract<Actor, { kind: 'group' }>;

const OF_PERSONS: Readonly<Record<string, (person: StoredPerson, dialect: Dialect) => Json>> = {
  actor: personRow,
  person: personRow,
  id: ({ uuid }) => uuid,
  uuid: ({ uuid }) => uuid,
  name: (person) => nameOf(person),
  distinct_ids: ({ distinctIds }) => distinctIds,
  distinct_id: ({ distinctIds }) => distinctIds[0] ?? null,
  created_at: ({ createdAt }) => writeMoment(createdAt),
  is_identified: ({ isIdentified }) => isIdentified,
  properties: ({ properties }) => properties,
  matched_recordings: () => [],
};

function readColumn(column: Json, dialect: Dialect) {
  const name = typeof column === 'string' ? column.trim() : '';
  const [, property] = /^(?:person\.)?properties\.(.+)$/.exec(name) ?? [];
  const key = property?.replace(/^["`](.*)["`]$/, '$1');
  const read = Object.hasOwn(OF_PERSONS, name) ? OF_PERSONS[name] : undefined;
  if (key === undefined && read === undefined) {
    throw invalid('select', `Actors have no "${name}" here, only ${Object.keys(OF_PERSONS).join(', ')}.`);
  }
  return {
    name: key ?? name,
    read: (actor: StoredPerson | Group): Json => {
      if (key !== undefined) return ownValue(actor.properties, key) ?? null;
      return isGroup(actor) ? groupColumn(actor, name) : (read?.(actor, dialect) ?? null);
    },
  };
}

function groupColumn(group: Group, name: string): Json {
  if (name === 'actor') return groupRow(group);
  if (name === 'id' || name === 'name') return group.key;
  return name === 'properties' ? group.properties : null;
}

/** A group as lists of actors show it. */
export function groupRow({ key, typeIndex, properties }: Group): JsonObject {
  return { type: 'group', id: key, group_key: key, group_type_index: typeIndex, properties };
}

/** One page of the people, or groups, behind a number. `missing` counts those of the page who have no profile. */
export type PeoplePage = {
  readonly people: readonly (StoredPerson | Group)[];
  readonly missing: number;
  readonly hasMore: boolean;
};

/** What people are looked for in. */
type PeopleSource = Pick<QuestionContext, 'session' | 'signal'>;

/** A page of all people behind a number of an analysis. Throws a `Refusal` 400 if the analysis does. */
export async function listPeople(
  request: ActorsRequest,
  { limit, offset }: Part,
  source: PeopleSource,
): Promise<PeoplePage> {
  const everybody = await runAnalysis(request.of, source, request.find);
  const page = everybody.slice(offset, offset + limit);
  const uuids = page.flatMap((actor) => (actor.kind === 'person' ? [actor.person.uuid] : []));
  const stored = new Map((await personsByIds(source.session, uuids)).map((person) => [person.uuid, person]));
  const people = page.flatMap((actor) => {
    const found = actor.kind === 'person' ? stored.get(actor.person.uuid) : actor;
    return found === undefined ? [] : [found];
  });
  return { people, missing: page.length - people.length, hasMore: everybody.length > offset + limit };
}

/** Whether an actor of a page is a group. */
export function isGroup(actor: StoredPerson | Group): actor is Group {
  return 'kind' in actor;
}

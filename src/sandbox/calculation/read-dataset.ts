import { asObject, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { parseJson, toText, writeJson } from '../../json/text.ts';
import type { Breakdown } from '../analysis/breakdown.ts';
import {
  type AnalysisPerson,
  type Dataset,
  datasetOfColumns,
  type Surroundings,
} from '../analysis/dataset.ts';
import type { ActorsRequest } from '../analysis/definitions/actors.ts';
import type { AnalysisDefinition } from '../analysis/definitions/definition.ts';
import { type Entity, eventNamesOf } from '../analysis/filters/entity.ts';
import { splitOldKey } from '../analysis/filters/property-filter.ts';
import { resolveSelection, type Selection } from '../analysis/selection.ts';
import { type DateRange, lastUpTo } from '../analysis/time/date-range.ts';
import { pointerOf, type Readable, textOf } from '../store/open-store.ts';
import type { Chunk, Session, Vector } from '../store/session.ts';

type Needs = { readonly events: NeededEvents; readonly properties: NeededProperties };

/** Reads what an analysis needs, part by part, so that other requests are answered meanwhile. */
export async function readDataset(session: Session, needs: Needs, signal: AbortSignal): Promise<Dataset> {
  const persons = await readPeople(session, { withProperties: needs.properties.ofPersons, signal });
  const names = needs.events.names ?? (await readNames(session));
  signal.throwIfAborted();
  return datasetOfColumns(await readColumns(session, { persons, names, needs, signal }));
}

async function readNames(session: Readable): Promise<readonly string[]> {
  const rows = await session.rows('select distinct event from store.events');
  return rows.map((row) => textOf(row, 'event'));
}

type Reading = {
  readonly persons: readonly AnalysisPerson[];
  readonly names: readonly string[];
  readonly needs: Needs;
  readonly signal: AbortSignal;
};

async function readColumns(session: Session, { persons, names, needs, signal }: Reading) {
  const { range } = needs.events;
  const keys = needs.properties.ofEvents;
  const sql = `with ${PEOPLE}, names as (
      select unnest(from_json($1, '["VARCHAR"]')) as event, generate_subscripts(from_json($1, '["VARCHAR"]'), 1) as code
    )
    select p.place, n.code::integer, epoch_us(e.timestamp)::double / 1000${propertyColumns(keys)}
    from store.events e join names n on n.event = e.event
    join people p on p.person_id is not distinct from e.person_id
      and p.distinct_id = case when e.person_id is null then e.distinct_id else '' end
    ${
      range === undefined
        ? ''
        : `where e.timestamp >= make_timestamp(${micros(range.from)})
      and e.timestamp < make_timestamp(${micros(range.to + 1)})`
    }
    order by p.place, e.timestamp, e.id`;
  const chunks: Chunk[] = [];
  const starts: number[] = [];
  let length = 0;
  for await (const chunk of session.chunks(sql, [writeJson(names)])) {
    signal.throwIfAborted();
    chunks.push(chunk);
    starts.push(length);
    length += chunk.rowCount;
  }
  const columns = gather(chunks, names, length);
  const propertiesOf = propertyReader(keys);
  return {
    ...columns,
    persons,
    length,
    properties: (row: number) => {
      const index = lastUpTo(starts, row);
      return propertiesOf(chunks[index]?.vectors ?? [], row - (starts[index] ?? 0));
    },
  };
}

function micros(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds)) * 1000n}::bigint`;
}

/** One column of JSON text for each property that is looked at, or one for all of them. */
function propertyColumns(keys: ReadonlySet<string> | 'all'): string {
  if (keys === 'all') return ', e.properties::varchar';
  return [...keys].map((key) => `, json_extract(e.properties, ${quotePointer(key)})::varchar`).join('');
}

function quotePointer(key: string): string {
  return `'${pointerOf(key).replaceAll("'", "''")}'`;
}

const FIXED_COLUMNS = 3;

function propertyReader(keys: ReadonlySet<string> | 'all') {
  if (keys === 'all') {
    return (vectors: readonly Vector[], row: number) =>
      asObject(parseJson(textAt(vectors[FIXED_COLUMNS], row) ?? '{}')) ?? {};
  }
  const names = [...keys];
  return (vectors: readonly Vector[], row: number): JsonObject => {
    const properties: { [key: string]: Json } = Object.create(null);
    for (const [index, name] of names.entries()) {
      const text = textAt(vectors[FIXED_COLUMNS + index], row);
      if (text !== undefined) properties[name] = parseJson(text);
    }
    return properties;
  };
}

function gather(chunks: readonly Chunk[], names: readonly string[], length: number) {
  const person = new Int32Array(length);
  const timestamp = new Float64Array(length);
  const event = new Array<string>(length);
  let row = 0;
  for (const { rowCount, vectors } of chunks) {
    const [place, code, time] = vectors;
    for (let index = 0; index < rowCount; index += 1, row += 1) {
      person[row] = numberAt(place, index) ?? -1;
      timestamp[row] = numberAt(time, index) ?? 0;
      event[row] = names[(numberAt(code, index) ?? 0) - 1] ?? '';
    }
  }
  return { person, timestamp, event };
}

/**
 * All who may have events, in one order: persons by number, then the owners of events whose person is gone, then
 * distinct ids without a person. The last two have no profile: they count, and no list can show them.
 */
const PEOPLE = `people as (
  select (row_number() over (order by kind, person_id, distinct_id) - 1)::integer as place, *
  from (
    select 0 as kind, p.id as person_id, '' as distinct_id, p.uuid, p.created_at, p.properties
    from store.persons p
    union all
    select case when s.person_id is null then 2 else 1 end, s.person_id, s.distinct_id, '', null, null
    from (
      select distinct e.person_id, case when e.person_id is null then e.distinct_id else '' end as distinct_id
      from store.events e anti join store.persons p on p.id = e.person_id
    ) s
  ) everybody
)`;

/** Reads them in that order, by uuid; the properties only if they are looked at. */
async function readPeople(
  session: Session,
  { withProperties, signal }: { readonly withProperties: boolean; readonly signal: AbortSignal },
): Promise<readonly AnalysisPerson[]> {
  const persons: AnalysisPerson[] = [];
  const sql = `with ${PEOPLE} select uuid, epoch_us(created_at)::double / 1000,
    ${withProperties ? 'properties::varchar' : "'{}'"} from people order by place`;
  for await (const { rowCount, vectors } of session.chunks(sql)) {
    signal.throwIfAborted();
    const [uuid, createdAt, properties] = vectors;
    for (let row = 0; row < rowCount; row += 1) {
      persons.push(
        makePerson(persons.length, textAt(uuid, row) ?? '', numberAt(createdAt, row), () =>
          textAt(properties, row),
        ),
      );
    }
  }
  return persons;
}

function makePerson(
  id: number,
  uuid: string,
  createdAt: number | null,
  text: () => string | undefined,
): AnalysisPerson {
  let properties: JsonObject | undefined;
  return {
    id,
    uuid,
    // Cohorts that list persons name them by UUID here.
    distinct_ids: [],
    created_at: createdAt,
    get properties() {
      properties ??= asObject(parseJson(text() ?? '{}')) ?? {};
      return properties;
    },
  };
}

/** Text in a row, undefined for anything else. */
function textAt(vector: Vector | undefined, row: number): string | undefined {
  const value = vector?.getItem(row);
  return typeof value === 'string' ? value : undefined;
}

/** A number in a row, null for anything else. */
function numberAt(vector: Vector | undefined, row: number): number | null {
  const value = vector?.getItem(row);
  return typeof value === 'number' ? value : null;
}

/** Which events an analysis looks at; undefined leaves open. Milliseconds. */
type NeededEvents = {
  readonly names: readonly string[] | undefined;
  readonly range: DateRange | undefined;
};

/** Narrows the events by name and time if an analysis cannot see the others. Throws a 400 for unknown actions. */
export function neededEvents(
  definition: AnalysisDefinition,
  surroundings: Surroundings,
  wanted?: ActorsRequest['wanted'],
): NeededEvents {
  const asked = definition.kind === 'correlation' ? definition.funnel : definition;
  // "All" begins with the first event there is, whatever its name.
  if (asked.dates.from === 'all') return { names: undefined, range: undefined };
  return { names: namesOf(definition, surroundings, wanted), range: rangeOf(asked, surroundings) };
}

function namesOf(
  definition: AnalysisDefinition,
  surroundings: Surroundings,
  wanted: ActorsRequest['wanted'] | undefined,
): readonly string[] | undefined {
  const funnel = definition.kind === 'correlation' ? definition.funnel : definition;
  // In a strict funnel every other event breaks the chain.
  if (funnel.kind === 'funnel' && funnel.order === 'strict') return undefined;
  if (definition.kind === 'correlation') {
    const { subject } = definition;
    if (subject.kind === 'events' || (wanted !== undefined && 'entity' in wanted && wanted.entity)) {
      return undefined;
    }
    const own = subject.kind === 'event_with_properties' ? subject.events : [];
    const steps = namesOf(definition.funnel, surroundings, undefined);
    return steps === undefined ? undefined : [...new Set([...steps, ...own])];
  }
  const names = entitiesOf(definition).map((entity) => eventNamesOf(entity, surroundings));
  return names.every((list) => list !== undefined) ? [...new Set(names.flat())] : undefined;
}

/** Only funnels see nothing outside of their dates; other analyses look back, or at an earlier range. */
function rangeOf(
  asked: Exclude<AnalysisDefinition, { kind: 'correlation' }>,
  surroundings: Surroundings,
): DateRange | undefined {
  if (asked.kind !== 'funnel' || asked.compare !== undefined) return undefined;
  return resolveSelection(asked, { ...surroundings, people: () => [] }).range;
}

/** The properties of events and persons that an analysis looks at. */
type NeededProperties = {
  readonly ofEvents: ReadonlySet<string> | 'all';
  readonly ofPersons: boolean;
};

type Found = { readonly keys: Set<string>; persons: boolean };

/** Collects what the filters, breakdowns and sums of an analysis read. */
export function neededProperties(
  definition: AnalysisDefinition,
  surroundings: Surroundings,
  wanted?: ActorsRequest['wanted'],
): NeededProperties {
  const found: Found = { keys: new Set(), persons: false };
  const subject = definition.kind === 'correlation' ? definition.subject.kind : undefined;
  const asked = definition.kind === 'correlation' ? definition.funnel : definition;
  addSelection(asked, surroundings, found);
  const chosen = wanted !== undefined && 'entity' in wanted ? wanted.entity : undefined;
  for (const entity of [...entitiesOf(definition), ...(chosen === undefined ? [] : [chosen])]) {
    addEntity(entity, surroundings, found);
  }
  if ('breakdown' in asked) addBreakdown(asked.breakdown, found);
  const isByPerson =
    wanted !== undefined && 'propertyValues' in wanted && wanted.propertyValues !== undefined;
  return {
    ofEvents: subject === 'event_with_properties' ? 'all' : found.keys,
    ofPersons: found.persons || subject === 'properties' || isByPerson,
  };
}

/** All series, steps, exclusions and targets of an analysis. */
function entitiesOf(definition: AnalysisDefinition): readonly Entity[] {
  switch (definition.kind) {
    case 'funnel':
      return [...definition.steps, ...definition.exclusions.map(({ entity }) => entity)];
    case 'trends':
    case 'stickiness':
      return definition.series;
    case 'lifecycle':
      return [definition.entity];
    case 'retention':
      return [definition.target, definition.returning];
    case 'correlation':
      return entitiesOf(definition.funnel);
  }
}

function addSelection(selection: Selection, { project }: Surroundings, found: Found): void {
  addFilters(selection.filters, found);
  if (selection.filterTestAccounts) addFilters(project.test_account_filters ?? null, found);
  addGroup(selection.groupTypeIndex, found);
}

function addEntity(entity: Entity, { project }: Surroundings, found: Found): void {
  addFilters(entity.properties ?? null, found);
  if (entity.math === 'unique_group') addGroup(entity.mathGroupTypeIndex ?? 0, found);
  if (entity.math === 'unique_session') found.keys.add('$session_id');
  if (entity.mathProperty !== undefined) found.keys.add(entity.mathProperty);
  if (entity.type === 'events') return;
  const action = project.actions?.find(({ id }) => id === Number(entity.id));
  for (const step of action?.steps ?? []) {
    addFilters(step.properties ?? null, found);
    if (step.url) found.keys.add('$current_url');
    if (step.text) found.keys.add('$el_text');
  }
}

function addBreakdown(breakdown: Breakdown | undefined, found: Found): void {
  if (breakdown === undefined) return;
  if (breakdown.kind === 'cohorts') {
    found.persons = true;
    return;
  }
  for (const { type, property, groupTypeIndex } of breakdown.parts) {
    if (type === 'person') found.persons = true;
    else if (type === 'event') found.keys.add(property);
    else addGroup(groupTypeIndex ?? 0, found);
  }
}

function addGroup(index: number | undefined, { keys }: Found): void {
  if (index !== undefined) keys.add(`$group_${index}`);
}

function addFilters(filters: Json, found: Found): void {
  if (isList(filters)) {
    for (const filter of filters) addFilters(filter, found);
    return;
  }
  if (!isObject(filters)) return;
  if (isList(filters.values)) addFilters(filters.values, found);
  if (filters.key !== undefined) addFilter(filters, found);
  // The old form: `{ "email__icontains": "@" }`.
  else for (const key of Object.keys(filters)) found.keys.add(key).add(splitOldKey(key).name);
}

function addFilter(filter: JsonObject, found: Found): void {
  const type = toText(filter.type ?? 'event');
  if (type === 'person' || type.endsWith('cohort')) found.persons = true;
  else if (type === 'group') addGroup(Number(toText(filter.group_type_index ?? 0)), found);
  else found.keys.add(toText(filter.key ?? ''));
}

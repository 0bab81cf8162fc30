import { asObject, type JsonObject } from '../../json/kinds.ts';
import { parseJson, writeJson } from '../../json/text.ts';
import type { AnalysisEvent, AnalysisPerson, Dataset, NeededProperties, Needs } from '../analysis/dataset.ts';
import type { DateRange } from '../analysis/time/date-range.ts';
import { pointerOf, quoteText, type Readable, textOf } from '../store/open-store.ts';
import type { Chunk } from '../store/session.ts';

type Reading = {
  readonly needs: Needs;
  /** Of which time; undefined leaves it open. */
  readonly range?: DateRange | undefined;
  readonly signal?: AbortSignal;
};

/** Reads what an analysis needs, part by part, so that other requests are answered meanwhile. */
export async function readDataset(session: Readable, reading: Reading): Promise<Dataset> {
  const persons = await readPersons(session, reading, IN_ORDER);
  const { names, anyEvent } = reading.needs;
  const events = anyEvent ? await readNames(session) : [...names];
  reading.signal?.throwIfAborted();
  const chunks = await readEvents(session, events, reading);
  return { people: () => peopleOf(chunks, persons, events) };
}

async function readNames(session: Readable): Promise<readonly string[]> {
  const rows = await session.rows('select distinct event from store.events');
  return rows.map((row) => textOf(row, 'event'));
}

/** Ordered by person, time and arrival: the places of person and name, the time, and the properties. */
async function readEvents(session: Readable, names: readonly string[], { needs, range, signal }: Reading) {
  const sql = `with ${PEOPLE}, names as (
      select unnest(from_json($1, '["VARCHAR"]')) as event, generate_subscripts(from_json($1, '["VARCHAR"]'), 1) as code
    )
    select p.place, n.code::integer, epoch_us(e.timestamp)::double / 1000, ${propertiesOf(needs.ofEvents, 'e')},
      e.id::double
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
  for await (const chunk of session.chunks(sql, [writeJson(names)])) {
    signal?.throwIfAborted();
    chunks.push(chunk);
  }
  return chunks;
}

/** The events of one person at a time become objects. */
function* peopleOf(chunks: readonly Chunk[], persons: readonly AnalysisPerson[], names: readonly string[]) {
  let person: AnalysisPerson | undefined;
  let events: AnalysisEvent[] = [];
  for (const chunk of chunks) {
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const next = persons[numberAt(chunk, 0, row) ?? -1];
      if (person !== undefined && next !== person) {
        yield { person, events };
        events = [];
      }
      person = next;
      if (person === undefined) continue;
      const event = names[(numberAt(chunk, 1, row) ?? 0) - 1] ?? '';
      const [timestamp, order] = [numberAt(chunk, 2, row) ?? 0, numberAt(chunk, 4, row) ?? 0];
      events.push(makeEvent({ person, event, timestamp, order, chunk, row }));
    }
  }
  if (person !== undefined) yield { person, events };
}

type StoredEvent = Omit<AnalysisEvent, 'properties'> & {
  readonly chunk: Chunk;
  readonly row: number;
  loaded?: JsonObject;
};

/** One getter for all events: an object of its own for each would cost several times as much. */
const lazyProperties = {
  get properties(): JsonObject {
    // Only events made below inherit this.
    const event = this as unknown as StoredEvent;
    event.loaded ??= readProperties(event.chunk, PROPERTIES, event.row);
    return event.loaded;
  },
};

function makeEvent({ person, event, timestamp, order, chunk, row }: StoredEvent): AnalysisEvent {
  const made = { __proto__: lazyProperties, person, event, timestamp, order, chunk, row, loaded: undefined };
  // The properties come from the prototype, which types do not follow.
  return made as unknown as AnalysisEvent;
}

function micros(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds)) * 1000n}::bigint`;
}

const PROPERTIES = 3;

/** JSON text of the properties of a table that are looked at. */
function propertiesOf({ names, all }: NeededProperties, table: string): string {
  if (all) return `${table}.properties::varchar`;
  if (names.size === 0) return "'{}'";
  const fields = [...names].map(
    (key) => `${quoteText(key)}, json_extract(${table}.properties, ${quoteText(pointerOf(key))})`,
  );
  return `json_object(${fields.join(', ')})::varchar`;
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

const IN_ORDER = `(with ${PEOPLE} select * from people) p order by place`;

/** Persons by uuid, with the properties that are looked at. */
export async function readPersons(
  session: Readable,
  { needs, signal }: Reading,
  from = 'store.persons p',
): Promise<readonly AnalysisPerson[]> {
  const persons: AnalysisPerson[] = [];
  const sql = `select uuid, epoch_us(created_at)::double / 1000, ${propertiesOf(needs.ofPersons, 'p')} from ${from}`;
  for await (const chunk of session.chunks(sql)) {
    signal?.throwIfAborted();
    for (let row = 0; row < chunk.rowCount; row += 1) persons.push(makePerson(chunk, row));
  }
  return persons;
}

function makePerson(chunk: Chunk, row: number): AnalysisPerson {
  let properties: JsonObject | undefined;
  return {
    uuid: textAt(chunk, 0, row) ?? '',
    created_at: numberAt(chunk, 1, row),
    get properties() {
      properties ??= readProperties(chunk, 2, row);
      return properties;
    },
  };
}

function readProperties(chunk: Chunk, column: number, row: number): JsonObject {
  return asObject(parseJson(textAt(chunk, column, row) ?? '{}')) ?? {};
}

/** Text in a column, undefined for anything else. */
function textAt(chunk: Chunk, column: number, row: number): string | undefined {
  const value = chunk.getColumnVector(column).getItem(row);
  return typeof value === 'string' ? value : undefined;
}

/** A number in a column, null for anything else. */
function numberAt(chunk: Chunk, column: number, row: number): number | null {
  const value = chunk.getColumnVector(column).getItem(row);
  return typeof value === 'number' ? value : null;
}

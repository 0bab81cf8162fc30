import { asObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { parseJson, writeJson } from '../../json/text.ts';
import { type AnalysisPerson, type Dataset, datasetOfColumns, type Needs } from '../analysis/dataset.ts';
import { type DateRange, lastUpTo } from '../analysis/time/date-range.ts';
import { pointerOf, type Readable, textOf } from '../store/open-store.ts';
import type { Chunk, Session, Vector } from '../store/session.ts';

type Reading = {
  readonly needs: Needs;
  /** Of which time; undefined leaves it open. */
  readonly range: DateRange | undefined;
  readonly signal: AbortSignal;
};

/** Reads what an analysis needs, part by part, so that other requests are answered meanwhile. */
export async function readDataset(session: Session, reading: Reading): Promise<Dataset> {
  const persons = await readPeople(session, reading);
  const { names, anyEvent } = reading.needs;
  const events = anyEvent ? await readNames(session) : [...names];
  reading.signal.throwIfAborted();
  return datasetOfColumns({ persons, ...(await readColumns(session, events, reading)) });
}

async function readNames(session: Readable): Promise<readonly string[]> {
  const rows = await session.rows('select distinct event from store.events');
  return rows.map((row) => textOf(row, 'event'));
}

async function readColumns(session: Session, names: readonly string[], { needs, range, signal }: Reading) {
  const keys = needs.allProperties ? 'all' : needs.properties;
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
async function readPeople(session: Session, { needs, signal }: Reading): Promise<readonly AnalysisPerson[]> {
  const persons: AnalysisPerson[] = [];
  const sql = `with ${PEOPLE} select uuid, epoch_us(created_at)::double / 1000,
    ${needs.persons ? 'properties::varchar' : "'{}'"} from people order by place`;
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

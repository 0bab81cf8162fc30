import { usageError } from '../errors.ts';
import { isExactNumber, isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { parseJson, toText, writeJson } from '../json/text.ts';
import { isUuid } from '../service/endpoint.ts';
import { regularFileFault } from '../system/files.ts';
import { type Moment, readMoment } from './operator.ts';
import { invalid, type Refusal } from './refusal.ts';
import type { Store } from './store/open-store.ts';
import type { SqlRow } from './store/session.ts';

/**
 * Reads content in the form `{ project?, persons?, events? }`. Throws a usage error that names the first part that
 * does not fit.
 */
export function readContent(content: Json, now: Moment) {
  if (!isObject(content)) throw usageError('sandbox content must be an object', CONTENT_HINT);
  const { project = {}, persons = [], events = [] } = content;
  if (!isObject(project) || !isList(persons) || !isList(events)) {
    throw usageError('sandbox content has parts of the wrong shape', CONTENT_HINT);
  }
  return {
    project,
    persons: persons.map((person, index) => readPerson(person, `persons[${index}]`, now)),
    events: events.map((event, index) => readEvent(event, `events[${index}]`)),
    cohorts: readCohorts(project.cohorts ?? []),
    dashboards: readDashboards(project.dashboards ?? []),
  };
}

const CONTENT_HINT = 'it looks like {"project": {}, "persons": [], "events": []}';

export type NewPerson = Readonly<ReturnType<typeof readPerson>>;

/**
 * Reads one person; without `created_at` it was created now. Given numbers are kept. Properties stay JSON text, so that
 * numbers keep their digits.
 */
export function readPerson(value: Json, where: string, now: Moment) {
  const person = asObject(value, where);
  const { distinct_ids: distinctIds, created_at: createdAt } = person;
  const ids = readIds(person, where);
  const isKnown = ids.id !== undefined || ids.uuid !== undefined;
  if (!isList(distinctIds) || (distinctIds.length === 0 && !isKnown)) {
    throw usageError(`${where} has no distinct_ids`, 'give a list of texts, or an empty one beside an id');
  }
  return {
    ...ids,
    distinctIds: distinctIds.map((distinctId) => readText(distinctId, `${where}.distinct_ids`)),
    properties: readProperties(person, where),
    createdAt:
      createdAt === undefined || createdAt === null ? now : readTime(createdAt, `${where}.created_at`),
    isIdentified: person.is_identified === true,
  };
}

/** An id is the number or the UUID, as the service has it in one place and in the other. */
function readIds({ id, uuid }: JsonObject, where: string) {
  const idAsUuid = typeof id === 'string' && isUuid(id) ? id.toLowerCase() : undefined;
  const number = id === undefined || idAsUuid !== undefined ? undefined : readId(id, where);
  if (uuid === undefined) return { id: number, uuid: idAsUuid };
  if (typeof uuid !== 'string' || !isUuid(uuid)) {
    throw usageError(`${where} has an invalid uuid: ${toText(uuid)}`);
  }
  if (idAsUuid !== undefined && idAsUuid !== uuid.toLowerCase()) {
    throw usageError(`${where} has two UUIDs: ${idAsUuid} and ${uuid}`);
  }
  return { id: number, uuid: uuid.toLowerCase() };
}

export type NewEvent = Readonly<ReturnType<typeof readEvent>>;

/** Reads one event; its properties stay JSON text. */
export function readEvent(value: Json, where: string) {
  const event = asObject(value, where);
  return {
    event: readText(event.event ?? null, `${where}.event`),
    distinctId: readText(event.distinct_id ?? null, `${where}.distinct_id`),
    timestamp: readTime(event.timestamp ?? null, `${where}.timestamp`),
    properties: readProperties(event, where),
  };
}

export type NewCohort = Readonly<ReturnType<typeof readCohorts>[number]>;

/** Cohorts of filters of persons, or without them of the persons who own `distinctIds`. */
function readCohorts(cohorts: Json) {
  if (!isList(cohorts)) throw usageError('project.cohorts is not a list');
  return cohorts.map((value, index) => {
    const where = `project.cohorts[${index}]`;
    const cohort = asObject(value, where);
    const { filters = propertiesOf(cohort.groups), distinct_ids: distinctIds = [] } = cohort;
    if (!isList(distinctIds) || !(filters === null || isList(filters))) {
      throw usageError(`${where} needs filters or distinct_ids`, 'both are lists');
    }
    if (isList(filters) && filters.some((filter) => isObject(filter) && filter.type === 'cohort')) {
      throw usageError(`${where} refers to another cohort`, 'repeat the filters of that cohort');
    }
    return {
      id: readId(cohort.id ?? null, where),
      name: readText(cohort.name ?? null, `${where}.name`),
      definition: filters,
      distinctIds: distinctIds.map((distinctId) => readText(distinctId, `${where}.distinct_ids`)),
    };
  });
}

/** The older form of a cohort: a list with one group of filters. */
function propertiesOf(groups: Json | undefined): Json {
  const [group, ...others] = groups !== undefined && isList(groups) ? groups : [];
  return others.length === 0 && isObject(group) ? (group.properties ?? null) : null;
}

/** `filters` narrow every insight that is shown on a dashboard: `date_from`, `date_to` and `properties`. */
function readDashboards(dashboards: Json) {
  if (!isList(dashboards)) throw usageError('project.dashboards is not a list');
  return dashboards.map((value, index) => {
    const where = `project.dashboards[${index}]`;
    const { id = null, name = null, filters = {} } = asObject(value, where);
    return {
      id: readId(id, where),
      name: readText(name, `${where}.name`),
      filters: asObject(filters, `${where}.filters`),
    };
  });
}

function asObject(value: Json, where: string): JsonObject {
  if (isObject(value)) return value;
  throw usageError(`${where} is not an object`);
}

function readText(value: Json, where: string): string {
  if (typeof value === 'string') return value;
  throw usageError(`${where} is not a text: ${writeJson(value)}`);
}

function readId(value: Json, where: string): bigint {
  const text = isExactNumber(value) ? value.value : String(value);
  if (!/^\d{1,18}$/.test(text))
    throw usageError(`${where} has an id that is neither a whole number nor a UUID: ${text}`);
  return BigInt(text);
}

function readTime(value: Json, where: string): Moment {
  const moment = typeof value === 'string' ? readMoment(value) : undefined;
  if (moment !== undefined) return moment;
  throw usageError(`${where} is not an ISO 8601 time: ${writeJson(value)}`);
}

function readProperties(value: JsonObject, where: string): string {
  const { properties = null } = value;
  if (properties === null) return '{}';
  if (!isObject(properties)) throw usageError(`${where}.properties is not an object`);
  return writeJson(properties);
}

/** One row of an imported file and where it stands in it. */
export type FileRow = { readonly value: Json; readonly where: string };

type Rows = AsyncIterable<readonly SqlRow[]>;

type Named = { readonly path: string; readonly attr: string };

/** Each batch costs a look at all distinct ids, so batches are large. */
const BATCH = 20_000;

/** An empty line is null. Lines may end either way, also in one file: only so are they all counted. */
const LINES = `select line from read_csv($1, delim = '\u0001', quote = '', escape = '', header = false,
  columns = {'line': 'VARCHAR'}, auto_detect = false, max_line_size = 20000000, new_line = '\\r\\n', strict_mode = false)`;

const START = 'select substr(content, 1, 1000) as content from read_text($1)';

const WHOLE = 'select content from read_text($1)';

const PARQUET = `select columns(*)::varchar from read_parquet($1)`;

const CSV = `select columns(*)::varchar from read_csv($1, delim = ',', quote = '"', escape = '"', header = true,
  all_varchar = true)`;

/** Nothing is quoted: tabs, line ends and backslashes are written with a backslash. */
const TSV = `select columns(*)::varchar from read_csv($1, delim = '\t', quote = '', escape = '', header = true,
  all_varchar = true)`;

/**
 * Reads an NDJSON, JSON, CSV, TSV or Parquet file, a batch of rows at a time. JSON is a list, or lines as NDJSON has
 * them. In tables the columns `properties` and `distinct_ids` hold JSON. Throws a `Refusal` 400 that names `attr` for a
 * file that cannot be read.
 */
export async function* readRows(store: Store, path: string, attr: string): AsyncIterable<readonly FileRow[]> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) throw invalid(attr, 'Only files on this computer can be read.');
  let batch: FileRow[] = [];
  for await (const row of await openRows(store, { path, attr })) {
    if (batch.push(row) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function openRows(store: Store, file: Named): Promise<AsyncIterable<FileRow>> {
  const { path, attr } = file;
  const read = (sql: string) => {
    const fault = regularFileFault(path);
    if (fault !== undefined) throw unreadable(attr, fault);
    return refuseUnreadable(store.readFile(sql, literalPattern(path)), attr);
  };
  if (/\.json$/i.test(path) && /^\uFEFF?\s*\[/.test(await onlyText(read(START)))) {
    return fromList(await onlyText(read(WHOLE)), attr);
  }
  if (/\.(ndjson|jsonl|json)$/i.test(path)) return fromRows(read(LINES), 'line', attr, fromLine);
  if (/\.csv$/i.test(path)) return fromRows(read(CSV), 'row', attr, fromColumns);
  if (/\.tsv$/i.test(path))
    return fromRows(read(TSV), 'row', attr, (row) => fromColumns(row, withoutEscapes));
  if (/\.parquet$/i.test(path)) return fromRows(read(PARQUET), 'row', attr, fromColumns);
  throw invalid(attr, 'The file must end in .ndjson, .jsonl, .json, .csv, .tsv or .parquet.');
}

/** The database takes a path for a pattern of paths: this one matches no other. */
function literalPattern(path: string): string {
  return path.replace(/[*?[]/g, (character) => `[${character}]`);
}

function unreadable(attr: string, reason: string | undefined): Refusal {
  return invalid(attr, `The file cannot be read: ${reason}`);
}

type ReadRow = (row: SqlRow) => Json | undefined;

async function* fromRows(rows: Rows, word: string, attr: string, read: ReadRow): AsyncIterable<FileRow> {
  let count = 0;
  for await (const batch of rows) {
    for (const row of batch) {
      count += 1;
      const where = `${word} ${count}`;
      const value = parse(() => read(row), `${attr}, ${where}`, attr);
      if (value !== undefined) yield { value, where };
    }
  }
}

/** Lines without anything are left out, and counted. */
function fromLine({ line }: SqlRow): Json | undefined {
  return typeof line === 'string' && line.trim() !== '' ? parseJson(line) : undefined;
}

async function* fromList(text: string, attr: string): AsyncIterable<FileRow> {
  const list = parse(() => parseJson(text.replace(/^\uFEFF/, '')), `${attr}, the file`, attr);
  for (const [index, value] of (isList(list) ? list : []).entries())
    yield { value, where: `row ${index + 1}` };
}

async function onlyText(rows: Rows): Promise<string> {
  for await (const [row] of rows) return String(row?.content ?? '');
  return '';
}

const UNESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

function withoutEscapes(text: string): string {
  return text.replace(/\\([tnr\\])/g, (_, letter: string) => UNESCAPED[letter] ?? letter);
}

function fromColumns(row: SqlRow, cell = (text: string) => text): Json {
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const isJson = name === 'properties' || name === 'distinct_ids';
      const text = cell(String(value));
      return [name, isJson ? parseJson(text) : text];
    }),
  );
}

function parse<Value>(read: () => Value, where: string, attr: string): Value {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw invalid(attr, `${where} is not JSON, ${cause.message}`);
  }
}

async function* refuseUnreadable(batches: Rows, attr: string): AsyncGenerator<readonly SqlRow[]> {
  try {
    yield* batches;
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw unreadable(attr, reason);
  }
}

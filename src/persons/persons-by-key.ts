import type { Context } from '../cli/context.ts';
import { CliError, changed, isRefusal, nextTurn } from '../errors.ts';
import { isTooDeep, type Json, type JsonObject } from '../json/kinds.ts';
import { parsePageText } from '../json/text.ts';
import { readConditions } from '../semantics/person-conditions.ts';
import { failedQuery, type QueryRow, queryRows, sqlQuery } from '../semantics/sql.ts';
import { persons } from '../service/persons.ts';
import { type ExportedRow, moment, readByList, rowOfPerson, type Section } from './persons-by-list.ts';

/** Persons in the order of their ids, and their distinct ids, which were asked for. */
type Stretch = Persons & { readonly distinctIds: Promise<DistinctIds> };

type Persons = { readonly persons: readonly Row[]; readonly first: string; readonly last: string };

type DistinctIds = ReadonlyMap<string, readonly string[]>;

/** Rows whose properties are parsed at a time. */
const GROUP = 1000;

/** Persons in the order of their ids, after the one with this id; at last those whom SQL does not show. */
export async function* readByKey(after: string | undefined, context: Context): AsyncGenerator<Section> {
  const soon = new Date(context.now() + HALF_A_DAY).toISOString();
  const isAhead = ({ created_at: created }: ExportedRow) => created !== null && created > soon;
  const shown = new Set<string>();
  const stretches = readStretches(after, context);
  let upcoming = stretches.next();
  for (;;) {
    const { done, value: stretch } = await upcoming;
    if (done) break;
    upcoming = stretches.next();
    // While rows are handled nothing is read, so what follows is asked for before. Its failure is met in its turn.
    await Promise.allSettled([upcoming]);
    // What was asked for leaves before rows are handled.
    await nextTurn();
    for (const section of sectionsOf(stretch, await stretch.distinctIds)) {
      for (const row of section.rows) if (isAhead(row)) shown.add(row.id);
      yield section;
    }
  }
  for (const row of await newestWhile(isAhead, context)) if (!shown.has(row.id)) yield { rows: [row] };
}

/** SQL leaves out persons who are dated more than a day ahead. Those who are half a day ahead it surely shows. */
const HALF_A_DAY = 12 * 3_600_000;

/** Persons from the front of the list, which has the newest first. Throws a `partial` error if the key cannot read it. */
async function newestWhile(
  isWanted: (row: ExportedRow) => boolean,
  context: Context,
): Promise<readonly ExportedRow[]> {
  const client = await context.client();
  try {
    const { results } = await client.call(persons.list, { limit: 1 });
    if (!results.map(rowOfPerson).some(isWanted)) return [];
  } catch (failure) {
    if (!isRefusal(failure, [403])) throw failure;
    throw changed(failure, {
      kind: 'partial',
      message: `persons who are dated more than a day ahead may be missing, since only the list shows them: ${failure.message}`,
    });
  }
  const rows: ExportedRow[] = [];
  const conditions = readConditions({}, await context.settings());
  for await (const section of readByList({ from: undefined, conditions }, context)) {
    const wanted = section.rows.filter(isWanted);
    rows.push(...wanted);
    if (wanted.length < section.rows.length) break;
  }
  return rows;
}

/**
 * Asks for the next persons as soon as some have come, beside the distinct ids of these: two queries at a time, of the
 * three that the service allows an organization. The end is an answer without rows: one that is shorter than it might
 * be may have met a limit of the service.
 */
async function* readStretches(
  after: string | undefined,
  context: Context,
): AsyncGenerator<Stretch, undefined, undefined> {
  let asked = readPersons(after, context);
  for (;;) {
    const found = await asked;
    if (found === undefined) return undefined;
    const distinctIds = readDistinctIds(found, context);
    asked = readPersons(found.last, context);
    // A reader that leaves early waits for neither.
    for (const pending of [distinctIds, asked]) pending.catch(() => undefined);
    yield { ...found, distinctIds };
  }
}

async function readPersons(after: string | undefined, context: Context): Promise<Persons | undefined> {
  const isAfter = after === undefined ? '' : ' WHERE id > {after}';
  const sql = `SELECT id, properties, created_at FROM persons${isAfter} ORDER BY id`;
  const { rows: persons, more } = await readRows(
    { sql, values: after === undefined ? {} : { after } },
    context,
  );
  const [start, end] = [persons[0], persons.at(-1)];
  if (start === undefined || end === undefined) {
    if (more) throw stuck();
    return undefined;
  }
  const [first, last] = [textOf(start[0]), textOf(end[0])];
  if (last === after) throw stuck();
  return { persons, first, last };
}

async function readDistinctIds({ first, last }: Persons, context: Context): Promise<DistinctIds> {
  const start = 'SELECT person_id, groupArray(distinct_id) FROM person_distinct_ids WHERE person_id';
  const end = 'AND person_id <= {last} GROUP BY person_id ORDER BY person_id';
  const after = (row: Row | undefined) => ({
    sql: `${start} ${row === undefined ? '>=' : '>'} {from} ${end}`,
    values: { from: row === undefined ? first : textOf(row[0]), last },
  });
  const found = new Map<string, readonly string[]>();
  for await (const rows of allRows({ after, last }, context)) {
    for (const [person, ids] of rows) found.set(textOf(person), textsOf(ids).sort());
  }
  return found;
}

function* sectionsOf({ persons, last }: Persons, distinctIds: DistinctIds): Generator<Section> {
  const toRow = ([id, properties, created]: Row): ExportedRow => ({
    id: textOf(id),
    distinct_ids: distinctIds.get(textOf(id)) ?? [],
    created_at: moment(created),
    properties: readProperties(properties),
  });
  for (let at = 0; at < persons.length; at += GROUP) {
    const rows = persons.slice(at, at + GROUP).map(toRow);
    yield { rows, settled: at + GROUP >= persons.length ? last : undefined };
  }
}

/** The text of an id. Throws if it is none. */
function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw new CliError('unavailable', 'the query answered with a person without an id');
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export type Row = QueryRow;

/** A statement without its limit. */
type Statement = { readonly sql: string; readonly values: JsonObject };

/** So many rows are some 3 MB, and a million persons take 800 requests. */
const STRETCH = 2500;

/** `more`: there may be rows behind these. */
type Rows = { readonly rows: readonly Row[]; readonly more: boolean };

/** The first rows of a statement. Throws if the service says that it failed. */
async function readRows({ sql, values }: Statement, context: Context): Promise<Rows> {
  const { rows, hasMore } = await askSql({ sql: `${sql} LIMIT ${STRETCH}`, values }, context);
  return { rows, more: rows.length >= STRETCH || hasMore };
}

/** The answer to one statement, calculated again: a cached one may name people who are gone. */
export async function askSql({ sql, values }: Statement, context: Context) {
  const client = await context.client();
  const input = { query: sqlQuery({ sql, values }), refresh: 'force_blocking' };
  return queryRows(await client.query(input, { isNew: true, amidRows: true }));
}

type Reading = {
  /** What to ask for after a row; at first after none. */
  readonly after: (row: Row | undefined) => Statement;
  /** If it is known, the first column of the last row: only it, or an answer without rows, is the end. */
  readonly last?: Json;
};

/** All rows of a statement in the order of a key, over as many answers as it takes. */
export async function* allRows({ after, last }: Reading, context: Context): AsyncGenerator<readonly Row[]> {
  let row: Row | undefined;
  for (;;) {
    const { rows, more } = await readRows(after(row), context);
    yield rows;
    const end = rows.at(-1);
    const isLast = last !== undefined && end?.[0] === last;
    if (isLast || (!more && (last === undefined || end === undefined))) return;
    if (end === undefined || end[0] === row?.[0]) throw stuck();
    row = end;
  }
}

/** A service that answers what it answered before would go on doing so. */
function stuck(): CliError {
  return failedQuery('the query sent the same rows again');
}

/** Properties are JSON in a text. What is no JSON, or too deep to be written again, stays the text that it is. */
export function readProperties(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? {};
  try {
    const properties = parsePageText(value);
    return isTooDeep(properties) ? value : properties;
  } catch {
    return value;
  }
}

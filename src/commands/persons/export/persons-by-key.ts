import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Json } from '../../../json/kinds.ts';
import { type ExportedRow, moment, type Section } from './exported-person.ts';
import { allRows, type Row, readProperties, readRows, stuck } from './sql-rows.ts';

/** Persons in the order of their ids, and their distinct ids. */
type Stretch = {
  readonly persons: readonly Row[];
  readonly last: string;
  readonly distinctIds: ReadonlyMap<string, readonly string[]>;
};

/** Rows whose properties are parsed at a time. */
const GROUP = 500;

/**
 * Persons in the order of their ids, after the one with this id. While a stretch of them is handled, the next one is
 * read. The end is an answer without rows: one that is shorter than it might be may have met a limit of the service.
 */
export async function* readByKey(after: string | undefined, context: Context): AsyncGenerator<Section> {
  let upcoming = ahead(after, context);
  for (;;) {
    const stretch = await upcoming;
    if (stretch === undefined) return;
    upcoming = ahead(stretch.last, context);
    yield* sectionsOf(stretch);
  }
}

/** Its failure is met when it is waited for; a reader that leaves early does not wait. */
function ahead(after: string | undefined, context: Context): Promise<Stretch | undefined> {
  const reading = readStretch(after, context);
  reading.catch(() => undefined);
  return reading;
}

async function readStretch(after: string | undefined, context: Context): Promise<Stretch | undefined> {
  const isAfter = after === undefined ? '' : ' WHERE id > {after}';
  const sql = `SELECT id, properties, created_at FROM persons${isAfter} ORDER BY id`;
  const { rows: persons, more } = await readRows(
    { sql, values: after === undefined ? {} : { after } },
    context,
  );
  const [first, end] = [persons[0], persons.at(-1)];
  if (first === undefined || end === undefined) {
    if (more) throw stuck();
    return undefined;
  }
  const last = textOf(end[0]);
  if (last === after) throw stuck();
  return { persons, last, distinctIds: await readDistinctIds(textOf(first[0]), last, context) };
}

async function readDistinctIds(first: string, last: string, context: Context) {
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

function* sectionsOf({ persons, last, distinctIds }: Stretch): Generator<Section> {
  const toRow = ([id, properties, created]: Row): ExportedRow => ({
    id: textOf(id),
    distinct_ids: distinctIds.get(textOf(id)) ?? [],
    properties: readProperties(properties),
    created_at: moment(created),
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

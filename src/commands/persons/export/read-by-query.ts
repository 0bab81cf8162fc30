import type { Json } from '../../../api/json.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { MOST_ROWS } from '../../../queries/sql-query.ts';
import { type ExportedRow, moment } from './exported-row.ts';
import { type Row, readProperties, runSql } from './run-sql.ts';

/** Persons in the order of their ids, after the one with this id, in parts. The end is a page that is not full. */
export async function* readByQuery(
  after: string | undefined,
  context: Context,
): AsyncGenerator<readonly ExportedRow[]> {
  let last = after;
  for (;;) {
    const where = last === undefined ? '' : ' WHERE id > {after}';
    const sql = `SELECT id, properties, created_at FROM persons${where} ORDER BY id`;
    const rows = await runSql(sql, last === undefined ? {} : { after: last }, context);
    if (rows.first === undefined || rows.last === undefined) return;
    const next = textOf(rows.last[0]);
    if (next === last)
      throw new CliError('unavailable', 'the query did not advance: it answers the same rows');
    const ids = await readDistinctIds({ first: textOf(rows.first[0]), last: next }, context);
    for (const part of rows.parts()) yield await Promise.all(part.map((row) => exported(row, ids, context)));
    last = next;
    if (rows.size < MOST_ROWS) return;
  }
}

type Range = { readonly first: string; readonly last: string };
type DistinctIds = ReadonlyMap<string, readonly string[]>;

/** The distinct ids of the persons from one id to another. */
async function readDistinctIds({ first, last }: Range, context: Context): Promise<DistinctIds> {
  const found = new Map<string, readonly string[]>();
  const part = 'SELECT person_id, groupArray(distinct_id) FROM person_distinct_ids WHERE person_id';
  let from = '>= {from}';
  let start = first;
  for (;;) {
    const sql = `${part} ${from} AND person_id <= {last} GROUP BY person_id ORDER BY person_id`;
    const rows = await runSql(sql, { from: start, last }, context);
    for (const part of rows.parts())
      for (const [person, ids] of part) found.set(textOf(person), textsOf(ids));
    const end = rows.last;
    if (end === undefined || rows.size < MOST_ROWS || end[0] === last) return found;
    start = textOf(end[0]);
    from = '> {from}';
  }
}

async function exported([id, properties, created]: Row, ids: DistinctIds, context: Context) {
  const text = textOf(id);
  return {
    id: text,
    distinct_ids: [...(ids.get(text) ?? [])].sort(),
    properties: await readProperties(properties, context),
    created_at: moment(created),
  };
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw new CliError('unavailable', 'the query answered with a person without an id');
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

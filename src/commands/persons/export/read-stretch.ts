import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Json } from '../../../json/kinds.ts';
import type { DistinctIds } from './distinct-ids.ts';
import { allRows, type Row, rowOf, runSql, stuck } from './run-sql.ts';

/** As many persons as one answer may have. */
export type Stretch = {
  readonly after: string | undefined;
  readonly last: string;
  readonly ids: DistinctIds;
  /** Whether there may be more persons behind. */
  readonly more: boolean;
};

/**
 * Reads who comes after an id, and their distinct ids: so the persons themselves, who may be large, can be passed on
 * while they come in. Undefined where there is nobody. What `ids` held before is cleared.
 */
export async function readStretch(
  { after, ids }: Pick<Stretch, 'after' | 'ids'>,
  context: Context,
): Promise<Stretch | undefined> {
  ids.clear();
  let first: string | undefined;
  const keys = runSql((row) => {
    const from = row === undefined ? after : textOf(row[0]);
    const sql = `SELECT id FROM persons${from === undefined ? '' : ' WHERE id > {after}'} ORDER BY id`;
    return { sql, values: from === undefined ? {} : { after: from } };
  }, context);
  let next = await keys.next();
  for (; !next.done; next = await keys.next())
    for (const row of next.value) {
      const person = textOf(rowOf(row)[0]);
      first ??= person;
      ids.addPerson(person);
    }
  const { last: row, more } = next.value;
  if (row === undefined) {
    if (more) throw stuck();
    return undefined;
  }
  const last = textOf(row[0]);
  if (last === after) throw stuck();
  await addDistinctIds(ids, { first: first ?? last, last }, context);
  return { after, last, ids, more };
}

type Range = { readonly first: string; readonly last: string };

async function addDistinctIds(ids: DistinctIds, { first, last }: Range, context: Context): Promise<void> {
  const start = 'SELECT person_id, groupArray(distinct_id) FROM person_distinct_ids WHERE person_id';
  const end = 'AND person_id <= {last} GROUP BY person_id ORDER BY person_id';
  const after = (row: Row | undefined) => ({
    sql: `${start} ${row === undefined ? '>=' : '>'} {from} ${end}`,
    values: { from: row === undefined ? first : textOf(row[0]), last },
  });
  for await (const rows of allRows(after, { last, context })) {
    for (const row of rows) {
      const [person, own] = rowOf(row);
      ids.set(textOf(person), textsOf(own).sort());
    }
  }
}

/** The text of an id. Throws where there is none. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw new CliError('unavailable', 'the query answered with a person without an id');
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

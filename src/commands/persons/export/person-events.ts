import type { Json, JsonObject } from '../../../api/json.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Column } from '../../../output/look.ts';
import { MOST_ROWS } from '../../../queries/sql-query.ts';
import { type Row, readProperties, runSql } from './run-sql.ts';

export const eventColumns: readonly Column[] = [
  { key: 'uuid', kind: 'id' },
  { key: 'event' },
  { key: 'timestamp' },
  { key: 'distinct_id' },
  { key: 'properties' },
];

const SELECT =
  'SELECT uuid, event, timestamp, distinct_id, properties FROM events WHERE person_id = {person}';
const AFTER = ' AND (timestamp > toDateTime({time}) OR (timestamp = toDateTime({time}) AND uuid > {last}))';

/** All events of a person in the order of time, page by page. */
export async function* personEvents(person: string, context: Context): AsyncGenerator<readonly JsonObject[]> {
  let place: { readonly time: Json; readonly last: Json } | undefined;
  for (;;) {
    const sql = `${SELECT}${place === undefined ? '' : AFTER} ORDER BY timestamp, uuid`;
    const rows = await runSql(sql, { person, ...place }, context);
    if (rows.last === undefined) return;
    const [last = null, , time = null] = rows.last;
    if (place !== undefined && last === place.last)
      throw new CliError('unavailable', 'the query did not advance: it answers the same events');
    for (const part of rows.parts()) yield await Promise.all(part.map((row) => eventOf(row, context)));
    place = { time, last };
    if (rows.size < MOST_ROWS) return;
  }
}

async function eventOf(row: Row, context: Context): Promise<JsonObject> {
  const [uuid = null, event = null, timestamp = null, distinct = null, properties] = row;
  return {
    uuid,
    event,
    timestamp,
    distinct_id: distinct,
    properties: await readProperties(properties, context),
  };
}

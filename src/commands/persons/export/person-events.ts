import type { Json, JsonObject } from '../../../api/json.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Column } from '../../../output/look.ts';
import { MOST_ROWS } from '../../../queries/sql-query.ts';
import { readProperties, runSql } from './run-sql.ts';

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
    const end = rows.at(-1);
    if (end === undefined) return;
    const [last = null, , time = null] = end;
    if (place !== undefined && last === place.last)
      throw new CliError('unavailable', 'the query did not advance: it answers the same events');
    yield await Promise.all(
      rows.map(async ([uuid = null, event = null, timestamp = null, distinct = null, properties]) => ({
        uuid,
        event,
        timestamp,
        distinct_id: distinct,
        properties: await readProperties(properties, context),
      })),
    );
    place = { time, last };
    if (rows.length < MOST_ROWS) return;
  }
}

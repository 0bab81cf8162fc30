import type { Context } from '../../../cli/context.ts';
import type { JsonObject } from '../../../json/kinds.ts';
import type { Column } from '../../../output/look.ts';
import { allRows, type Row, readProperties, rowOf } from './run-sql.ts';

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

/** All events of a person in the order of time, part by part as they come. */
export async function* personEvents(person: string, context: Context): AsyncGenerator<readonly JsonObject[]> {
  const after = (row: Row | undefined) => {
    const [last = null, , time = null] = row ?? [];
    const place = row === undefined ? undefined : { time, last };
    const sql = `${SELECT}${place === undefined ? '' : AFTER} ORDER BY timestamp, uuid`;
    return { sql, values: { person, ...place } };
  };
  for await (const rows of allRows(after, { context }))
    yield await Promise.all(rows.map((row) => eventOf(rowOf(row), context)));
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

import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/**
 * Writes visitors of sixty days, the same each time: people as NDJSON, their events as Parquet in two parts. Three of
 * seven events are steps of the funnel.
 */
export async function makeVisitors({ folder, people, events, firstPart }) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const files = {
    persons: join(folder, 'persons.ndjson'),
    firstEvents: join(folder, 'first.parquet'),
    otherEvents: join(folder, 'others.parquet'),
  };
  await connection.run(`copy (
      select ['visitor-' || i] as distinct_ids, '2026-01-01T00:00:00Z' as created_at,
        {'email': 'visitor-' || i || '@example.org', 'plan': 'plan-' || (i % 3)} as properties
      from range(${people}) t(i)
    ) to '${files.persons}' (format json)`);
  const names = ['page opened', 'basket filled', 'order paid', 'scrolled', 'searched', 'zoomed', 'left'];
  const select = (from, to) => `select 'visitor-' || (hash(i) % ${people}) as distinct_id,
      ['${names.join("','")}'][1 + (hash(i * 7) % 7)::bigint] as event,
      strftime(timestamp '2026-04-18 13:00:00' + to_seconds((hash(i * 3) % 5180000)::bigint), '%Y-%m-%dT%H:%M:%SZ')
        as timestamp,
      '{"browser":"Edge","page":' || (i % 100) || '}' as properties
    from range(${from}, ${to}) t(i)`;
  await connection.run(`copy (${select(0, firstPart)}) to '${files.firstEvents}' (format parquet)`);
  await connection.run(`copy (${select(firstPart, events)}) to '${files.otherEvents}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  return files;
}

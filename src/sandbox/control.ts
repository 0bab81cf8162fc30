import { CliError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { parseJson } from '../json/text.ts';
import {
  type FileRow,
  type NewEvent,
  type NewPerson,
  readContent,
  readEvent,
  readPerson,
  readRows,
} from './content.ts';
import { type Moment, readMoment, writeMoment } from './operator.ts';
import { invalid } from './refusal.ts';
import { fillWithSample, SAMPLE_PROJECT } from './sample/make-sample.ts';
import { insertDashboard } from './store/insights.ts';
import { loadCohorts, loadEvents, loadPersons } from './store/load-content.ts';
import type { Store } from './store/open-store.ts';
import { runEventDeletions } from './store/persons.ts';
import { readState, setClock, writeState } from './store/state.ts';

/** Moves the clock forward and carries out the event deletions that are due by then. */
export async function advanceClock(
  store: Store,
  { to, now }: { readonly to: string; readonly now: Moment },
): Promise<Json> {
  const moment = readMoment(to);
  if (moment === undefined) throw invalid('to', `"${to}" is not an ISO 8601 time.`);
  if (moment < now) throw invalid('to', `The clock stands at ${writeMoment(now)} and only moves forward.`);
  const carriedOut = await runEventDeletions(store, moment);
  await setClock(store, moment);
  return { now: writeMoment(moment), event_deletions_completed: carriedOut };
}

/** Puts everything back to the first state: the content, the clock, and no trace of what came after. */
export async function resetSandbox(store: Store): Promise<Json> {
  const { seed, firstNow } = await readState(store);
  const tables = await store.rows(
    "select table_name as name from duckdb_tables() where schema_name = 'store'",
  );
  await store.run(tables.map(({ name }) => `delete from store.${name}`).join(';'));
  await loadFresh(store, seed, firstNow);
  return { now: writeMoment(firstNow) };
}

/** Deletes all rows. */
export async function emptyStore(store: Store): Promise<void> {
  const tables = await store.rows(
    "select table_name as name from duckdb_tables() where schema_name = 'store'",
  );
  await store.run(tables.map(({ name }) => `delete from store.${name}`).join(';'));
}

type Files = { readonly persons?: string | undefined; readonly events?: string | undefined };

/** Loads files that the sandbox's own computer can read. All of it is loaded or nothing. */
export async function importFiles(store: Store, files: Files, now: Moment): Promise<Json> {
  if (files.persons === undefined && files.events === undefined) {
    throw invalid('events', 'Name a file of persons or of events.', 'required');
  }
  const persons = await load(store, files.persons, {
    attr: 'persons',
    read: (row) => readPerson(row.value, row.where, now),
    keep: (rows: readonly NewPerson[], where) => loadPersons(store, rows, where),
  });
  // Events that came before their person become its own.
  await store.run(
    `update store.events e set person_id = d.person_id from store.distinct_ids d
     where e.person_id is null and d.distinct_id = e.distinct_id`,
  );
  const events = await load(store, files.events, {
    attr: 'events',
    read: (row) => readEvent(row.value, row.where),
    keep: (rows: readonly NewEvent[]) => loadEvents(store, rows),
  });
  return { persons, events };
}

type Loading<Row> = {
  readonly attr: string;
  readonly read: (row: FileRow) => Row;
  readonly keep: (rows: readonly Row[], where: (index: number) => string) => Promise<void>;
};

async function load<Row>(store: Store, path: string | undefined, loading: Loading<Row>): Promise<number> {
  if (path === undefined) return 0;
  const { attr, read, keep } = loading;
  let total = 0;
  try {
    for await (const rows of readRows(store, path, attr)) {
      await keep(rows.map(read), (index) => rows[index]?.where ?? attr);
      total += rows.length;
    }
  } catch (cause) {
    // The readers are shared with the start of the sandbox, where a wrong row is the operator's own mistake.
    if (cause instanceof CliError) throw invalid(attr, cause.message);
    throw cause;
  }
  return total;
}

/** Fills a new store from a seed: `sample`, `empty`, or content as JSON text. Its clock stands at `now`. */
export async function fillStore(store: Store, seed: string, now: Moment): Promise<void> {
  await store.together(() => loadFresh(store, seed, now));
}

/** The same inside a transaction that is open already. */
async function loadFresh(store: Store, seed: string, now: Moment): Promise<void> {
  const isSample = seed === 'sample';
  const content = readContent(isSample || seed === 'empty' ? {} : parseJson(seed), now);
  const project = isSample ? SAMPLE_PROJECT : content.project;
  await writeState(store, { seed, now, firstNow: now, project });
  if (isSample) return fillWithSample(store, now);
  await loadPersons(store, content.persons, (index) => `persons[${index}]`);
  await loadEvents(store, content.events);
  await loadCohorts(store, content.cohorts);
  for (const { id, name, filters } of content.dashboards) await insertDashboard(store, id, { name, filters });
}

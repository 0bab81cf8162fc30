import { CliError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { parseJson } from '../json/parse.ts';
import {
  type Content,
  type NewChange,
  type NewEvent,
  type NewInsight,
  type NewPerson,
  NOTHING,
  readContent,
  readEvent,
  readPerson,
} from './content.ts';
import { setProperties } from './handlers/change-persons.ts';
import { COLLEAGUE, type Moment, OPERATOR, readMoment, shortIdOf, writeMoment } from './operator.ts';
import { type FileRow, readRows } from './read-file.ts';
import { invalid } from './refusal.ts';
import { runEventDeletions } from './store/events.ts';
import { insertDashboard, insertInsights, placeOnDashboards } from './store/insights.ts';
import { loadCohorts, loadEvents, loadPersons } from './store/load-content.ts';
import type { Store } from './store/open-store.ts';
import { personsByDistinctIds } from './store/persons.ts';
import { TABLES } from './store/schema.ts';
import { readState, recordActivity, setClock, writeState } from './store/state.ts';

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
  for (const table of TABLES) await store.run(`delete from store.${table}`);
  await loadFresh(store, seed, firstNow);
  return { now: writeMoment(firstNow) };
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
  const content = await contentOf(seed, now);
  await writeState(store, { seed, now, firstNow: now, project: content.project });
  await loadPersons(store, content.persons, (index) => `persons[${index}]`);
  await loadEvents(store, content.events);
  await loadCohorts(store, content.cohorts);
  for (const change of content.changes) await applyChange(store, change);
  for (const { id, name, filters } of content.dashboards) await insertDashboard(store, id, { name, filters });
  await loadInsights(store, content.insights);
}

async function applyChange(store: Store, { distinctId, set, at }: NewChange): Promise<void> {
  const [person] = await personsByDistinctIds(store, [distinctId]);
  if (person === undefined) throw new Error(`nobody has the distinct id ${distinctId} of a change`);
  await setProperties(store, person, { set, now: at });
}

async function loadInsights(store: Store, insights: readonly NewInsight[]): Promise<void> {
  if (insights.length === 0) return;
  const first = await insertInsights(
    store,
    insights.map(({ document }) => document),
  );
  for (const [index, { dashboards }] of insights.entries()) {
    if (dashboards.length > 0) await placeOnDashboards(store, first + BigInt(index), dashboards);
  }
  await recordActivity(
    store,
    insights.map(({ document }, index) => ({
      scope: 'Insight',
      itemId: first + BigInt(index),
      activity: 'created',
      name: document.name,
      shortId: shortIdOf(first + BigInt(index)),
      user: document.created_by === COLLEAGUE ? COLLEAGUE : OPERATOR,
      now: readMoment(document.created_at) ?? 0n,
    })),
  );
}

async function contentOf(seed: string, now: Moment): Promise<Content> {
  if (seed === 'empty') return NOTHING;
  if (seed !== 'sample') return readContent(parseJson(seed), now);
  const { makeSample } = await import('./sample/make-sample.ts');
  return makeSample(now);
}

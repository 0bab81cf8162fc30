import { parseJson } from '../json/parse.ts';
import { type Moment, readMoment } from './clock.ts';
import { type Content, type NewChange, type NewInsight, NOTHING } from './content.ts';
import { shortIdOf } from './identifiers.ts';
import { COLLEAGUE, OPERATOR } from './operator.ts';
import { setProperties } from './person-changes.ts';
import { readContent } from './read-content.ts';
import { recordActivity } from './store/activity.ts';
import { insertDashboard, placeOnDashboards } from './store/dashboards.ts';
import { insertInsights } from './store/insights.ts';
import { loadCohorts, loadEvents, loadPersons } from './store/load-content.ts';
import type { Store } from './store/open-store.ts';
import { personsByDistinctIds } from './store/persons.ts';
import { writeState } from './store/state.ts';

/** Fills a new store from a seed: `sample`, `empty`, or content as JSON text. Its clock stands at `now`. */
export async function fillStore(store: Store, seed: string, now: Moment): Promise<void> {
  await store.together(() => loadFresh(store, seed, now));
}

/** The same inside a transaction that is open already. */
export async function loadFresh(store: Store, seed: string, now: Moment): Promise<void> {
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

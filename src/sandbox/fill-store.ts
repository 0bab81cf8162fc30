import type { Moment } from './clock.ts';
import { type Content, NOTHING } from './content.ts';
import { readJson } from './json-text.ts';
import { readContent } from './read-content.ts';
import { loadCohorts, loadEvents, loadPersons } from './store/load-content.ts';
import type { Store } from './store/open-store.ts';
import { writeState } from './store/state.ts';

/** Fills a new store from a seed: `sample`, `empty`, or content as JSON text. Its clock stands at `now`. */
export async function fillStore(store: Store, seed: string, now: Moment): Promise<void> {
  await store.together(() => loadFresh(store, seed, now));
}

/** The same inside a transaction that is open already. */
export async function loadFresh(store: Store, seed: string, now: Moment): Promise<void> {
  const content = await contentOf(seed, now);
  await writeState(store, { seed, now, firstNow: now, project: content.project });
  await loadPersons(store, content.persons);
  await loadEvents(store, content.events);
  await loadCohorts(store, content.cohorts);
}

async function contentOf(seed: string, now: Moment): Promise<Content> {
  if (seed === 'empty') return NOTHING;
  if (seed !== 'sample') return readContent(readJson(seed), now);
  const { makeSample } = await import('./sample/make-sample.ts');
  return makeSample(now);
}

import { isObject, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { Moment } from '../clock.ts';
import { integerOf, jsonOf, type Readable, type Store, textOf } from './open-store.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** What the sandbox knows about itself: its clock, its project, and from what it can be made again. */
export type State = {
  readonly now: Moment;
  readonly firstNow: Moment;
  /** `sample`, `empty`, or the loaded content as JSON text. */
  readonly seed: string;
  readonly project: JsonObject;
};

/** Reads the state. */
export async function readState(store: Readable): Promise<State> {
  const [row] = await store.rows(
    'select seed, first_now, now, project::varchar as project from store.sandbox',
  );
  const project = jsonOf(row, 'project');
  return {
    now: integerOf(row, 'now'),
    firstNow: integerOf(row, 'first_now'),
    seed: textOf(row, 'seed'),
    project: isObject(project) ? project : {},
  };
}

/** Writes the state of a new sandbox. */
export async function writeState(store: Store, state: State): Promise<void> {
  await store.run('insert into store.sandbox values ($1, $2, $3, $4, $5)', [
    SCHEMA_VERSION,
    state.seed,
    state.firstNow,
    state.now,
    writeJson(state.project),
  ]);
}

/** Moves the clock. */
export async function setClock(store: Store, now: Moment): Promise<void> {
  await store.run('update store.sandbox set now = $1', [now]);
}

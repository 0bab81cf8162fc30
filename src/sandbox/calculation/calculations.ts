import type { JsonObject } from '../../json/kinds.ts';
import type { Moment } from '../clock.ts';
import { uuidOf } from '../identifiers.ts';
import { makeTurns } from '../in-turn.ts';
import { invalid, Refusal } from '../refusal.ts';
import type { Session } from '../store/open-session.ts';
import type { Store } from '../store/open-store.ts';
import { type StoredResult, saveResult } from '../store/results.ts';
import { readState } from '../store/state.ts';
import { type PeopleMemory, rememberPeople } from './remember-people.ts';

/** How a calculation ended. A fault that is no `Refusal` is a bug. */
export type Outcome =
  | { readonly result: StoredResult; readonly endedAt: Moment }
  | { readonly fault: unknown; readonly endedAt: Moment };

export type Labels = { readonly insightId?: bigint | undefined; readonly dashboardId?: bigint | undefined };

/** A calculation that runs or has ended. */
export type Task = {
  readonly id: string;
  readonly key: string;
  readonly startedAt: Moment;
  readonly labels: Labels;
  readonly outcome: () => Outcome | undefined;
  /** Resolves when it has ended, well or badly. */
  readonly done: Promise<Outcome>;
  readonly cancel: () => void;
};

export type NewTask = {
  /** What polls and cancels; without one it is made up. */
  readonly id?: string | undefined;
  /** Two calculations with the same key are the same, and its result is kept under it. */
  readonly key: string;
  readonly now: Moment;
  readonly labels?: Labels;
  readonly run: (session: Session, signal: AbortSignal) => Promise<JsonObject>;
};

export type Calculations = {
  readonly start: (task: NewTask) => Promise<Task>;
  /** Finds one that has not expired by `now`. */
  readonly find: (id: string, now: Moment) => Task | undefined;
  readonly people: PeopleMemory;
  /** Takes note that persons or events have changed: what is being calculated is outdated already. */
  readonly noteChange: () => void;
  /** Cancels everything and forgets it. Resolves when nothing runs; waiting for that inside of a turn never ends. */
  readonly cancelAll: () => Promise<void>;
};

/** How long a calculation can be asked for after it began. */
export const LIFETIME = 20n * 60_000_000n;

type Setting = {
  readonly store: Store;
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * Runs calculations beside the requests, one at a time, each with the data of the moment it was started at. `inTurn`
 * keeps the writing of results between two requests.
 */
export function makeCalculations({ store, inTurn }: Setting): Calculations {
  const tasks = new Map<string, Task>();
  const oneByOne = makeTurns();
  const people = rememberPeople();
  let started = 0n;
  let changes = 0;
  const start: Calculations['start'] = async (task) => {
    const running = [...tasks.values()].find(
      ({ key, outcome }) => key === task.key && outcome() === undefined,
    );
    if (running !== undefined) return running;
    started += 1n;
    const id = task.id ?? uuidOf('query', started);
    if (tasks.get(id) !== undefined && tasks.get(id)?.outcome() === undefined) {
      throw invalid('client_query_id', `Another query runs under the id ${id}.`);
    }
    const session = await store.openSession();
    const changesBefore = changes;
    const save = (signal: AbortSignal, document: JsonObject) =>
      inTurn(async () => {
        signal.throwIfAborted();
        const result = { calculatedAt: task.now, isOutdated: changes !== changesBefore, document };
        await store.together(() => saveResult(store, task.key, result));
        return { result, endedAt: (await readState(store)).now };
      });
    const made = makeTask({ ...task, id }, session, { oneByOne, save });
    // Set anew, so that the oldest stay first.
    tasks.delete(id);
    tasks.set(id, made);
    forgetOldest(tasks);
    return made;
  };
  return {
    start,
    find: (id, now) => {
      for (const [other, { startedAt }] of tasks) if (startedAt + LIFETIME < now) tasks.delete(other);
      return tasks.get(id);
    },
    people,
    noteChange: () => {
      changes += 1;
      people.forget();
    },
    cancelAll: async () => {
      const running = [...tasks.values()];
      tasks.clear();
      for (const task of running) task.cancel();
      await Promise.all(running.map(({ done }) => done));
    },
  };
}

/** Results take room: of those that have ended only so many are kept. */
const MOST_TASKS = 100;

function forgetOldest(tasks: Map<string, Task>): void {
  const ended = [...tasks.values()].filter(({ outcome }) => outcome() !== undefined);
  for (const { id } of ended.slice(0, Math.max(0, tasks.size - MOST_TASKS))) tasks.delete(id);
}

type Running = {
  readonly oneByOne: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly save: (signal: AbortSignal, document: JsonObject) => Promise<Outcome>;
};

function makeTask(
  { id, key, now, labels = {}, run }: NewTask & { readonly id: string },
  session: Session,
  { oneByOne, save }: Running,
): Task {
  const controller = new AbortController();
  const { signal } = controller;
  signal.addEventListener('abort', session.interrupt, { once: true });
  let outcome: Outcome | undefined;
  const work = async (): Promise<Outcome> => {
    try {
      // Whatever starts a calculation is answered first.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      return await save(signal, await run(session, signal));
    } catch (fault) {
      return { fault: signal.aborted ? signal.reason : fault, endedAt: now };
    } finally {
      session.close();
    }
  };
  const done = oneByOne(work).then((ended) => {
    outcome = ended;
    return ended;
  });
  return {
    id,
    key,
    startedAt: now,
    labels,
    outcome: () => outcome,
    done,
    cancel: () => {
      if (outcome === undefined) controller.abort(cancelled());
    },
  };
}

function cancelled(): Refusal {
  return new Refusal(400, 'The query was cancelled.', { type: 'validation_error', code: 'query_cancelled' });
}

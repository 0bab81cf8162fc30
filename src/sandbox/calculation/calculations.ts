import { nextTurn } from '../../errors.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/text.ts';
import type { QueryStatus } from '../../service/schemas.ts';
import { type Moment, PROJECT_ID, uuidOf, writeMoment } from '../operator.ts';
import { invalid, invalidRequest, Refusal } from '../refusal.ts';
import { type StoredResult, saveResult } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import type { Session } from '../store/session.ts';
import { readState } from '../store/state.ts';

/** How a calculation ended. A fault that is no `Refusal` is a bug. */
type Outcome =
  | { readonly result: StoredResult; readonly endedAt: Moment }
  | { readonly fault: unknown; readonly endedAt: Moment };

export type Labels = { readonly insightId?: bigint | undefined; readonly dashboardId?: bigint | undefined };

/** A calculation that runs or has ended. */
export type Task = {
  readonly id: string;
  /** Two calculations with the same key are the same, and its result is kept under it. */
  readonly key: string;
  readonly startedAt: Moment;
  readonly labels: Labels;
  /** Undefined while it runs. */
  readonly outcome: Outcome | undefined;
  /** Resolves when it has ended, well or badly. */
  readonly done: Promise<Outcome>;
  readonly cancel: () => void;
};

type NewTask = Pick<Task, 'key' | 'labels'> & {
  /** What polls and cancels; without one it is made up. */
  readonly id: string | undefined;
  readonly now: Moment;
  readonly run: (session: Session, signal: AbortSignal) => Promise<JsonObject>;
};

export type Calculations = Readonly<ReturnType<typeof makeCalculations>>;

/** How long a calculation can be asked for after it began. */
const LIFETIME = 20n * 60_000_000n;

/**
 * Runs calculations beside the requests, one at a time, each with the data of the moment it was started at. `inTurn`
 * keeps the writing of results between two requests.
 */
export function makeCalculations(store: Store, inTurn: Turns) {
  const tasks = new Map<string, Task>();
  const oneByOne = makeTurns();
  let started = 0n;
  let changes = 0;
  let isStopped = false;
  const start = async (task: NewTask): Promise<Task> => {
    if (isStopped) throw cancelled();
    const running = [...tasks.values()].filter(({ outcome }) => outcome === undefined);
    const same = running.find(({ key }) => key === task.key);
    if (same !== undefined) return same;
    started += 1n;
    const id = task.id ?? uuidOf('query', started);
    if (running.some((other) => other.id === id)) {
      throw invalid('client_query_id', `Another query is running with the id ${id}.`);
    }
    const session = await store.openSession();
    const before = changes;
    const made = runTask({ ...task, id }, session, oneByOne, async (signal) => {
      const document = await task.run(session, signal);
      return inTurn(async () => {
        signal.throwIfAborted();
        const result = { calculatedAt: task.now, isOutdated: changes !== before, document };
        await store.together(() => saveResult(store, task.key, result));
        return { result, endedAt: (await readState(store)).now };
      });
    });
    // Set again, so that the oldest stay first.
    tasks.delete(id);
    tasks.set(id, made);
    forgetOldest(tasks);
    return made;
  };
  return {
    start,
    /** Finds one that has not expired by `now`. */
    find: (wanted: string, now: Moment) => {
      for (const [id, { startedAt }] of tasks) if (startedAt + LIFETIME < now) tasks.delete(id);
      return tasks.get(wanted);
    },
    /** Takes note that persons or events have changed: what is being calculated is outdated already. */
    noteChange: () => {
      changes += 1;
    },
    /**
     * Cancels everything and forgets it, so that ids begin anew. Resolves when nothing runs; waiting for that inside of a
     * turn never ends.
     */
    cancelAll: () => {
      started = 0n;
      return cancelTasks(tasks);
    },
    /** The same, and refuses everything that would start later. */
    stop: () => {
      isStopped = true;
      return cancelTasks(tasks);
    },
  };
}

async function cancelTasks(tasks: Map<string, Task>): Promise<void> {
  const running = [...tasks.values()];
  tasks.clear();
  for (const task of running) task.cancel();
  await Promise.all(running.map(({ done }) => done));
}

/** Results take room: of those that have ended only so many are kept. */
const MOST_TASKS = 100;

function forgetOldest(tasks: Map<string, Task>): void {
  const ended = [...tasks.values()].filter(({ outcome }) => outcome !== undefined);
  for (const { id } of ended.slice(0, Math.max(0, tasks.size - MOST_TASKS))) tasks.delete(id);
}

function runTask(
  { id, key, now, labels }: NewTask & { readonly id: string },
  session: Session,
  oneByOne: Turns,
  run: (signal: AbortSignal) => Promise<Outcome>,
): Task {
  const controller = new AbortController();
  const { signal } = controller;
  signal.addEventListener('abort', session.interrupt, { once: true });
  const work = async (): Promise<Outcome> => {
    try {
      // The request that starts a calculation is answered first.
      await nextTurn();
      signal.throwIfAborted();
      return await run(signal);
    } catch (fault) {
      return { fault: signal.aborted ? signal.reason : fault, endedAt: now };
    } finally {
      session.close();
    }
  };
  let outcome: Outcome | undefined;
  const done = oneByOne(work).then((ended) => {
    outcome = ended;
    return ended;
  });
  const cancel = () => {
    if (outcome === undefined) controller.abort(cancelled());
  };
  return {
    id,
    key,
    startedAt: now,
    labels,
    done,
    cancel,
    get outcome() {
      return outcome;
    },
  };
}

function cancelled(): Refusal {
  return invalidRequest('The query was cancelled.', 'query_cancelled');
}

/** A calculation as `query_status` shows it. `results` is the answer of one that has ended well. */
export function writeStatus(task: Task, results: Json = null): QueryStatus {
  const { id, startedAt, labels, outcome } = task;
  const started = writeMoment(startedAt);
  return {
    ...statusFields(labels),
    id,
    complete: outcome !== undefined,
    error: outcome !== undefined && 'fault' in outcome,
    error_message: outcome !== undefined && 'fault' in outcome ? messageOf(outcome.fault) : null,
    query_async: true,
    results,
    start_time: started,
    pickup_time: started,
    end_time: outcome === undefined ? null : writeMoment(outcome.endedAt),
    expiration_time: writeMoment(startedAt + LIFETIME),
  };
}

/** The status of an insight that could not be calculated: the answer is still 200. */
export function failedStatus(fault: unknown, labels: Labels): QueryStatus {
  const error_message = messageOf(fault);
  return { ...statusFields(labels), id: '', complete: true, error: true, error_message, query_async: false };
}

function statusFields({ insightId, dashboardId }: Labels) {
  return {
    team_id: Number(PROJECT_ID),
    insight_id: insightId === undefined ? null : toJsonInteger(insightId),
    dashboard_id: dashboardId === undefined ? null : toJsonInteger(dashboardId),
    task_id: null,
    labels: null,
    query_progress: null,
    results: null,
    start_time: null,
    pickup_time: null,
    end_time: null,
    expiration_time: null,
  };
}

/** What can be told to the caller; a bug has nothing to say, as in the service. */
function messageOf(fault: unknown): string | null {
  return fault instanceof Refusal ? fault.message : null;
}

/** Runs each piece of work after the one before it has ended, well or badly. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function makeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
}

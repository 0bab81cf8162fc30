import {
  type Batch,
  type BatchAnswer,
  findAnswer,
  namePlannedOnly,
  recordAnswer,
  recordFailure,
  type Send,
} from './batch-answer.ts';
import type { Failure } from './journal.ts';
import { type JournalQueue, nextTurn } from './journal-queue.ts';
import { type Item, type Load, type Loads, plannedPersons, toLoad } from './list-items.ts';
import { type LookedUp, type LookUp, lookUpSize } from './resolve-ids.ts';
import { needsLookUp, sendingOf, type Task } from './resume-decision.ts';
import type { Run } from './run.ts';
import { Interruption, reactTo, type Stopping } from './stopping.ts';

export type Work = {
  readonly run: Run;
  readonly journal: JournalQueue;
  readonly loads: Loads;
  readonly send: Send;
  readonly now: () => number;
  readonly forcedSignal: AbortSignal;
  readonly stopping: Stopping;
  readonly pace: () => Promise<void>;
  readonly lookUp: LookUp | undefined;
  readonly includeRecreated: boolean;
  /** Uuids that the service named among its errors, by their members. */
  readonly named: Map<string, string>;
  readonly onAnswer: (count: number, result: 'answered' | 'failed') => void;
  /** Makes ready what is sent next. */
  readonly lookAhead: () => void;
};

/**
 * Sends one part, or the errors of one: a synced line before, a synced line after. `cut` if the service takes no call of
 * this size. Throws when a line cannot be written, and then nothing was sent that is not written down.
 */
export async function sendPart(work: Work, task: Task): Promise<'cut' | 'sent'> {
  const { run, journal, stopping } = work;
  const load = await leaveOutGone(work, task, work.loads.take(task));
  const { kind, items, digest, people } = load;
  // A retry is not cut: if the service takes fewer ids by now, its errors stay as they were told.
  if (items.length === 0 || (task.retry && items.length > run.state().limit)) return 'sent';
  await work.pace();
  if (stopping.stop() !== undefined) return 'sent';
  const about = people === undefined ? {} : { people };
  await journal.write({ type: 'sending', ...task, count: items.length, digest, ...about });
  const attempting = attempt(work, { kind, ids: items.map(({ id }) => id), flags: run.plan.flags }, items);
  const ahead = nextTurn().then(work.lookAhead);
  const [result, lookedAhead] = await Promise.allSettled([attempting, ahead]);
  if (result.status === 'rejected') throw result.reason;
  const settled = await settle(work, task, result.value, items.length);
  if (lookedAhead.status === 'rejected') throw lookedAhead.reason;
  return settled;
}

/** Writes down how a call ended, and what follows for the run. */
async function settle(work: Work, task: Task, result: Attempt, size: number): Promise<'cut' | 'sent'> {
  const { journal, stopping } = work;
  if ('answer' in result) {
    await recordAnswered(work, task, result.answer);
    stopping.succeeded();
    work.onAnswer(task.retry ? 0 : size, 'answered');
    return 'sent';
  }
  await journal.write({ type: 'failed', ...task, failure: result.failure });
  // A bug of ours is written down as unknown and then shown as what it is.
  if (result.failure.kind === 'bug') throw result.error;
  const reaction = reactTo(result.failure, size);
  if (reaction === 'cut') return reaction;
  if (reaction === 'go on') stopping.failed(result.failure);
  else stopping.request(reaction.stop);
  work.onAnswer(task.retry ? 0 : size, 'failed');
  return 'sent';
}

type Attempt = { readonly answer: BatchAnswer } | { readonly failure: Failure; readonly error: unknown };

async function attempt(work: Work, batch: Batch, items: readonly Item[]): Promise<Attempt> {
  const { run, send, stopping, forcedSignal } = work;
  const check = (answer: BatchAnswer) => {
    if (answer.errors.length === 0) return { answer };
    const entries = items.map(({ entry }) => entry);
    return { answer: namePlannedOnly(answer, plannedPersons(run, entries)) };
  };
  try {
    return check(await stopping.race(send(batch, { signal: forcedSignal })));
  } catch (error) {
    const answer = findAnswer(error);
    if (answer !== undefined) return check(answer);
    const isInterrupted = error instanceof Interruption;
    return {
      failure: isInterrupted ? { outcome: 'unknown', kind: 'interrupted' } : recordFailure(error),
      error,
    };
  }
}

/** The uuids go to the private `ids` first: without them the errors could not be sent again after a crash. */
async function recordAnswered({ run, journal, named }: Work, task: Task, answer: BatchAnswer): Promise<void> {
  const uuids = answer.errors.flatMap(({ person_uuid }) =>
    typeof person_uuid === 'string' ? person_uuid : [],
  );
  const fresh = uuids.filter((uuid) => !named.has(run.memberOf('ids', uuid)));
  run.keepNamed(fresh);
  for (const uuid of fresh) named.set(run.memberOf('ids', uuid), uuid);
  const written = journal.write({
    type: 'answered',
    ...task,
    answer: recordAnswer(answer, (uuid) => run.memberOf('ids', uuid)),
  });
  // Without errors there is nothing to send again, and the line shares its sync with that of the next call.
  if (answer.errors.length > 0) await written;
}

/**
 * Long after a lost sending somebody may have come back under the same id, who never asked to be deleted. So the ids are
 * looked up, and what is sent again is the people from before it, unless the others were asked for.
 */
async function leaveOutGone(work: Work, task: Task, load: Load): Promise<Load> {
  const { kind, items } = load;
  const sending = sendingOf(work.run.state(), task);
  if (work.lookUp === undefined || sending === undefined || !needsLookUp(sending, work.now())) return load;
  const found = new Map<string, LookedUp>();
  for (let from = 0; from < items.length; from += lookUpSize) {
    const ids = items.slice(from, from + lookUpSize).map(({ id }) => id);
    for (const person of await work.lookUp({ kind, ids })) found.set(person.id, person);
  }
  const existing = items.filter(({ id }) => found.has(id));
  const first = Date.parse(sending.firstSentAt ?? '');
  // Without a date, or by a clock that was set back, nobody can tell, and a deletion cannot be undone.
  const isTold = work.now() >= first;
  const isOld = ({ id }: Item) => isTold && Date.parse(found.get(id)?.createdAt ?? '') <= first;
  const left = work.includeRecreated ? existing : existing.filter(isOld);
  const kept = new Set(left);
  const withheld = existing.filter((item) => !kept.has(item)).map(({ member }) => member);
  const gone = items.length - existing.length;
  work.run.append({ type: 'looked-up', ...task, left: left.length, gone, withheld });
  return toLoad(kind, left, load.people);
}

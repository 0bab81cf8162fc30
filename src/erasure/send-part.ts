import {
  type Batch,
  type BatchAnswer,
  findAnswer,
  recordAnswer,
  recordFailure,
  type Send,
} from './batch-answer.ts';
import { idToSend } from './entry.ts';
import type { Failure } from './journal.ts';
import { digestOf } from './members.ts';
import { type LookedUp, type LookUp, lookUpSize } from './resolve-ids.ts';
import { findPart, needsLookUp, sendingOf, type Task } from './resume-decision.ts';
import type { Run } from './run.ts';
import { Interruption, reactTo, type Stopping } from './stopping.ts';

export type Work = {
  readonly run: Run;
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
};

type Item = { readonly id: string; readonly member: string };

/**
 * Sends one part, or the errors of one: a synced line before, a synced line after. `cut` if the service takes no call of
 * this size. Throws when a line cannot be written, and then nothing was sent that is not written down.
 */
export async function sendPart(work: Work, task: Task): Promise<'cut' | 'sent'> {
  const { run, stopping } = work;
  const items = await leaveOutGone(work, task, listItems(work, task));
  if (items.length === 0) return 'sent';
  await work.pace();
  if (stopping.stop() !== undefined) return 'sent';
  const kind = task.retry ? 'ids' : (findPart(run.state(), task)?.kind ?? 'ids');
  run.append({
    type: 'sending',
    ...task,
    count: items.length,
    digest: digestOf(items.map(({ member }) => member)),
  });
  const result = await attempt(work, { kind, ids: items.map(({ id }) => id), flags: run.plan.flags });
  if ('answer' in result) {
    recordAnswered(work, task, result.answer);
    stopping.succeeded();
    work.onAnswer(task.retry ? 0 : items.length, 'answered');
    return 'sent';
  }
  run.append({ type: 'failed', ...task, failure: result.failure });
  // A bug of ours is written down as unknown and then shown as what it is.
  if (result.failure.kind === 'bug') throw result.error;
  const reaction = reactTo(result.failure, items.length);
  if (reaction === 'cut') return reaction;
  if (reaction === 'go on') stopping.failed(result.failure);
  else stopping.request(reaction.stop);
  work.onAnswer(task.retry ? 0 : items.length, 'failed');
  return 'sent';
}

type Attempt = { readonly answer: BatchAnswer } | { readonly failure: Failure; readonly error: unknown };

async function attempt({ send, stopping, forcedSignal }: Work, batch: Batch): Promise<Attempt> {
  try {
    return { answer: await stopping.race(send(batch, { signal: forcedSignal })) };
  } catch (error) {
    const answer = findAnswer(error);
    if (answer !== undefined) return { answer };
    const isInterrupted = error instanceof Interruption;
    return {
      failure: isInterrupted ? { outcome: 'unknown', kind: 'interrupted' } : recordFailure(error),
      error,
    };
  }
}

/** The uuids go to the private `ids` first: without them the errors could not be sent again after a crash. */
function recordAnswered({ run, named }: Work, task: Task, answer: BatchAnswer): void {
  const uuids = answer.errors.flatMap(({ person_uuid }) =>
    typeof person_uuid === 'string' ? person_uuid : [],
  );
  const fresh = uuids.filter((uuid) => !named.has(run.memberOf('ids', uuid)));
  run.keepNamed(fresh);
  for (const uuid of fresh) named.set(run.memberOf('ids', uuid), uuid);
  run.append({
    type: 'answered',
    ...task,
    answer: recordAnswer(answer, (uuid) => run.memberOf('ids', uuid)),
  });
}

function listItems({ run, named }: Work, task: Task): readonly Item[] {
  const part = findPart(run.state(), task);
  if (part === undefined) return [];
  if (!task.retry) {
    return run.entries(part.from, part.count).map((entry) => ({
      id: idToSend(entry),
      member: run.memberOf(entry.kind, entry.id),
    }));
  }
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  return [...members].slice(0, run.state().limit).flatMap((member) => {
    const id = named.get(member);
    return id === undefined ? [] : { id, member };
  });
}

/**
 * Long after a lost sending somebody may have come back under the same id, who never asked to be deleted. So the ids are
 * looked up, and what is sent again is the people from before it, unless the others were asked for.
 */
async function leaveOutGone(work: Work, task: Task, items: readonly Item[]): Promise<readonly Item[]> {
  const sending = sendingOf(work.run.state(), task);
  if (work.lookUp === undefined || sending === undefined || !needsLookUp(sending, work.now())) return items;
  const kind = task.retry ? 'ids' : (findPart(work.run.state(), task)?.kind ?? 'ids');
  const found = new Map<string, LookedUp>();
  for (let from = 0; from < items.length; from += lookUpSize) {
    const ids = items.slice(from, from + lookUpSize).map(({ id }) => id);
    for (const person of await work.lookUp({ kind, ids })) found.set(person.id, person);
  }
  const existing = items.filter(({ id }) => found.has(id));
  const first = Date.parse(sending.firstSentAt ?? '');
  // Without a date nobody can tell, and a deletion cannot be undone.
  const isOld = ({ id }: Item) => Date.parse(found.get(id)?.createdAt ?? '') <= first;
  const left = work.includeRecreated ? existing : existing.filter(isOld);
  const kept = new Set(left);
  const withheld = existing.filter((item) => !kept.has(item)).map(({ member }) => member);
  const gone = items.length - existing.length;
  work.run.append({ type: 'looked-up', ...task, left: left.length, gone, withheld });
  return left;
}

import { CliError, Interruption } from '../errors.ts';
import type { BulkDeleteSummary } from '../service/schemas.ts';
import { digestOf, type Entry, type IdKind, idToSend, isSendable, isUuid } from './entries.ts';
import { type BatchAnswer, type Failure, recordAnswer, recordFailure, type Stop } from './journal.ts';
import { type Flags, surePerCall } from './plan.ts';
import { findNow, type LookedUp, type LookUp } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { findPart, needsLookUp, type Part, type Sending, sendingOf, type Task } from './run-state.ts';

/** What one call carries. */
export type Batch = { readonly kind: IdKind; readonly ids: readonly string[]; readonly flags: Flags };

/**
 * Sends one batch. Throws a CliError whose `outcome` says whether it may have run; without one it counts as unknown.
 * Waiting out a 429 and repeating on a bad network belong in here.
 */
export type Send = (batch: Batch, options: { readonly signal: AbortSignal }) => Promise<BatchAnswer>;

/** The service's summary as an answer. No body, or one without figures, is `accepted`. */
export function toBatchAnswer(summary: BulkDeleteSummary | undefined | null): BatchAnswer {
  const errors = summary?.deletion_errors ?? [];
  const found = count(summary?.persons_found);
  const deleted = count(summary?.persons_deleted);
  const queued = count(summary?.persons_queued_for_deletion);
  // That no person is queued says nothing of those who may be deleted already.
  const isBare = found === undefined && deleted === undefined && !queued && errors.length === 0;
  return {
    found,
    deleted,
    queued,
    eventsQueued: summary?.events_queued_for_deletion,
    recordingsQueued: summary?.recordings_queued_for_deletion,
    errors,
    ...(isBare ? { accepted: true } : {}),
  };
}

/** The answer that an error carries: newer servers put the summary into a 5xx if none of a batch could be deleted. */
export function findAnswer(error: unknown): BatchAnswer | undefined {
  if (!(error instanceof CliError) || typeof error.answer !== 'object' || error.answer === null)
    return undefined;
  if (!('persons_found' in error.answer) || !('deletion_errors' in error.answer)) return undefined;
  if (!Array.isArray(error.answer.deletion_errors)) return undefined;
  // Cast: the two fields that make it a summary are there.
  return toBatchAnswer(error.answer as BulkDeleteSummary);
}

/**
 * An answer whose errors name only persons that the batch is about. `isPlanned` tells them by UUID, and is absent if
 * the ids were not resolved: then any UUID may be one of them, and none of them is ever sent.
 */
function namePlannedOnly(
  answer: BatchAnswer,
  isPlanned: ((uuid: string) => boolean) | undefined,
): BatchAnswer {
  const errors = answer.errors.map(({ person_uuid: uuid, step }) => {
    if (typeof uuid !== 'string' || !isUuid(uuid)) return { step };
    return isPlanned === undefined || isPlanned(uuid)
      ? { step, person_uuid: uuid }
      : { step, notInRun: true as const };
  });
  return { ...answer, errors };
}

/** A figure, if it is one that counts something. */
function count(number: unknown): number | undefined {
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}

export type Stopping = {
  /** Why nothing more is sent, if so. */
  readonly stop: () => Stop | undefined;
  readonly request: (stop: Stop) => void;
  readonly succeeded: () => void;
  /** Three failures in a row, in the order they were told of, stop the run. */
  readonly failed: (failure: Failure) => void;
  /** Rejects when all has to stop now. */
  readonly race: <Value>(work: Promise<Value>) => Promise<Value>;
};

export type Work = {
  readonly run: Run;
  readonly send: Send;
  readonly now: () => number;
  readonly forcedSignal: AbortSignal;
  readonly stopping: Stopping;
  readonly pace: () => Promise<void>;
  readonly lookUp: LookUp | undefined;
  readonly includeRecreated: boolean;
  /** The last that the service's clock said. */
  readonly serviceTime: () => string | undefined;
  readonly tellTime: (time: string | undefined) => void;
  /** Uuids that the service named among its errors, by their members. */
  readonly named: Map<string, string>;
  readonly onAnswer: (count: number, result: 'answered' | 'failed') => void;
};

/**
 * Sends one part, or the errors of one: a synced line before, a synced line after. `cut` if the service takes no call of
 * this size. Throws when a line cannot be written, and then nothing was sent that is not written down.
 */
export async function sendPart(work: Work, task: Task): Promise<'cut' | 'sent'> {
  const { run, stopping } = work;
  const load = await leaveOutGone(work, task, loadTask(run, task, work.named));
  const { kind, items, digest, people } = load;
  // A retry is not cut: if the service takes fewer ids by now, its errors stay as they were told.
  if (items.length === 0 || (task.retry && items.length > run.state().limit)) return 'sent';
  await work.pace();
  if (stopping.stop() !== undefined) return 'sent';
  const serviceTime = work.serviceTime();
  const about = {
    ...(people === undefined ? {} : { people }),
    ...(serviceTime === undefined ? {} : { serviceTime }),
  };
  run.append({ type: 'sending', ...task, count: items.length, digest, ...about });
  const batch = { kind, ids: items.map(({ id }) => id), flags: run.plan.flags };
  return settle(work, task, await attempt(work, batch, items), items.length);
}

/** Writes down how a call ended, and what follows for the run. */
function settle(work: Work, task: Task, result: Attempt, size: number): 'cut' | 'sent' {
  const { run, stopping } = work;
  if ('answer' in result) {
    work.tellTime(result.answer.serviceTime);
    recordAnswered(work, task, result.answer);
    stopping.succeeded();
    work.onAnswer(task.retry ? 0 : size, 'answered');
    return 'sent';
  }
  run.append({ type: 'failed', ...task, failure: result.failure });
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
function recordAnswered({ run, named }: Work, task: Task, answer: BatchAnswer): void {
  const uuids = answer.errors.flatMap(({ person_uuid }) =>
    typeof person_uuid === 'string' ? person_uuid : [],
  );
  const fresh = uuids.filter((uuid) => !named.has(run.memberOf('ids', uuid)));
  run.keepNamed(fresh);
  for (const uuid of fresh) named.set(run.memberOf('ids', uuid), uuid);
  const recorded = recordAnswer(answer, (uuid) => run.memberOf('ids', uuid));
  run.append({ type: 'answered', ...task, answer: recorded });
}

/** Whether it is the person whom the plan resolved, if it resolved one: no other can be sent. */
function isPlanned(run: Run, { entry }: Pick<Item, 'entry'>, found: LookedUp | undefined): boolean {
  const planned = personMemberOf(run, entry);
  return planned === undefined || (found !== undefined && planned === run.memberOf('ids', found.uuid));
}

/** Whether who is there now was there before a sending; if that cannot be told, no: a deletion cannot be undone. */
function isFromBefore(
  run: Run,
  { entry }: Item,
  { found, sending }: { readonly found: LookedUp | undefined; readonly sending: Sending },
): boolean {
  if (found === undefined || !isPlanned(run, { entry }, found)) return false;
  // The service may give somebody who signs up again the same UUID. This computer's clock may be wrong by any time.
  return Date.parse(found.createdAt ?? '') <= Date.parse(sending.serviceTime ?? '');
}

/**
 * Long after a lost sending somebody may have come back under the same id, who never asked to be deleted. So the ids are
 * looked up, and what is sent again is the people from before it, unless the others were asked for.
 */
async function leaveOutGone(work: Work, task: Task, load: Load): Promise<Load> {
  const { kind } = load;
  const items = load.items.filter(({ entry }) => isSendable(entry));
  const sending = sendingOf(work.run.state(), task);
  const isLate = sending !== undefined && needsLookUp(sending, work.now());
  if (work.lookUp === undefined || !isLate) {
    if (items.length === load.items.length) return load;
    // Ids that were given again and lead to no person of the plan by now.
    const gone = load.items.length - items.length;
    work.run.append({ type: 'looked-up', ...task, left: items.length, gone, withheld: [] });
    return toLoad(kind, items, load.people);
  }
  const now = await findNow(
    items.map(({ entry }) => entry),
    work.lookUp,
  );
  const found = new Map(now.map(({ entry, person }) => [entry, person]));
  const existing = items.filter(({ entry }) => found.has(entry));
  const isOlder = (item: Item) => isFromBefore(work.run, item, { found: found.get(item.entry), sending });
  const isMeant = work.includeRecreated
    ? (item: Item) => isPlanned(work.run, item, found.get(item.entry))
    : isOlder;
  const left = existing.filter(isMeant);
  const kept = new Set(left);
  const withheld = existing.filter((item) => !kept.has(item)).map(({ member }) => member);
  const gone = load.items.length - existing.length;
  work.run.append({ type: 'looked-up', ...task, left: left.length, gone, withheld });
  return toLoad(kind, left, load.people);
}

/** What follows from a failed batch. `cut`: send it in smaller pieces. */
export function reactTo(failure: Failure, size: number): { readonly stop: Stop } | 'cut' | 'go on' {
  const { status, kind } = failure;
  const stop = (reason: Stop['reason']): { readonly stop: Stop } => ({
    stop: {
      reason,
      kind: kind === 'bug' ? 'unavailable' : kind,
      ...(status === undefined ? {} : { status }),
    },
  });
  if (kind === 'interrupted' || kind === 'terminated') return stop('interrupted');
  if (status === 401 || status === 403 || kind === 'authentication') return stop('authentication');
  // A script takes `not-found` for persons that are gone already, and here no person was asked for.
  if (status === 404) return { stop: { reason: 'no such endpoint', kind: 'refused', status } };
  if (status !== undefined && status >= 300 && status < 400) return stop('redirect');
  return status === 400 && size > surePerCall ? 'cut' : 'go on';
}

export type Item = { readonly id: string; readonly member: string; readonly entry: Entry };

/** What one call is about to carry, and the digest that stands for it in the journal. */
export type Load = {
  readonly kind: IdKind;
  readonly items: readonly Item[];
  readonly digest: string;
  /** The people that a retry is about, if it carries all ids of its part. */
  readonly people?: number | undefined;
};

/** The ids of a task. `named`: uuids that the service named among its errors, by their members. */
function loadTask(run: Run, task: Task, named: ReadonlyMap<string, string>): Load {
  const part = findPart(run.state(), task);
  return task.retry ? loadRetry(run, part, named) : toLoad(part.kind, listPart(run, part));
}

function toLoad(kind: IdKind, items: readonly Item[], people?: number): Load {
  return { kind, items, digest: digestOf(items.map(({ member }) => member)), people };
}

/** How the person of an id appears in the record: null for no person, undefined if it was not looked up. */
export function personMemberOf(run: RunRecord, { kind, id, person, personMember }: Entry) {
  if (personMember !== undefined) return personMember;
  if (person) return run.memberOf('ids', person.uuid);
  if (kind === 'ids' && isUuid(id)) return run.memberOf('ids', id);
  return person;
}

/** Whether the record tells whose the ids are, so that a UUID in an answer can be compared with them. */
export function isResolved(run: RunRecord, entries: readonly Entry[]): boolean {
  return entries.every((entry) => personMemberOf(run, entry) !== undefined);
}

/** Tells the persons of some ids by UUID; nothing if somebody did not resolve them. */
export function plannedPersons(
  run: RunRecord,
  entries: readonly Entry[],
): ((uuid: string) => boolean) | undefined {
  const members = new Set(entries.map((entry) => personMemberOf(run, entry)));
  return members.has(undefined) ? undefined : (uuid) => members.has(run.memberOf('ids', uuid));
}

function listPart(run: Run, { from, count }: Part): readonly Item[] {
  return run.entries(from, count).map((entry) => ({
    id: idToSend(entry),
    member: run.memberOf(entry.kind, entry.id),
    entry,
  }));
}

/**
 * The people of the errors of a part, as uuids that the plan resolved. If it resolved none, the ids of the part
 * themselves: a UUID that only an answer names is never sent.
 */
function loadRetry(run: Run, part: Part, named: ReadonlyMap<string, string>): Load {
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  const own = listPart(run, part);
  const entries = own.map(({ entry }) => entry);
  const isPlanned = plannedPersons(run, entries);
  if (isPlanned === undefined) return toLoad(part.kind, own, members.size);
  // Ids that were given again may lack some of a part; their uuids were compared with the plan when they were given.
  const isWhole = entries.length === part.count;
  const planned = new Map(own.map(({ id, entry }) => [personMemberOf(run, entry), id]));
  const items = [...members].flatMap((member): Item | readonly [] => {
    const uuid = named.get(member);
    if (uuid === undefined || (isWhole && !isPlanned(uuid))) return [];
    return { id: planned.get(member) ?? uuid, member, entry: { kind: 'ids', id: uuid } };
  });
  return toLoad('ids', items);
}

import type { Context } from '../cli/context.ts';
import { type ErrorKind, Interruption, raceAbort, usageError } from '../errors.ts';
import { digestOf, type Entry, type IdKind, idToSend, isSendable, isUuid } from './entries.ts';
import {
  type BatchAnswer,
  type Failure,
  findAnswer,
  recordAnswer,
  recordFailure,
  type Stop,
  type StopReason,
} from './journal.ts';
import { lastAnswer } from './outcome.ts';
import { type Flags, surePerCall } from './plan.ts';
import { findNow } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { findPart, needsLookUp, type Part, type Sending, sendingOf, type Task } from './run-state.ts';
import type { LookedUp, LookUp } from './sql-store.ts';

/** What one call carries. */
export type Batch = { readonly kind: IdKind; readonly ids: readonly string[]; readonly flags: Flags };

/** What a call tells while it is made: each answer that was lost before the last, and the service's clock (ISO). */
type Listeners = { readonly onLost: () => void; readonly onTime: (time: string) => void };

/**
 * Sends one batch. Throws a CliError whose `outcome` says whether it may have run; without one it counts as unknown.
 * Waiting out a 429 and repeating on a bad network belong in here.
 */
export type Send = (batch: Batch, listeners: Listeners) => Promise<BatchAnswer>;

export function wireFlags({ deleteEvents, deleteRecordings, keepPerson }: Flags) {
  return { delete_events: deleteEvents, delete_recordings: deleteRecordings, keep_person: keepPerson };
}

/** The settings, which lead to project and host of the run. Throws a usage error if they lead to others. */
export async function requireSameProject({ plan }: RunRecord, context: Pick<Context, 'settings'>) {
  const settings = await context.settings();
  const { project, host } = settings;
  if (project.id === plan.project.id && host.address === plan.host) return settings;
  throw usageError(
    `this run is for project ${plan.project.id} at ${plan.host}, not for ${project.id} at ${host.address}`,
    host.address === plan.host
      ? `choose it with --project ${plan.project.name}`
      : `choose it with --host ${plan.host} and --project ${plan.project.name}`,
  );
}

export type RunOptions = {
  readonly send: Send;
  /** How to look people up, if an answer was lost more than 15 minutes ago; `onTime` is told the service's clock. */
  readonly lookUp: (onTime: (time: string) => void) => Promise<LookUp>;
  /** Ids of this session, as calls end. */
  readonly onProgress?: ((progress: Readonly<Progress>) => void) | undefined;
  /** Calls at the same time, and calls per minute. Without them those of the plan hold. */
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
  readonly includeRecreated?: boolean | undefined;
};

type Progress = { answered: number; failed: number };

/** `signal`: finish what is in flight. `forcedSignal`: stop now. The settings must lead to the project of the plan. */
export type Session = Pick<Context, 'now' | 'wait' | 'signal' | 'forcedSignal' | 'settings'>;

export type Work = Readonly<Awaited<ReturnType<typeof openSession>>>;

/** A session of a run, with all that it needs to send. */
export async function openSession(run: Run, options: RunOptions, session: Session) {
  const { rate = run.plan.rate, onProgress, includeRecreated = false } = options;
  const progress = { answered: 0, failed: 0 };
  // Times in ISO are in the order of their texts.
  let serviceTime = '';
  const hear = (time = '') => {
    if (time > serviceTime) serviceTime = time;
  };
  hear(run.plan.serviceTime);
  hear(lastAnswer(run.state())?.serviceTime);
  return {
    run,
    send: options.send,
    lookUp: await options.lookUp(hear),
    includeRecreated,
    now: session.now,
    forcedSignal: session.forcedSignal,
    stopping: createStopping(session),
    pace: createPace(rate, session),
    /** The last that the service's clock said, and how to tell of a time that it says. */
    serviceTime: () => serviceTime || undefined,
    hear,
    /** Uuids that the service named among its errors, by their members. */
    named: new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid])),
    onAnswer(count: number, result: keyof Progress) {
      progress[result] += count;
      onProgress?.({ ...progress });
    },
  };
}

/** What keeps a run from sending more, as it was told first. */
function createStopping({ signal, forcedSignal }: Session) {
  let asked: Stop | undefined;
  let failures = 0;
  return {
    /** Why nothing more is sent, if so. */
    stop(): Stop | undefined {
      if (asked === undefined && (signal.aborted || forcedSignal.aborted))
        return { reason: 'interrupted', kind: 'interrupted' };
      return asked;
    },
    request(stop: Stop) {
      asked ??= stop;
    },
    succeeded() {
      failures = 0;
    },
    /** Three failures in a row, in the order they were told of, stop the run. */
    failed(failure: Omit<Stop, 'reason'>) {
      failures += 1;
      if (failures === FAILURES_IN_A_ROW) asked ??= { reason: 'three failures in a row', ...failure };
    },
  };
}

const FAILURES_IN_A_ROW = 3;

/** Spaces calls evenly: `rate` per minute, over all lanes together. Without a rate nothing is waited for. */
function createPace(rate: number | undefined, { now, wait, signal, forcedSignal }: Session) {
  const either = AbortSignal.any([signal, forcedSignal]);
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (rate === undefined) return;
    const turn = Math.max(now(), next);
    next = turn + 60_000 / rate;
    if (turn <= now()) return;
    try {
      await raceAbort(wait(turn - now(), either), either);
    } catch (error) {
      if (!either.aborted) throw error;
    }
  };
}

/**
 * Sends one part, or the errors of one: a synced line before, a synced line after. `cut` if the service takes no call of
 * this size. Throws when a line cannot be written, and then nothing was sent that is not written down.
 */
export async function sendPart(work: Work, task: Task): Promise<'cut' | 'sent'> {
  const { run, stopping } = work;
  const part = findPart(run.state(), task);
  const { limit } = run.state();
  if (!task.retry && part.count > limit) return 'cut';
  const load = await leaveOutGone(work, task, task.retry ? loadRetry(work, part) : loadPart(run, part));
  const { kind, items, people } = load;
  // A retry is not cut: if the service takes fewer ids by now, its errors stay as they were told.
  if (items.length === 0 || items.length > limit) return 'sent';
  await work.pace();
  if (stopping.stop() !== undefined) return 'sent';
  const digest = digestOf(items.map(({ member }) => member));
  const about = { count: items.length, digest, people, serviceTime: work.serviceTime() };
  run.append({ type: 'sending', ...task, ...about });
  const result = await attempt(work, { kind, ids: items.map(({ id }) => id), flags: run.plan.flags });
  if ('answer' in result) recordAnswered(work, { task, items }, result.answer);
  else if (recordFailed(work, { task, items }, result) === 'cut') return 'cut';
  work.onAnswer(task.retry ? 0 : items.length, 'answer' in result ? 'answered' : 'failed');
  return 'sent';
}

type Failed = { readonly failure: Failure; readonly error: unknown };

type Attempt = { readonly answer: BatchAnswer } | Failed;

async function attempt({ send, forcedSignal }: Work, batch: Batch): Promise<Attempt> {
  let lost = 0;
  let serviceTime: string | undefined;
  const listeners: Listeners = {
    onLost: () => {
      lost += 1;
    },
    onTime: (time) => {
      serviceTime = time;
    },
  };
  try {
    const answer = await raceAbort(send(batch, listeners), forcedSignal);
    return { answer: { ...answer, lost: lost || undefined, serviceTime } };
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

type Sent = { readonly task: Task; readonly items: readonly Item[] };

/** Persons among its errors whom the batch is not about are never sent. */
function recordAnswered(work: Work, { task, items }: Sent, answer: BatchAnswer): void {
  const { run, named } = work;
  const entries = answer.errors.length === 0 ? [] : items.map(({ entry }) => entry);
  const isPlanned = plannedPersons(run, entries) ?? (() => true);
  const memberOf = (uuid: string) => run.memberOf('ids', uuid);
  const { recorded, uuids } = recordAnswer(answer, memberOf, isPlanned);
  // They go to the private `ids` first: without them the errors could not be sent again after a crash.
  const fresh = uuids.filter((uuid) => !named.has(memberOf(uuid)));
  run.keepNamed(fresh);
  for (const uuid of fresh) named.set(memberOf(uuid), uuid);
  run.append({ type: 'answered', ...task, answer: recorded });
  work.hear(answer.serviceTime);
  work.stopping.succeeded();
}

/** What follows from a failed batch. `cut`: send it in smaller pieces. */
function recordFailed(
  { run, stopping }: Work,
  { task, items }: Sent,
  { failure, error }: Failed,
): 'cut' | 'go on' {
  run.append({ type: 'failed', ...task, failure });
  const { kind, status } = failure;
  // A bug of ours is written down as unknown and then shown as what it is.
  if (kind === 'bug') throw error;
  if (status === 400 && items.length > surePerCall) return 'cut';
  const reason = reasonToStop(kind, status);
  if (reason === undefined) stopping.failed({ kind, status });
  // A script takes `not-found` for persons that are gone already, and here no person was asked for.
  else stopping.request({ reason, kind: reason === 'no such endpoint' ? 'refused' : kind, status });
  return 'go on';
}

/** Why a failure stops the run at once, if it does. */
function reasonToStop(kind: ErrorKind, status = 0): StopReason | undefined {
  if (kind === 'interrupted' || kind === 'terminated') return 'interrupted';
  if (status === 401 || status === 403 || kind === 'authentication') return 'authentication';
  if (status === 404) return 'no such endpoint';
  return status >= 300 && status < 400 ? 'redirect' : undefined;
}

/**
 * Long after a lost sending somebody may have come back under the same id, who never asked to be deleted. So the ids are
 * looked up, and what is sent again is the people from before it, unless the others were asked for.
 */
async function leaveOutGone(work: Work, task: Task, load: Load): Promise<Load> {
  const { run } = work;
  const sending = sendingOf(run.state(), task);
  // Ids that were given again may lead to no person of the plan by now.
  const items = load.items.filter(({ entry }) => isSendable(entry));
  let existing = items;
  let left = items;
  if (sending !== undefined && needsLookUp(sending, work.now())) {
    const entries = items.map(({ entry }) => entry);
    const now = new Map((await findNow(entries, work.lookUp)).map(({ entry, person }) => [entry, person]));
    existing = items.filter(({ entry }) => now.has(entry));
    left = existing.filter(({ entry }) => isMeant(work, entry, { person: now.get(entry), sending }));
  } else if (items.length === load.items.length) return load;
  const kept = new Set(left);
  const withheld = existing.filter((item) => !kept.has(item)).map(({ member }) => member);
  const gone = load.items.length - existing.length;
  run.append({ type: 'looked-up', ...task, left: left.length, gone, withheld });
  return { ...load, items: left };
}

/** Whether who is there now was there before a sending; if that cannot be told, no: a deletion cannot be undone. */
function isMeant(
  { run, includeRecreated }: Work,
  entry: Entry,
  { person, sending }: { readonly person: LookedUp | undefined; readonly sending: Sending },
): boolean {
  const planned = personMemberOf(run, entry);
  // No other person than the one whom the plan resolved can be sent.
  const isOther = planned !== undefined && planned !== run.memberOf('ids', person?.uuid ?? '');
  if (isOther || includeRecreated) return !isOther;
  // The service may give somebody who signs up again the same UUID. This computer's clock may be wrong by any time.
  return Date.parse(person?.createdAt ?? '') <= Date.parse(sending.serviceTime ?? '');
}

type Item = { readonly id: string; readonly member: string; readonly entry: Entry };

/** What one call is about to carry. */
type Load = {
  readonly kind: IdKind;
  readonly items: readonly Item[];
  /** The people that a retry is about, if it carries all ids of its part. */
  readonly people?: number;
};

function loadPart(run: Run, { kind, from, count }: Part): Load {
  const items = run.entries(from, count).map((entry) => ({
    id: idToSend(entry),
    member: run.memberOf(entry.kind, entry.id),
    entry,
  }));
  return { kind, items };
}

/**
 * The people of the errors of a part, as uuids that the plan resolved. If it resolved none, the ids of the part
 * themselves: a UUID that only an answer names is never sent.
 */
function loadRetry({ run, named }: Work, part: Part): Load {
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  const own = loadPart(run, part);
  const entries = own.items.map(({ entry }) => entry);
  const isPlanned = plannedPersons(run, entries);
  if (isPlanned === undefined) return { ...own, people: members.size };
  // Ids that were given again may lack some of a part; their uuids were compared with the plan when they were given.
  const isWhole = entries.length === part.count;
  const planned = new Map(own.items.map(({ id, entry }) => [personMemberOf(run, entry), id]));
  const items = [...members].flatMap((member): Item | readonly [] => {
    const uuid = named.get(member);
    if (uuid === undefined || (isWhole && !isPlanned(uuid))) return [];
    return { id: planned.get(member) ?? uuid, member, entry: { kind: 'ids', id: uuid } };
  });
  return { kind: 'ids', items };
}

/** How the person of an id appears in the record: null for no person, undefined if it was not looked up. */
export function personMemberOf(run: RunRecord, { kind, id, person, personMember }: Entry) {
  if (personMember !== undefined) return personMember;
  if (person) return run.memberOf('ids', person.uuid);
  if (kind === 'ids' && isUuid(id)) return run.memberOf('ids', id);
  return person;
}

/** Tells the persons of some ids by UUID; nothing if somebody did not resolve them. */
export function plannedPersons(
  run: RunRecord,
  entries: readonly Entry[],
): ((uuid: string) => boolean) | undefined {
  const members = new Set(entries.map((entry) => personMemberOf(run, entry)));
  return members.has(undefined) ? undefined : (uuid) => members.has(run.memberOf('ids', uuid));
}

/** Whether the record tells whose the ids are, so that a UUID in an answer can be compared with them. */
export function isResolved(run: RunRecord, entries: readonly Entry[]): boolean {
  return plannedPersons(run, entries) !== undefined;
}

import type { Context } from '../../cli/context.ts';
import { CliError, foreseen, Interruption, raceAbort, usageError } from '../../errors.ts';
import { inLanes } from '../../system/lanes.ts';
import { questionsOf, toSend } from '../core.ts';
import { type BatchAnswer, type Failure, findAnswer, recordAnswer, recordFailure } from '../record/answer.ts';
import { countOpen, sparedIn } from '../record/batches.ts';
import { digestOf } from '../record/digest.ts';
import { idToSend } from '../record/entry.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { type Flags, surePerCall } from '../record/plan.ts';
import { personsOf, toRanges } from '../record/sightings.ts';
import { mayHaveRun } from '../record/state.ts';
import type { Looking } from './look.ts';
import { createPace, createStopping, isAboutContent, reasonToStop } from './stopping.ts';

/** What one call carries: persons. */
export type Batch = { readonly ids: readonly string[]; readonly flags: Flags };

/**
 * Sends one call. Throws a CliError whose `outcome` says whether it may have run; without one it counts as unknown.
 * Waiting out a 429 belongs in here; a call whose answer was lost is given back.
 */
export type Send = (
  batch: Batch,
  /** Told what the service's clock says (ISO). */
  listeners: { readonly onTime: (time: string) => void },
) => Promise<BatchAnswer>;

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
  readonly looking: Looking;
  /** Persons of this session, as calls end. */
  readonly onProgress?: ((progress: Readonly<Progress>) => void) | undefined;
  /** Calls at the same time, and calls per minute. Without them those of the plan hold. */
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
};

type Progress = { answered: number; failed: number };

/** `signal`: finish what is in flight. `forcedSignal`: stop now. The settings must lead to the project of the plan. */
type Session = Pick<Context, 'now' | 'running' | 'wait' | 'signal' | 'forcedSignal' | 'settings'>;

/** What a session learned beside what it wrote down. */
export type Learned = {
  /** How many persons one call takes, as far as the service has told. */
  limit: number;
  /** Persons who are refused by themselves, by member, with the service's reason. */
  readonly refused: { readonly person: string; readonly reason: CliError }[];
  /** Why people could not be looked at after their calls. */
  unseen?: CliError;
  /** Persons who are spared, since they are not there as planned, and whether no other id is open. */
  spared: number;
  isAllSpared: boolean;
  /** Ids of persons of the plan that lead to somebody else by now. */
  moved: number;
};

/** When all people of a batch were last looked at, by the clock here and by the time that this process has run. */
type Moment = { readonly at: number; readonly running: number };

type Work = Readonly<ReturnType<typeof openSession>> & {
  /** Why people could not be looked at before they would be sent. */
  unlooked?: CliError;
};

function openSession(run: Run, options: RunOptions, session: Session) {
  const { rate = run.plan.rate, onProgress } = options;
  const progress = { answered: 0, failed: 0 };
  const learned: Learned = { limit: limitOf(run), refused: [], spared: 0, isAllSpared: false, moved: 0 };
  return {
    run,
    send: options.send,
    looking: options.looking,
    now: session.now,
    running: session.running,
    looks: new Map<number, Moment>(),
    forcedSignal: session.forcedSignal,
    stopping: createStopping(session),
    pace: createPace(rate, session),
    learned,
    /** Batches with people who were not there as planned. */
    withSpared: new Set<number>(),
    onEnd(count: number, result: keyof Progress) {
      progress[result] += count;
      onProgress?.({ ...progress });
    },
  };
}

/**
 * Sends all whom the core permits, in a new run as well as in one that was interrupted, and looks at each call's people
 * afterwards. Throws a usage error before anything is sent; `unavailable` or, after the first call, `partial` when the
 * journal cannot be written. Failed calls are no error here: they are in the outcome.
 */
export async function runPlan(run: Run, options: RunOptions, session: Session): Promise<Learned> {
  const { project, host, keyLabel } = await requireSameProject(run, session);
  const { concurrency = run.plan.concurrency ?? 1 } = options;
  const work: Work = openSession(run, options, session);
  const resumed = run.state().sessions.length > 0;
  const before = run.state().calls.length;
  try {
    run.append({
      type: 'started',
      host: host.address,
      project: project.id,
      key: keyLabel ?? null,
      resumed,
      // Whoever was planned by this process has just been looked at.
      ...(run.isFresh && !resumed ? { isFresh: true } : {}),
    });
    const batches = run.state().batches.map((_, at) => at + 1);
    await inLanes(batches, (batch) => stopOnFault(work, () => sendBatch(work, batch)), concurrency);
    await lookLast(
      work,
      new Set(
        run
          .state()
          .calls.slice(before)
          .map((call) => call.batch),
      ),
    );
    const tally = run.tally();
    // A signal that comes with the last answer stops nothing.
    const stopped = (countOpen(tally) > 0 ? work.stopping.stop() : undefined) ?? null;
    run.append({ type: 'ended', stopped, tally });
    if (work.unlooked !== undefined) throw work.unlooked;
    learnSpared(work, countOpen(tally));
    work.learned.moved = options.looking.moved();
  } catch (error) {
    throw toPartial(run, error);
  }
  return work.learned;
}

/**
 * Where a look-up is about one person, those of all calls are looked at in one pass; and whoever was not there as planned
 * may be gone.
 */
async function lookLast(work: Work, called: ReadonlySet<number>): Promise<void> {
  const { run, looking, stopping } = work;
  for (const at of run.state().batches.keys()) {
    const batch = at + 1;
    if (stopping.stop() !== undefined) return;
    const isLate = called.has(batch) && !(await looking.isByMany());
    if (isLate || work.withSpared.has(batch)) await lookAfter(work, batch);
  }
}

/** Who is spared still, after the last look. */
function learnSpared({ run, withSpared, learned }: Work, open: number): void {
  let ids = 0;
  for (const batch of withSpared) {
    const spared = sparedIn(run.standing(batch));
    learned.spared += spared.persons;
    ids += spared.ids;
  }
  learned.isAllSpared = ids > 0 && ids === open;
}

/** Looks at the people of a call, if one request is about many. */
async function lookAtOnce(work: Work, batch: number, call: number): Promise<void> {
  if (work.stopping.stop() !== undefined || !(await work.looking.isByMany())) return;
  await lookAfter(work, batch, call);
}

/** The calls are made by then: a look that fails must not read as if they were not. */
async function lookAfter({ looking, learned, stopping }: Work, batch: number, call?: number): Promise<void> {
  if (stopping.stop() !== undefined || learned.unseen !== undefined) return;
  try {
    await looking.afterwards(batch, call);
  } catch (error) {
    learned.unseen = foreseen(error);
  }
}

/** What cannot be written down, or asked, keeps the other lanes from sending, too. */
async function stopOnFault(work: Work, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    work.stopping.request({
      reason: 'journal',
      kind: error instanceof CliError ? error.kind : 'unavailable',
    });
    throw error;
  }
}

/** What ends a session once a call may have run is no reason to think that nothing was done. */
function toPartial(run: Run, error: unknown): unknown {
  const isKept = !(error instanceof CliError) || ['interrupted', 'terminated'].includes(error.kind);
  if (isKept || !run.state().calls.some(mayHaveRun)) return error;
  return new CliError('partial', error.message, { hint: error.hint, cause: error });
}

/** How often one session sends somebody whose call was lost, or whom an answer named as failed. */
const MOST_TRIES = 2;

/** After that long without a look the people of a batch are looked at again before they are sent. */
const TRUSTED = 15 * 60_000;

async function sendBatch(work: Work, batch: number): Promise<void> {
  const { run, stopping, learned } = work;
  const tries = new Map<string, number>();
  /** Groups of a call that was refused, each to be sent by itself. */
  let halves: (readonly string[])[] = [];
  for (;;) {
    if (stopping.stop() !== undefined) return;
    await lookFirst(work, batch, tries);
    const { run: core, batch: standing } = run.standing(batch);
    const open = toSend(core, standing).filter((uuid) => (tries.get(uuid) ?? 0) < MOST_TRIES);
    const mayBe = new Set(open);
    halves = halves.map((half) => half.filter((uuid) => mayBe.has(uuid))).filter(({ length }) => length > 0);
    const persons = halves.shift() ?? open.slice(0, learned.limit);
    if (persons.length === 0) break;
    await work.pace();
    if (stopping.stop() !== undefined) return;
    const ended = await sendCall(work, batch, persons);
    if (ended === 'lost' || ended === 'answered')
      for (const uuid of persons) tries.set(uuid, (tries.get(uuid) ?? 0) + 1);
    else if (ended === 'too much' && persons.length > 1) {
      const middle = halfOf(persons.length);
      // More than every service takes may be too many; else it is somebody in it.
      if (persons.length > surePerCall) learned.limit = Math.min(learned.limit, middle);
      else halves.unshift(persons.slice(0, middle), persons.slice(middle));
    } else for (const uuid of persons) tries.set(uuid, MOST_TRIES);
  }
  if (sparedIn(run.standing(batch)).persons > 0) work.withSpared.add(batch);
}

/** How many of a call that was refused are tried next: at least as many as every service takes. */
function halfOf(count: number): number {
  const half = Math.ceil(count / 2);
  return count > surePerCall ? Math.max(surePerCall, half) : half;
}

/** How many persons a call takes, as far as earlier sessions were told. */
function limitOf({ plan, state }: RunRecord): number {
  return state().calls.reduce((limit, { count, failure }) => {
    const isTooLarge = failure !== undefined && isAboutContent(failure) && count > surePerCall;
    return isTooLarge ? Math.min(limit, halfOf(count)) : limit;
  }, plan.batchSize);
}

/** Whoever was not seen as planned since something left it in doubt is looked for; nobody is if nobody is open. */
async function lookFirst(work: Work, batch: number, tries: ReadonlyMap<string, number>): Promise<void> {
  const { run, looking, looks, now, running } = work;
  const place = run.state().batches[batch - 1];
  if (place === undefined || place.persons === 0) return;
  const last = looks.get(batch) ?? plannedMoment(run);
  const isAged = last !== undefined && hasPassed(last, work);
  if (isAged) run.append({ type: 'aged', batch });
  const { run: core, batch: standing } = run.standing(batch);
  const { beforeSending, alone } = questionsOf(core, standing);
  const isOver = (uuid: string) => (tries.get(uuid) ?? 0) >= MOST_TRIES;
  if ([...beforeSending, ...alone].every(isOver)) return;
  const moment = { at: now(), running: running() };
  if (!(await hasLooked(work, () => looking.beforeSending(batch)))) return;
  // Only then was it about all of them.
  if (last === undefined || isAged) looks.set(batch, moment);
}

/** Without a look nobody is sent. What the record, and not the service, keeps from it is thrown when the session ends. */
async function hasLooked(work: Work, look: () => Promise<void>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    const failure = foreseen(error);
    work.unlooked ??= failure;
    const { kind, status } = failure;
    work.stopping.request({ reason: reasonToStop(kind, status) ?? 'look-up failed', kind, status });
    return false;
  }
}

/** A clock that was set back does not tell how long ago it was; one that nobody sets does. */
function hasPassed({ at, running }: Moment, { now, running: runs }: Work): boolean {
  const passed = now() - at;
  return passed < 0 || Math.max(passed, runs() - running) > TRUSTED;
}

/** Whoever was planned by this process was looked at no earlier than it began; others are looked at first anyway. */
function plannedMoment({ isFresh, plan }: Run): Moment | undefined {
  return isFresh ? { at: Date.parse(plan.lookedUpAt), running: 0 } : undefined;
}

/** One call: a synced line before, a synced line after. Throws when a line cannot be written, and then nothing was sent. */
async function sendCall(
  work: Work,
  batch: number,
  persons: readonly string[],
): Promise<'answered' | 'lost' | 'refused' | 'too much'> {
  const { run, stopping } = work;
  const positions = new Map(personsOf(run.standing(batch).batch).map((uuid, at) => [uuid, at]));
  const at = persons.flatMap((uuid) => positions.get(uuid) ?? []);
  const call = run.standing(batch).batch.calls.length;
  run.append({
    type: 'sending',
    batch,
    persons: toRanges(at),
    count: persons.length,
    digest: digestOf(persons),
  });
  const ids = sendIdsOf(run, batch);
  const result = await attempt(work, {
    ids: persons.flatMap((uuid) => ids.get(uuid) ?? []),
    flags: run.plan.flags,
  });
  if ('answer' in result) {
    const answer = recordAnswer(result.answer, (uuid) => run.memberOf('ids', uuid), new Set(persons));
    run.append({ type: 'answered', batch, call, answer });
    stopping.succeeded();
    work.onEnd(persons.length, 'answered');
    await lookAtOnce(work, batch, call);
    return 'answered';
  }
  const { failure, error } = result;
  run.append({ type: 'failed', batch, call, failure });
  // A bug of ours is written down as unknown and then shown as what it is.
  if (failure.kind === 'bug') throw error;
  const { kind, status } = failure;
  const reason = reasonToStop(kind, status);
  if (reason !== undefined)
    // A script takes `not-found` for persons that are gone already, and here no person was asked for.
    stopping.request({ reason, kind: reason === 'no such endpoint' ? 'refused' : kind, status });
  else if (isAboutContent(failure) && reason === undefined) {
    if (persons.length > 1) return 'too much';
    const [uuid] = persons;
    if (uuid !== undefined && error instanceof CliError)
      work.learned.refused.push({ person: uuid, reason: error });
  } else stopping.failed({ kind, status });
  work.onEnd(persons.length, 'failed');
  const isLost = failure.outcome === 'unknown';
  // Of somebody who is not found, somebody else may have deleted the person since the look.
  if (isLost || kind === 'not-found') await lookAtOnce(work, batch, call);
  return isLost ? 'lost' : 'refused';
}

/** What to call each person of a batch by, on the wire. */
function sendIdsOf(run: RunRecord, batch: number): ReadonlyMap<string, string> {
  const place = run.state().batches[batch - 1];
  const entries = place === undefined ? [] : run.entries(place.from, place.ids);
  return new Map(
    entries.flatMap(({ person }) =>
      person === null ? [] : [[run.memberOf('ids', person.uuid), idToSend(person)] as const],
    ),
  );
}

type Attempt = { readonly answer: BatchAnswer } | { readonly failure: Failure; readonly error: unknown };

async function attempt({ send, forcedSignal }: Work, batch: Batch): Promise<Attempt> {
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  try {
    return { answer: { ...(await raceAbort(send(batch, { onTime }), forcedSignal)), serviceTime } };
  } catch (error) {
    const answer = findAnswer(error);
    if (answer !== undefined) return { answer: { ...answer, serviceTime } };
    const isInterrupted = error instanceof Interruption;
    return {
      failure: isInterrupted ? { outcome: 'unknown', kind: 'interrupted' } : recordFailure(error),
      error,
    };
  }
}

import type { Context } from '../../cli/context.ts';
import { CliError, changed, foreseen } from '../../errors.ts';
import { inLanes } from '../../system/lanes.ts';
import { questionsOf, toSend } from '../core.ts';
import { countExcepted, countHeldBack } from '../record/batches.ts';
import type { Run } from '../record/open.ts';
import { surePerCall } from '../record/plan.ts';
import { countOpen, mayHaveRun } from '../record/state.ts';
import { lookAfter, sendCall } from './call.ts';
import {
  halfOf,
  type Learned,
  type Moment,
  openSession,
  type RunOptions,
  reasonToStop,
  requireSameProject,
  type Work,
} from './session.ts';

/**
 * Sends all whom the core permits, in a new run as well as in one that was interrupted, and looks at each call's people
 * afterwards. Throws a usage error before anything is sent; `unavailable` or, after the first call, `partial` when the
 * journal cannot be written. Failed calls are no error here: they are in the outcome.
 */
export async function runPlan(run: Run, options: RunOptions, session: Context): Promise<Learned> {
  const { project, host, keyLabel } = await requireSameProject(run, session);
  const { concurrency = run.plan.concurrency ?? 1 } = options;
  const work: Work = openSession(run, options, session);
  const resumed = run.state().sessions.length > 0;
  const before = run.state().calls.length;
  const excepted = countExcepted(run);
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
    work.learned.excepted = countExcepted(run) - excepted;
    work.learned.moved = work.looking.moved();
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
    const spared = countHeldBack(run.standing(batch), 'spared');
    learned.spared += spared.persons;
    ids += spared.ids;
  }
  learned.isAllSpared = ids > 0 && ids === open;
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
  if (isKept) return error;
  // A script takes `not-found` for people who are gone, and here an endpoint is.
  if (!run.state().calls.some(mayHaveRun))
    return error.kind === 'not-found' ? changed(error, { kind: 'refused' }) : error;
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
  if (countHeldBack(run.standing(batch), 'spared').persons > 0) work.withSpared.add(batch);
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

import type { Context } from '../../cli/context.ts';
import { type CliError, type ErrorKind, raceAbort, usageError } from '../../errors.ts';
import { platform } from '../../service/platform.ts';
import { createTurns, LANES } from '../../system/lanes.ts';
import type { BatchAnswer, Failure } from '../record/answer.ts';
import type { Stop, StopReason } from '../record/journal.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { type Flags, surePerCall } from '../record/plan.ts';
import { lookingOf } from './look.ts';

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
    host.address === plan.host || /\D/.test(plan.project.name)
      ? `choose it with --project ${plan.project.name}`
      : `choose it with --host ${plan.host} and --project ${plan.project.name}`,
  );
}

export type RunOptions = {
  readonly send: Send;
  /** Persons of this session, as calls end. */
  readonly onProgress?: ((progress: Readonly<Progress>) => void) | undefined;
  /** Calls at the same time; and a minute, with look-ups of many persons. Without them those of the plan hold. */
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
};

type Progress = { answered: number; failed: number };

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
  /** Persons who turned out to have an excepted id. */
  excepted: number;
  /** Ids of persons of the plan that lead to somebody else by now. */
  moved: number;
};

/** When all people of a batch were last looked at, by the clock here and by the time that this process has run. */
export type Moment = { readonly at: number; readonly running: number };

export type Work = Readonly<ReturnType<typeof openSession>> & {
  /** Why people could not be looked at before they would be sent. */
  unlooked?: CliError;
};

/** `signal`: finish what is in flight. `forcedSignal`: stop now. The settings must lead to the project of the plan. */
export function openSession(run: Run, options: RunOptions, session: Context) {
  const { rate = run.plan.rate, concurrency = run.plan.concurrency ?? 1, onProgress } = options;
  const pace = createPace(rate, session);
  const progress = { answered: 0, failed: 0 };
  const learned: Learned = {
    limit: limitOf(run),
    refused: [],
    spared: 0,
    isAllSpared: false,
    excepted: 0,
    moved: 0,
  };
  return {
    run,
    send: options.send,
    looking: lookingOf(run, withPacedClient(session, { pace, lanes: Math.max(LANES, concurrency) })),
    now: session.now,
    running: session.running,
    looks: new Map<number, Moment>(),
    forcedSignal: session.forcedSignal,
    stopping: createStopping(session),
    pace,
    learned,
    /** Batches with people who were not there as planned. */
    withSpared: new Set<number>(),
    onEnd(count: number, result: keyof Progress) {
      progress[result] += count;
      onProgress?.({ ...progress });
    },
  };
}

type Pacing = { readonly pace: () => Promise<void>; readonly lanes: number };

/** Queries of one organization that the service works on at the same time; others wait, and are refused in the end. */
const QUERIES = 3;

/**
 * Look-ups of many persons keep to the rate of the calls; those of one person each would take days. The batches of all
 * lanes take turns: each by itself would look up several people at the same time.
 */
function withPacedClient(session: Context, { pace, lanes }: Pacing): Context {
  const inTurn = createTurns(lanes);
  const inTurnOfQueries = createTurns(QUERIES);
  const ofMany: readonly unknown[] = [platform.personsByUuids, platform.personsByDistinctIds];
  const client = async () => {
    const service = await session.client();
    const paced: typeof service = {
      ...service,
      call: async (row, ...request) => {
        if (ofMany.includes(row)) await pace();
        return inTurn(() => service.call(row, ...request));
      },
      query: async (...request) => {
        await pace();
        return inTurnOfQueries(() => service.query(...request));
      },
    };
    return paced;
  };
  return { ...session, client };
}

/** How many of a call that was refused are tried next: at least as many as every service takes. */
export function halfOf(count: number): number {
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

/** `signal`: finish what is in flight. `forcedSignal`: stop now. */
type Signals = Pick<Context, 'signal' | 'forcedSignal'>;

/** The service refuses the call for its size, or for somebody in it. */
export function isAboutContent({ outcome, status = 0 }: Failure): boolean {
  return outcome === 'not-done' && [400, 413, 422].includes(status);
}

/** Why a failure stops the run at once, if it does. */
export function reasonToStop(kind: ErrorKind, status = 0): StopReason | undefined {
  if (kind === 'interrupted' || kind === 'terminated') return 'interrupted';
  if (status === 401 || status === 403 || kind === 'authentication') return 'authentication';
  if (status === 404) return 'no such endpoint';
  return status >= 300 && status < 400 ? 'redirect' : undefined;
}

/** What keeps a run from sending more, as it was told first. */
function createStopping({ signal, forcedSignal }: Signals) {
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
function createPace(
  rate: number | undefined,
  { now, wait, signal, forcedSignal }: Signals & Pick<Context, 'now' | 'wait'>,
) {
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

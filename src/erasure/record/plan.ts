import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import type { Dialect } from '../../service/endpoint.ts';
import { apply } from '../core.ts';
import type { IdKind } from '../input/checks.ts';
import { type Deadline, type DeadlineInput, firstDeadline, readDeadline } from '../input/deadline.ts';
import type { IdList, People } from '../input/given.ts';
import type { ListCounts } from '../input/list-counts.ts';
import type { Spared } from '../people/exceptions.ts';
import { countRequests, type LookUp } from '../people/resolve.ts';
import { MANY } from '../people/stores.ts';
import { asRefusal, plannedFact } from './batches.ts';
import { listBatches } from './entry.ts';
import { toMemberLine } from './members.ts';

export type Flags = {
  readonly deleteEvents: boolean;
  readonly deleteRecordings: boolean;
  readonly keepPerson: boolean;
};

/** What the live service publishes: deletions a minute and an hour, and other requests about persons a minute. */
const liveLimits = { perMinute: 480, perHour: 4800, lookUpsPerMinute: 240 };

export const mostPerCall = 1000;
/** What five look-ups of many are about, each with somebody known beside them: 1000 people would take a sixth. */
const usualPerCall = 5 * (MANY - 1);
/** The stricter of the two limits that the specification gives. */
export const surePerCall = 100;

/** What a run will do. It holds no id, so it can be shown, kept and handed on. */
export type Plan = {
  readonly format: 1;
  readonly project: { readonly id: string; readonly name: string };
  readonly host: string;
  readonly flags: Flags;
  /** Ids as given, each one once, and the repeats that were dropped. */
  readonly asked: number;
  readonly unique: number;
  readonly repeats: number;
  /** What was given. */
  readonly given: readonly { readonly kind: IdKind; readonly count: number }[];
  /** Ids with a person and without one; and how many persons those are, each of whom is sent once. */
  readonly resolved: { readonly found: number; readonly nobody: number; readonly persons: number };
  /** Ids that are not sent: without a person, or of a person who is sent by another id. */
  readonly leftOut: number;
  readonly batchSize: number;
  readonly calls: number;
  /** Requests that look at the persons after their calls, at least. */
  readonly lookUps: number;
  /** Calls a minute at most, and at the same time, as they were asked for. */
  readonly rate?: number | undefined;
  readonly concurrency?: number | undefined;
  /** The least time that the published limits, or a slower rate, allow; absent if there is no limit. */
  readonly seconds?: number | undefined;
  /** What the service's clock said when the ids were looked up, and the one here just before (both ISO). */
  readonly serviceTime?: string | undefined;
  readonly lookedUpAt: string;
  /** Ids of persons who are excepted; absent if none is. */
  readonly excepted?: number | undefined;
  /** Ids that nobody who is sent may have; absent if there are none. */
  readonly exceptions?: number | undefined;
  /** In which files they stand. */
  readonly exceptionsFrom?: readonly string[] | undefined;
  /** The cohorts that people were selected by, and when those were calculated. */
  readonly cohorts?: readonly string[] | undefined;
  /** Ids that look damaged and were used as given; absent if none does. */
  readonly oddIds?: number | undefined;
  /** Planned from addresses, which lead to no person who is gone. */
  readonly byAddresses?: true | undefined;
  /** How sure it is that ids without a person have none. */
  readonly lookUp: LookUp;
  /** Lines with a verdict: ids that the core knows, those of excepted persons, and odd ones that were left out. */
  readonly lines: { readonly all: number; readonly excepted: number; readonly odd: number };
  /** The lines of the list; absent for a selection. */
  readonly list?: ListCounts | undefined;
} & Partial<Deadline> &
  Partial<RequestPart>;

/** What the plan of each project says of a request in several of them. */
export type RequestPart = {
  /** Its name, the same in each plan. */
  readonly request: string;
  /** All projects of the request, so that one whose record is gone is missed. */
  readonly projects: readonly { readonly id: string; readonly name: string; readonly host: string }[];
  /** Each id leads to somebody in one of the projects, or it was said to be fine that some do not. */
  readonly ignoreMissing: boolean;
};

export type PlanInput = Pick<
  Plan,
  | 'project'
  | 'host'
  | 'flags'
  | 'rate'
  | 'concurrency'
  | 'serviceTime'
  | 'lookedUpAt'
  | 'lookUp'
  | 'cohorts'
  | 'list'
> &
  Limits & {
    readonly people: readonly People[];
    readonly spared?: Spared | undefined;
    readonly due?: Deadline | undefined;
  };

type Limits = Pick<Plan, 'flags'> & {
  readonly dialect: Dialect;
  /** Ids per call; if absent, as many as the service takes. */
  readonly batchSize?: number | undefined;
  /** A plan with more ids than this is refused. */
  readonly max?: number | undefined;
};

/** What deletions of one person and of many have in common, as options give it. */
export type DeletionFlags = DeadlineInput & {
  readonly delete_events?: boolean | undefined;
  readonly delete_recordings?: boolean | undefined;
  readonly keep_person?: boolean | undefined;
};

/** Throws a usage error for flags that leave nothing to delete. */
export function toFlags(given: DeletionFlags): Flags {
  const { delete_events: deleteEvents = false, delete_recordings: deleteRecordings = false } = given;
  const keepPerson = given.keep_person ?? false;
  const nothing = '--keep-person without --delete-events or --delete-recordings deletes nothing';
  if (keepPerson && !deleteEvents && !deleteRecordings)
    throw usageError(nothing, 'add one of them, or leave out --keep-person');
  return { deleteEvents, deleteRecordings, keepPerson };
}

/** What a plan has from settings and options, without its people. */
export async function planningOf(given: DeletionFlags, { settings, now }: Pick<Context, 'settings' | 'now'>) {
  const { project, host, dialect } = await settings();
  return {
    project: { id: project.id, name: project.name ?? project.id },
    host: host.address,
    flags: toFlags(given),
    lookedUpAt: new Date(now()).toISOString(),
    due: readDeadline(given, now()),
    dialect,
  };
}

/** Counts what a run will do. Throws a usage error for a plan that must not be carried out. */
export function makePlan(input: PlanInput): Plan {
  const { project, host, flags, people, serviceTime, due } = input;
  const batchSize = perCall(input);
  const lists = people.map(({ list }) => list);
  checkPlan(lists, input);
  const asked = sum(lists.map((list) => list.asked));
  const unique = sum(lists.map(({ ids }) => ids.length));
  const { ids, persons, lookUps } = countByCore(input, batchSize);
  const excepted = sum(lists.map(({ excepted: count = 0 }) => count));
  const odd = sum(lists.map(({ lines = [] }) => lines.filter(({ reason }) => reason !== undefined).length));
  const calls = Math.ceil(persons / batchSize);
  return {
    format: 1,
    project: { id: project.id, name: project.name },
    host,
    flags,
    asked,
    unique,
    repeats: asked - unique,
    given: lists.map(({ kind, ids }) => ({ kind, count: ids.length })),
    resolved: {
      found: sum(people.map(({ resolution }) => resolution.found)),
      nobody: sum(people.map(({ resolution }) => resolution.nobody)),
      persons,
    },
    leftOut: unique - persons,
    batchSize,
    calls,
    lookUps,
    ...paceOf({ calls, lookUps, lookUp: input.lookUp }, input),
    serviceTime,
    lookedUpAt: input.lookedUpAt,
    lookUp: input.lookUp,
    lines: { all: ids + excepted + odd, excepted, odd },
    list: input.list,
    excepted: excepted || undefined,
    exceptions: input.spared?.spared.length || undefined,
    exceptionsFrom: input.spared?.files.length ? input.spared.files : undefined,
    cohorts: input.cohorts?.length ? input.cohorts : undefined,
    oddIds: sum(lists.map(({ suspicious }) => suspicious)) || undefined,
    byAddresses: lists.find(({ areAddresses }) => areAddresses)?.areAddresses,
    ...firstDeadline(lists, due),
  };
}

/**
 * How many different ids and persons there are, and how many requests look at those. Throws a `refused` error if the
 * answers do not tell who is there.
 */
function countByCore({ people, spared, lookUp, serviceTime, flags }: PlanInput, batchSize: number) {
  const memberOf = (kind: string, id: string) => `${kind} ${kind === 'ids' ? id.toLowerCase() : id}`;
  const sets = (['excepted', 'spared'] as const).map(
    (name) => new Set((spared?.[name] ?? []).map(({ kind, id }) => memberOf(kind, id))),
  );
  const [excepted = new Set<string>(), other = new Set<string>()] = sets;
  const run = { options: {}, lines: 0, stores: ['list', 'sql'] as const, excepted, spared: other };
  let ids = 0;
  let persons = 0;
  let lookUps = 0;
  for (const { entries } of listBatches(people, batchSize)) {
    const members = entries.map((entry) => toMemberLine(entry, undefined, memberOf));
    const { named, targets } = asRefusal(
      () => apply(run, undefined, plannedFact(members, { lookUp, serviceTime })),
      'nothing was sent; the service did not show a person who is known to be there: check project, host and key',
    );
    ids += named.size;
    const planned = [...targets.values()].filter(({ isPlanned }) => isPlanned);
    persons += planned.length;
    const distinctIds = sum(planned.map((one) => one.ids.length - 1));
    // People who stay are not looked at afterwards.
    lookUps += flags.keepPerson ? 0 : countRequests({ uuids: planned.length, distinctIds }, lookUp);
  }
  return { ids, persons, lookUps };
}

/** Throws a usage error for a plan that must not be carried out, as far as its lists show before any look-up. */
export function checkPlan(lists: readonly Pick<IdList, 'ids'>[], input: Limits): void {
  const batchSize = perCall(input);
  const unique = sum(lists.map(({ ids }) => ids.length));
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > mostPerCall) {
    throw usageError(`a batch cannot hold ${batchSize} ids`, `--batch-size takes 1 to ${mostPerCall}`);
  }
  if (input.max !== undefined && unique > input.max) {
    throw usageError(
      `the plan holds ${unique} ids, more than --max ${input.max}`,
      'check the input or raise --max',
    );
  }
  // A service that does not read it would delete the person, and only the live one is known to.
  if (input.flags.keepPerson && input.dialect !== 'live') {
    throw usageError(
      'this service may ignore --keep-person and delete the persons',
      'leave out --keep-person, or use a service that supports it',
    );
  }
}

function perCall({ batchSize, dialect }: Limits): number {
  return batchSize ?? (dialect === 'live' ? usualPerCall : surePerCall);
}

/** How many persons a plan deletes. */
export function countPersons({ resolved }: Pick<Plan, 'resolved'>): number {
  return resolved.persons;
}

/** Further ids of persons who are sent by another one. */
export function countSamePerson({ resolved }: Pick<Plan, 'resolved'>): number {
  return resolved.found - resolved.persons;
}

type Looked = Pick<Plan, 'calls' | 'lookUps' | 'lookUp'>;
type Pace = Pick<PlanInput, 'rate' | 'concurrency' | 'dialect'>;

/** The plan as a session carries it out that has so many calls left, and was given another rate or more at a time. */
export function withPace(plan: Plan, { calls, ...pace }: Pace & Pick<Plan, 'calls'>): Plan {
  const { rate = plan.rate, concurrency = plan.concurrency, dialect } = pace;
  const lookUps = Math.ceil((plan.lookUps * calls) / Math.max(1, plan.calls));
  const left = { ...plan, calls, lookUps };
  return { ...left, ...paceOf(left, { rate, concurrency, dialect }) };
}

/** A rate holds for look-ups of many persons, too. If SQL is asked, at least half of them are for the person list. */
function paceOf({ calls, lookUps, lookUp }: Looked, { rate, concurrency, dialect }: Pace) {
  const last = Math.max(0, calls - 1);
  const isLive = dialect === 'live';
  const { perMinute, perHour, lookUpsPerMinute } = liveLimits;
  const paced = lookUp.isByMany ? last + lookUps : last;
  const byRate = rate === undefined ? 0 : (paced * 60) / rate;
  const byLimits = isLive ? Math.floor(last / perHour) * 3600 + ((last % perHour) * 60) / perMinute : 0;
  const listed = lookUp.sql === null ? lookUps : lookUps / 2;
  const byLookUps = isLive ? Math.floor(listed / lookUpsPerMinute) * 60 : 0;
  const seconds =
    rate === undefined && !isLive ? undefined : Math.ceil(Math.max(byRate, byLimits, byLookUps));
  return { rate, concurrency, seconds };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

import { counted, usageError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { duration } from '../system/terminal.ts';
import type { Deadline } from './deadline.ts';
import { isSendable } from './entries.ts';
import type { IdKind } from './ids.ts';
import type { People } from './resolve.ts';

export type Flags = {
  readonly deleteEvents: boolean;
  readonly deleteRecordings: boolean;
  readonly keepPerson: boolean;
};

/** Calls that a service's published limits allow. */
type Limits = { readonly perMinute: number; readonly perHour: number };

/** What the live service publishes for deletions. */
export const liveDeletionLimits: Limits = { perMinute: 480, perHour: 4800 };

export const mostPerCall = 1000;
/** The stricter of the two limits that the specification gives. */
export const surePerCall = 100;

export type Group = { readonly kind: IdKind; readonly count: number };

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
  /** Whom the ids belonged to, where that was looked up. */
  readonly resolved?: { readonly found: number; readonly nobody: number };
  /** What is sent, in this order; a call holds one kind. */
  readonly groups: readonly Group[];
  /** Integers that belong to nobody: the service cannot be asked to delete them. */
  readonly leftOut: number;
  readonly batchSize: number;
  readonly calls: number;
  /** Calls a minute at most, and at the same time, as they were asked for. */
  readonly rate?: number;
  readonly concurrency?: number;
  /** Calls that batches of 1000 would save. */
  readonly callsSaved: number;
  /** The least time that the published limits, or a slower rate, allow; absent where there is no limit. */
  readonly seconds?: number;
  /** What the service's clock said when the ids were looked up. */
  readonly serviceTime?: string;
  /** Ids that look damaged and were said to be meant; absent if none does. */
  readonly oddIds?: number;
  /** The ids stay in the record after `runs verify`. */
  readonly keepIds?: true;
} & Partial<Deadline>;

export type PlanInput = {
  readonly project: Plan['project'];
  readonly host: string;
  readonly people: readonly People[];
  readonly flags: Flags;
  /** Ids per call, 100 if absent, at most 1000. */
  readonly batchSize?: number | undefined;
  /** The service's published limits, absent where it has none. */
  readonly limits?: Limits | undefined;
  /** Calls per minute that the run will keep to. */
  readonly rate?: number | undefined;
  /** Calls at the same time. */
  readonly concurrency?: number | undefined;
  /** A plan with more ids than this is refused. */
  readonly max?: number | undefined;
  /** Whether the service is known to read `keep_person`: one that does not would delete the person. */
  readonly readsKeepPerson: boolean;
  readonly keepIds?: boolean | undefined;
  readonly serviceTime?: string | undefined;
  readonly due?: Deadline | undefined;
};

/** Counts what a run will do. Throws a usage error for a plan that must not be carried out. */
export function makePlan(input: PlanInput): Plan {
  const batchSize = input.batchSize ?? surePerCall;
  const unique = sum(input.people.map(({ list }) => list.ids.length));
  check(input, batchSize, unique);
  const groups = input.people.map(toGroup).filter(({ count }) => count > 0);
  const calls = countCalls(groups, batchSize);
  const suspiciousIds = sum(input.people.map(({ list }) => list.suspicious));
  return {
    format: 1,
    project: { id: input.project.id, name: input.project.name },
    host: input.host,
    flags: input.flags,
    asked: sum(input.people.map(({ list }) => list.asked)),
    unique,
    repeats: sum(input.people.map(({ list }) => list.repeats)),
    ...countResolved(input.people),
    groups,
    leftOut: unique - sum(groups.map(({ count }) => count)),
    batchSize,
    calls,
    callsSaved: calls - countCalls(groups, mostPerCall),
    ...paceOf(calls, input),
    ...(input.serviceTime === undefined ? {} : { serviceTime: input.serviceTime }),
    ...(suspiciousIds > 0 ? { oddIds: suspiciousIds } : {}),
    ...(input.keepIds ? { keepIds: true } : {}),
    ...input.due,
  };
}

function check(input: PlanInput, batchSize: number, unique: number): void {
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > mostPerCall) {
    throw usageError(`a batch cannot hold ${batchSize} ids`, `--batch-size takes 1 to ${mostPerCall}`);
  }
  if (unique === 0) throw usageError('there are no ids to delete', 'check the input; nothing was sent');
  if (input.max !== undefined && unique > input.max) {
    throw usageError(
      `the plan holds ${unique} ids, more than --max ${input.max}`,
      'check the input or raise --max',
    );
  }
  if (input.flags.keepPerson && !input.readsKeepPerson) {
    throw usageError(
      'this service is not known to read --keep-person, and without it would delete the persons',
      'leave --keep-person out, or use a service that knows it',
    );
  }
}

function toGroup({ list, resolution }: People): Group {
  if (resolution === undefined || list.kind !== 'ids') return { kind: list.kind, count: list.ids.length };
  let count = 0;
  for (const [index, id] of list.ids.entries()) {
    if (isSendable({ kind: list.kind, id, person: resolution.at(index) })) count += 1;
  }
  return { kind: list.kind, count };
}

function countResolved(people: readonly People[]): Pick<Plan, 'resolved'> {
  const known = people.flatMap(({ resolution }) => resolution ?? []);
  if (known.length === 0) return {};
  return {
    resolved: { found: sum(known.map(({ found }) => found)), nobody: sum(known.map(({ nobody }) => nobody)) },
  };
}

function countCalls(groups: readonly Group[], batchSize: number): number {
  return sum(groups.map(({ count }) => Math.ceil(count / batchSize)));
}

type Pace = Pick<PlanInput, 'rate' | 'concurrency' | 'limits'>;

/** The plan as a session carries it out that was given another rate, or more calls at the same time. */
export function withPace(
  plan: Plan,
  { rate = plan.rate, concurrency = plan.concurrency, limits }: Pace,
): Plan {
  return { ...plan, ...paceOf(plan.calls, { rate, concurrency, limits }) };
}

function paceOf(calls: number, pace: Pace): Pick<Plan, 'rate' | 'concurrency' | 'seconds'> {
  const { rate, concurrency } = pace;
  const seconds = leastSeconds(calls, pace);
  return {
    ...(rate === undefined ? {} : { rate }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(seconds === undefined ? {} : { seconds }),
  };
}

function leastSeconds(calls: number, { limits, rate }: Pace): number | undefined {
  const last = Math.max(0, calls - 1);
  const byRate = rate === undefined ? undefined : (last * 60) / rate;
  const byLimits =
    limits === undefined
      ? undefined
      : Math.floor(last / limits.perHour) * 3600 + ((last % limits.perHour) * 60) / limits.perMinute;
  if (byRate === undefined && byLimits === undefined) return undefined;
  return Math.ceil(Math.max(byRate ?? 0, byLimits ?? 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** What a plan will do, a line per fact, for the person who is about to agree to it; a new one can still change. */
export function planLines(
  plan: Plan,
  { isNew = false }: { readonly isNew?: boolean } = {},
): readonly string[] {
  const { asked, unique, repeats, resolved, leftOut, groups, seconds } = plan;
  const kinds = groups.map(({ kind, count }) => counted(count, kind === 'ids' ? 'person id' : 'distinct id'));
  const stays = isNew ? staysWithHint(plan.flags) : staysSentence(plan.flags);
  return [
    `Project ${projectText(plan.project)} at ${plan.host}`,
    `${unique === 1 ? '1 id' : `${unique} different ids`}${repeats > 0 ? ` of ${asked} given, ${counted(repeats, 'repeat')} dropped` : ''}: ${kinds.join(', ') || 'none to send'}`,
    ...suspiciousLines(plan),
    ...(resolved ? [`${resolved.found} found by look-up, ${resolved.nobody} belonging to nobody`] : []),
    ...(leftOut > 0 ? [`${counted(leftOut, 'integer')} that nobody has cannot be sent`] : []),
    callsLine(plan),
    ...(seconds ? [`at least ${duration(seconds)} under the limits`] : []),
    ...flagLines(plan),
    ...(plan.deadline === undefined ? [] : [`received on ${plan.received}, due by ${plan.deadline}`]),
    ...(stays === undefined ? [] : [stays]),
  ];
}

function callsLine({ calls, batchSize, rate, concurrency = 1, callsSaved }: Plan): string {
  const parts = [
    `${counted(calls, 'call')} of up to ${batchSize}`,
    rate === undefined ? '' : `at most ${rate} a minute`,
    concurrency > 1 ? `${concurrency} at the same time` : '',
  ];
  const saving = callsSaved > 0 ? `; --batch-size 1000 would save ${callsSaved}` : '';
  return `${parts.filter(Boolean).join(', ')}${saving}`;
}

function suspiciousLines({ oddIds }: Plan): readonly string[] {
  if (oddIds === undefined) return [];
  return [`${counted(oddIds, 'id')} that ${oddIds === 1 ? 'looks' : 'look'} damaged, taken as meant`];
}

function flagLines({ flags }: Plan): readonly string[] {
  const events = 'their events too, which is a request: the service carries it out on Sundays at 05:00 UTC';
  return [
    ...(flags.deleteEvents ? [events] : []),
    ...(flags.deleteRecordings ? ['their recordings too'] : []),
    ...(flags.keepPerson ? ['the persons themselves are kept'] : []),
  ];
}

/** What stays at the service although the persons go, by the flags of a plan; nothing where all of it goes. */
export function staysSentence(flags: Flags): string | undefined {
  const kept = unrequested(flags).map(({ what }) => what);
  return kept.length === 0 ? undefined : `their ${kept.join(' and ')} stay`;
}

/** The same before anything was sent, with the options that change it. */
function staysWithHint(flags: Flags): string | undefined {
  const options = unrequested(flags).map(({ option }) => option);
  const request = options.length === 1 ? 'requests' : 'request';
  const sentence = staysSentence(flags);
  return sentence && `${sentence}; ${options.join(' and ')} ${request} their deletion too`;
}

/** What a question says of the two, behind what happens to the persons. */
export function flagsInQuestion(flags: Flags): string {
  const requested = extras(flags).filter(({ isRequested }) => isRequested);
  const names = requested.map(({ what }) => what).join(' and ');
  const stays = staysSentence(flags);
  return `${names && ` and request the deletion of their ${names}`}${stays === undefined ? '' : ` (${stays})`}`;
}

function unrequested(flags: Flags) {
  return extras(flags).filter(({ isRequested }) => !isRequested);
}

function extras({ deleteEvents, deleteRecordings }: Flags) {
  return [
    { what: 'events', option: '--delete-events', isRequested: deleteEvents },
    { what: 'recordings', option: '--delete-recordings', isRequested: deleteRecordings },
  ];
}

/** A project by its name here, with the service's id behind it where the two differ. */
export function projectText({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === id ? id : `${name} (${id})`;
}

/** A plan as data, for a dry run. */
export function planRecord(plan: Plan): JsonObject {
  return {
    project: plan.project.id,
    host: plan.host,
    asked: plan.asked,
    unique: plan.unique,
    repeats: plan.repeats,
    odd_ids: plan.oddIds ?? 0,
    person_ids: countOf(plan, 'ids'),
    distinct_ids: countOf(plan, 'distinct-ids'),
    belong_to_persons: plan.resolved?.found ?? null,
    belong_to_nobody: plan.resolved?.nobody ?? null,
    left_out: plan.leftOut,
    batch_size: plan.batchSize,
    calls: plan.calls,
    rate: plan.rate ?? null,
    concurrency: plan.concurrency ?? null,
    calls_saved_by_1000: plan.callsSaved,
    least_seconds: plan.seconds ?? null,
    delete_events: plan.flags.deleteEvents,
    delete_recordings: plan.flags.deleteRecordings,
    keep_person: plan.flags.keepPerson,
    received: plan.received ?? null,
    deadline: plan.deadline ?? null,
  };
}

function countOf({ groups }: Plan, kind: string): number {
  return groups.find((group) => group.kind === kind)?.count ?? 0;
}

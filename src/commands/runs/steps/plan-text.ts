import type { Plan } from '../../../erasure/make-plan.ts';
import { counted } from '../../../errors.ts';
import type { JsonObject } from '../../../json/kinds.ts';
import { duration } from '../../../system/progress.ts';

/** What a plan will do, a line per fact, for the person who is about to agree to it. */
export function planLines(plan: Plan): readonly string[] {
  const { asked, unique, repeats, resolved, leftOut, groups, calls, callsSaved, batchSize, seconds } = plan;
  const kinds = groups.map(({ kind, count }) => counted(count, kind === 'ids' ? 'person id' : 'distinct id'));
  return [
    `Project ${projectText(plan.project)} at ${plan.host}`,
    `${unique === 1 ? '1 id' : `${unique} different ids`}${repeats > 0 ? ` of ${asked} given, ${counted(repeats, 'repeat')} dropped` : ''}: ${kinds.join(', ') || 'none to send'}`,
    ...oddLines(plan),
    ...(resolved ? [`${resolved.found} found by look-up, ${resolved.nobody} belonging to nobody`] : []),
    ...(leftOut > 0 ? [`${counted(leftOut, 'integer')} that nobody has cannot be sent`] : []),
    `${counted(calls, 'call')} of up to ${batchSize}${callsSaved > 0 ? `; --batch-size 1000 would save ${callsSaved}` : ''}`,
    ...(seconds ? [`at least ${duration(seconds)} under the limits`] : []),
    ...flagLines(plan),
  ];
}

function oddLines({ oddIds }: Plan): readonly string[] {
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
    calls_saved_by_1000: plan.callsSaved,
    least_seconds: plan.seconds ?? null,
    delete_events: plan.flags.deleteEvents,
    delete_recordings: plan.flags.deleteRecordings,
    keep_person: plan.flags.keepPerson,
  };
}

function countOf({ groups }: Plan, kind: string): number {
  return groups.find((group) => group.kind === kind)?.count ?? 0;
}

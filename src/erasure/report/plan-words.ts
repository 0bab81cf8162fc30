import { counted } from '../../errors.ts';
import { duration } from '../../system/output.ts';
import { listText } from '../input/list-counts.ts';
import { countPersons, type Flags, type Plan } from '../record/plan.ts';

/** What a plan will do, a line per fact, for the person who is about to agree to it; a new one can still change. */
export function planLines(
  plan: Plan,
  { isNew = false }: { readonly isNew?: boolean } = {},
): readonly string[] {
  const { seconds, oddIds, flags } = plan;
  // Of nobody, nothing goes and nothing stays.
  const isOfSomebody = countPersons(plan) > 0;
  const lines = [
    `Project ${projectText(plan.project)} at ${plan.host}`,
    plan.list && plan.byAddresses ? listText(plan.list, plan.resolved.persons) : idsLine(plan),
    oddIds && `${counted(oddIds, 'id')} that ${oddIds === 1 ? 'looks' : 'look'} damaged, used as given`,
    plan.cohorts && `selected by ${plan.cohorts.join(' and ')}`,
    plan.exceptionsFrom && `the people in ${plan.exceptionsFrom.join(' and ')} are excepted`,
    ...(plan.byAddresses ? [] : [exceptedLine(plan), resolvedLine(plan)]),
    plan.calls > 0 && callsLine(plan),
    lookUpsLine(plan),
    seconds &&
      `takes at least ${duration(seconds)}${plan.rate === undefined ? ', since the service limits its requests' : ''}`,
    isOfSomebody &&
      flags.deleteEvents &&
      'their events too, by a request that the service carries out on Sundays at 05:00 UTC',
    eventsOfNobody(plan),
    isOfSomebody && flags.deleteRecordings && 'their recordings too',
    isOfSomebody && flags.keepPerson && 'the persons themselves are kept',
    plan.deadline && `received on ${plan.received}, due by ${plan.deadline}`,
    isOfSomebody && (isNew ? staysWithHint(flags) : staysText(flags)),
  ];
  return lines.flatMap((line) => line || []);
}

function idsLine({ asked, unique, repeats, given }: Plan): string {
  const kinds = given.map(({ kind, count }) => counted(count, kind === 'ids' ? 'person id' : 'distinct id'));
  const dropped = repeats > 0 ? ` of ${asked} given, ${counted(repeats, 'repeat')} dropped` : '';
  return `${unique === 1 ? '1 id' : `${unique} different ids`}${dropped}: ${kinds.join(', ') || 'none to send'}`;
}

function exceptedLine({ excepted }: Plan): string | undefined {
  return excepted ? `${counted(excepted, 'id')} of excepted persons, not sent` : undefined;
}

function resolvedLine({ resolved }: Plan): string {
  const { found, nobody, persons } = resolved;
  const same = found > persons ? `, with ${found} of the ids` : '';
  const missing = nobody > 0 ? `; ${counted(nobody, 'id')} without a person, not sent` : '';
  return `${counted(persons, 'person', 'persons')} found by look-up${same}${missing}`;
}

function callsLine({ calls, batchSize, rate, concurrency = 1 }: Plan): string {
  const parts = [
    `${counted(calls, 'call')} of up to ${batchSize}`,
    rate === undefined ? '' : `at most ${rate} a minute`,
    concurrency > 1 ? `${concurrency} at the same time` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** Fewer take no time that anybody would wait for. */
const FEW_LOOK_UPS = 100;

function lookUpsLine({ lookUps, lookUp }: Plan): string | undefined {
  if (lookUps <= FEW_LOOK_UPS) return undefined;
  const each = lookUp.isByMany ? '' : ', one for each id';
  return `then ${lookUps} requests that look whether they have gone${each}`;
}

/** What to say about the events of ids without a person; nothing if all have one. */
export function eventsOfNobody(plan: Pick<Plan, 'flags' | 'resolved'>): string | undefined {
  const count = countEventsOfNobody(plan);
  if (count === 0) return undefined;
  return `${counted(count, 'id has', 'ids have')} no person; events with ${count === 1 ? 'it' : 'them'} stay, since no call deletes them`;
}

/** What stays at the service although the persons go; nothing if all of it goes, or nobody. */
export function staysSentence(plan: Pick<Plan, 'flags' | 'resolved'>): string | undefined {
  return countPersons(plan) === 0 ? undefined : staysText(plan.flags);
}

function staysText(flags: Flags): string | undefined {
  const kept = unrequested(flags).map(({ what }) => what);
  return kept.length === 0 ? undefined : `their ${kept.join(' and ')} stay`;
}

/** The same before anything was sent, with the options that change it. */
export function staysWithHint(flags: Flags): string | undefined {
  const options = unrequested(flags).map(({ option }) => option);
  const request = options.length === 1 ? 'requests' : 'request';
  const sentence = staysText(flags);
  return sentence && `${sentence}; ${options.join(' and ')} ${request} their deletion too`;
}

/** What a question says of the persons. */
export function verbInQuestion({ keepPerson }: Flags): string {
  return keepPerson ? 'keep' : 'delete';
}

/** What a question says of the two, behind what happens to the persons. */
export function flagsInQuestion(flags: Flags): string {
  const names = requestedExtras(flags);
  const stays = staysText(flags);
  return `${names && ` and request the deletion of their ${names}`}${stays === undefined ? '' : ` (${stays})`}`;
}

/** What goes beside the persons, in words; empty for nothing. */
export function requestedExtras(flags: Flags): string {
  const requested = extras(flags).filter(({ isRequested }) => isRequested);
  return requested.map(({ what }) => what).join(' and ');
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

/** A project by its name here, with the service's id behind it if the two differ. */
export function projectText({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === id ? id : `${name} (${id})`;
}

/** Ids without a person, whose events no call deletes. */
function countEventsOfNobody({ flags, resolved }: Pick<Plan, 'flags' | 'resolved'>): number {
  return flags.deleteEvents ? resolved.nobody : 0;
}

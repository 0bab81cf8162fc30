import { dirname } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { quoteForShell } from '../system/text.ts';
import { formatSeal } from './journal.ts';
import {
  eventsNotBefore,
  type LastAnswer,
  lastAnswer,
  type Outcome,
  type Queued,
  shareOf,
} from './outcome.ts';
import { eventsOfNobody, staysSentence } from './plan.ts';
import { eventsWord, isVerified } from './proof.ts';
import { outcomeFields } from './report.ts';
import { findNewest, newest, type RunRecord, runsDirectory } from './run.ts';

type Shown = {
  /** What to call the run. */
  readonly name: string;
  /** Whether the ids go from the record next. */
  readonly isDropping?: boolean;
  /** Of a case, which tells itself what comes next. */
  readonly isPart?: boolean | undefined;
};

/** Prints what came of a run on stdout, and what to know about it on stderr. */
export async function showOutcome(
  run: RunRecord,
  outcome: Outcome,
  shown: Shown,
  context: Context,
): Promise<void> {
  await printOutcome(run, outcome, context);
  const sentence = findEventsSentence(run);
  if (sentence !== undefined) context.note(`Events: ${sentence}.`);
  tellRun(run, shown, context);
}

/** What stays by the flags, the name of the run, and on a line of its own the command that comes next. */
export function tellRun(run: RunRecord, { name, isDropping, isPart }: Shown, context: Context): void {
  for (const stays of [staysSentence(run.plan.flags), eventsOfNobody(run.plan)])
    if (stays !== undefined) context.note(asSentence(stays));
  const given = isDropping || !run.hasIds ? ', with the ids given again' : '';
  const named = `Run ${run.id}, journal ${formatSeal(run.seal())}.`;
  if (isPart) context.note(named);
  else context.note(`${named} To ask what is left${given}:`);
  if (!isPart) context.note(verifyCommand(run, name, context));
}

/** To be copied into any shell: it repeats what only this command line, or its environment, said. */
function verifyCommand(run: RunRecord, name: string, context: Context): string {
  const { project, host } = context.options;
  const isKept = name === run.id;
  const isNewest = isKept && findNewest(runsDirectory(context.stateDirectory())) === run.path;
  return [
    ...(isKept ? placeWords(dirname(dirname(run.path)), context) : []),
    `hogctl runs verify ${isNewest ? newest : name}`,
    ...(project === undefined ? [] : [`--project ${nameOfPath(project)}`]),
    ...(host === undefined ? [] : [`--host ${nameOfPath(host)}`]),
  ].join(' ');
}

/** The same for the runs of a case. */
export function tellCase(name: string, context: Context): void {
  context.note(`Case ${name}, which holds the runs of all projects. To ask what is left in each:`);
  context.note([...placeWords(context.stateDirectory(), context), `hogctl runs verify ${name}`].join(' '));
}

/** A path as it is typed in a shell, for hints that name a run by it. */
export function nameOfPath(path: string): string {
  return /^[\w./~:@%+=-]+$/.test(path) ? path : quoteForShell(path);
}

/** What a command needs before it to find a state directory that only the environment names. */
function placeWords(
  directory: string,
  { environment, platform }: Pick<Context, 'environment' | 'platform'>,
): readonly string[] {
  const isNeeded = environment.HOGCTL_STATE_DIR !== undefined && platform !== 'win32';
  return isNeeded ? [`HOGCTL_STATE_DIR=${nameOfPath(directory)}`] : [];
}

/** The figures of an outcome: a table of those there are, or one record of all of them. */
export async function printOutcome(run: RunRecord, outcome: Outcome, context: Context): Promise<void> {
  const { output = 'table' } = context.options;
  if (output !== 'table') return context.print(outcomeRecord(run, outcome));
  const figures = outcomeLines(outcome).map(({ name, count, remark }) => ({
    figure: name,
    count,
    remark: remark ?? null,
  }));
  await context.print(figures);
  if (outcome.failures.length > 0) await context.print(failureRows(run, outcome));
}

function outcomeRecord(run: RunRecord, outcome: Outcome): Json {
  const { batches, ...rest } = outcome;
  return {
    run: run.id,
    project: run.plan.project.id,
    host: run.plan.host,
    ...outcomeFields(outcome, failureRows(run, outcome)),
    gone: rest.gone,
    withheld: rest.recreated,
    events_queued: shareOf(rest.eventsQueued) ?? null,
    events_not_queued: rest.eventsQueued?.notQueued ?? 0,
    events_not_told: rest.eventsQueued?.notTold ?? 0,
    events_unconfirmed: rest.events?.unconfirmed ?? null,
    recordings_queued: shareOf(rest.recordingsQueued) ?? null,
    recordings_not_queued: rest.recordingsQueued?.notQueued ?? 0,
    recordings_not_told: rest.recordingsQueued?.notTold ?? 0,
    batches: {
      total: batches.total,
      done: batches.done,
      unknown: batches.unknown,
      failed: batches.failed,
      not_sent: batches.notSent,
      settled: batches.settled,
    },
    verified: isVerified(run) ?? null,
    journal: formatSeal(run.seal()),
  };
}

/** The persons that the service could not delete, by the uuid it named. */
function failureRows(run: RunRecord, { failures }: Outcome) {
  const uuids = new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
  return failures.map(({ batch, person, step }) => ({
    person_uuid: person === null ? null : (uuids.get(person) ?? null),
    step,
    batch,
  }));
}

type Ending = {
  /** What to call the run in hints. */
  readonly name: string;
  readonly ignoreMissing?: boolean | undefined;
  /** The last error of a call, without ids. */
  readonly failure: CliError | undefined;
  /** Why the deletion of events could not be confirmed. */
  readonly unconfirmed: CliError | undefined;
  readonly signal: AbortSignal;
};

/** Throws the error that the command ends with, unless everything was done. */
export function endWith(outcome: Outcome, ending: Ending): void {
  const { kind, status, verdict } = outcome;
  if (kind === undefined && ending.unconfirmed !== undefined) throw notConfirmed(ending.unconfirmed, ending);
  const isMissing = verdict === 'nobody found' || isMissingOnly(outcome);
  if (kind === undefined || (isMissing && ending.ignoreMissing)) return;
  const { hint, message } =
    kind === 'interrupted' ? interruption(outcome, ending) : incompleteness(outcome, ending);
  throw new CliError(kind, message, { hint, status });
}

/** All was sent and answered, so the code of the look by itself would say too little, or that no person was there. */
function notConfirmed(failure: CliError, { name }: Ending): CliError {
  const kind = failure.kind === 'interrupted' ? failure.kind : 'partial';
  const message = `everything was sent, but the deletion of events is not confirmed: ${failure.message}`;
  const hint = `hogctl runs verify ${name} asks again`;
  return new CliError(kind, message, { hint, status: failure.status, code: failure.code, cause: failure });
}

/** Whether all that is not done is about ids without a person. */
function isMissingOnly(outcome: Outcome): boolean {
  return outcome.verdict === 'partly done' && outcome.eventsOfNobody > 0 && countsOf(outcome).length === 0;
}

type Said = { readonly message: string; readonly hint: string | undefined };

function interruption({ batches, verdict }: Outcome, { name, signal }: Ending): Said {
  const how = signal.reason === 'SIGTERM' ? 'terminated' : 'interrupted';
  const parts = [
    `${batches.done} of ${counted(batches.total, 'call')} done`,
    `${batches.unknown} in flight without an answer`,
    ...(batches.failed > 0 ? [`${batches.failed} failed`] : []),
    `${batches.notSent} not sent`,
  ];
  const hint = verdict === 'stopped' ? `hogctl runs resume ${name} sends what is left` : undefined;
  return { message: `${how}: ${parts.join(', ')}`, hint };
}

function incompleteness(outcome: Outcome, { name, failure }: Ending): Said {
  const { verdict, stopped, unknown, refused, notSent } = outcome;
  if (verdict === 'nobody found') {
    const hint = 'check that the ids are of the right kind; --ignore-missing makes this a success';
    const isUnsent = outcome.leftOut > 0 && outcome.batches.total === 0;
    return {
      message: isUnsent ? 'no person has one of these ids' : 'the service found none of these persons',
      hint,
    };
  }
  if (isMissingOnly(outcome)) {
    const { eventsOfNobody: count } = outcome;
    const message = `all persons that were found are done, but ${counted(count, 'id')} without a person may have events, which no call deletes`;
    return { message, hint: '--ignore-missing makes this a success; hogctl query can count their events' };
  }
  const isOpen = unknown + refused + notSent > 0;
  const cause = isOpen ? failure : undefined;
  const start = stopped === undefined ? 'the run is not complete' : `the run stopped (${stopped})`;
  const counts = countsOf(outcome).join(', ');
  const message = [cause?.message, counts ? `${start}: ${counts}` : start].filter(Boolean).join('; ');
  const resume = `hogctl runs resume ${name} sends what is left`;
  const openHint = [cause?.hint, resume].filter(Boolean).join('; then ');
  return { message, hint: isOpen ? openHint : closedHint(outcome, name) };
}

/** What there is to do if nothing is left to send. */
function closedHint({ failures, beyond, failed, notDeleted }: Outcome, name: string): string | undefined {
  if (failures.some(({ person }) => person !== null))
    return `hogctl runs resume ${name} tries them again; with --failed <file> it writes their ids`;
  if (beyond > 0)
    return `ask the support of the service what was deleted; hogctl runs report ${name} says what was sent`;
  return failed + notDeleted > 0 ? `hogctl runs verify ${name} asks who is left` : undefined;
}

function countsOf(outcome: Outcome): readonly string[] {
  const { failed, notDeleted, beyond, unknown, refused, notSent, recreated } = outcome;
  const { events, eventsQueued, recordingsQueued } = outcome;
  const unconfirmed = events?.unconfirmed ?? 0;
  const notQueued = (what: string, count = 0): Told => [
    count,
    `the service did not queue the deletion of the ${what} of ${counted(count, 'person')}`,
  ];
  return tellCounts([
    [failed, `${counted(failed, 'person')} could not be deleted`],
    [notDeleted, `${counted(notDeleted, 'person')} found but neither deleted nor queued`],
    [beyond, `the service counted ${counted(beyond, 'person')} more than ids were sent`],
    [unknown, `the outcome of ${counted(unknown, 'id')} is unknown`],
    [refused, `nothing was done for ${counted(refused, 'id')}`],
    [notSent, `nothing was sent for ${counted(notSent, 'id')}`],
    [recreated, `${counted(recreated, 'person')} spared, since they may have come after the first sending`],
    notQueued('events', eventsQueued?.notQueued),
    notQueued('recordings', recordingsQueued?.notQueued),
    [unconfirmed, `the event deletion of ${counted(unconfirmed, 'person')} is not confirmed`],
  ]);
}

/** What is said of so many, unless there are none. */
type Told = readonly [count: number, text: string];

export function tellCounts(lines: readonly Told[]): readonly string[] {
  return lines.flatMap(([count, text]) => (count > 0 ? text : []));
}

/** One figure of an outcome in words, the same for the terminal and the report. */
type OutcomeLine = { readonly name: string; readonly count: number; readonly remark?: string };

/** The figures of an outcome that there are. Nothing is called deleted or queued that the service did not call so. */
export function outcomeLines(outcome: Outcome): readonly OutcomeLine[] {
  const lines: readonly (OutcomeLine | undefined)[] = [
    { name: 'ids asked for', count: outcome.asked },
    some('repeats dropped', outcome.repeats),
    { name: 'different ids', count: outcome.unique },
    { name: 'sent and answered', count: outcome.sent },
    told('persons found', outcome.found),
    told('deleted', outcome.deleted),
    told('queued for deletion', outcome.queued),
    some('failed', outcome.failed, 'the service named these persons and the step'),
    some('not in this run', outcome.notInRun, 'of those failed: persons not asked for; nothing was sent'),
    some('neither deleted nor queued', outcome.notDeleted, 'found, and the service does not say why'),
    some('not found again', outcome.notFoundAgain, 'failed, and gone after an answer that was lost'),
    some('beyond what was sent', outcome.beyond, 'the service counted more persons than ids'),
    some('not accounted for', outcome.notAccountedFor, 'sent minus found'),
    some('accepted', outcome.accepted, 'answered as a success, without figures'),
    some('outcome unknown', outcome.unknown, 'the answer was lost; resume the run'),
    some('refused', outcome.refused, 'known not to have been carried out'),
    some('not sent', outcome.notSent),
    some('ids without a person', outcome.leftOut - outcome.samePerson, 'when they were looked up; not sent'),
    some('further ids', outcome.samePerson, 'of persons who are sent by another id'),
    some('gone when looked up', outcome.gone),
    some('withheld', outcome.recreated, 'may have come after the first sending'),
    some('batches settled', outcome.batches.settled, 'an answer was lost; the last one counts'),
    ...queuedLines('events', outcome.eventsQueued),
    ...queuedLines('recordings', outcome.recordingsQueued),
    some('events without a person', outcome.eventsOfNobody, 'ids; their events stay, if there are any'),
    some('events unconfirmed', outcome.events?.unconfirmed ?? 0, 'not in the deletion status'),
  ];
  return lines.flatMap((line) => line ?? []);
}

/** The persons of a further deletion: a request that was taken on, or not, or of which the service said nothing. */
function queuedLines(what: string, queued: Queued | undefined): readonly (OutcomeLine | undefined)[] {
  if (queued === undefined) return [];
  return [
    some(`${what} queued`, queued.queued, `persons whose ${what} the service says it will delete`),
    some(`${what} not queued`, queued.notQueued, `persons whose ${what} the service says it will not delete`),
    some(`${what} not told`, queued.notTold, `persons of whose ${what} the service says nothing`),
  ];
}

/** What to say about the events of a run: a request, not a deletion. */
function eventsSentence(last: LastAnswer): string {
  const { at, clock } = eventsNotBefore(last);
  const [date = ''] = at.split('T');
  return `the deletion of events was requested; it does not run before Sunday ${date}, 05:00 UTC, by ${clock}`;
}

/** The same for a run; nothing if no events can go by it any more, since a day to come would contradict that. */
export function findEventsSentence(run: RunRecord): string | undefined {
  const last = run.plan.flags.deleteEvents ? lastAnswer(run.state()) : undefined;
  if (last === undefined) return undefined;
  const state = eventsWord(run) ?? 'gone';
  return ['gone', 'not queued'].includes(state) ? undefined : eventsSentence(last);
}

function some(name: string, count: number, remark?: string): OutcomeLine | undefined {
  if (count === 0) return undefined;
  return remark === undefined ? { name, count } : { name, count, remark };
}

function told(name: string, count: number | undefined): OutcomeLine | undefined {
  return count === undefined ? undefined : { name, count };
}

export function asSentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

import { dirname } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { Json } from '../../json/kinds.ts';
import { nameOfPath } from '../../system/text.ts';
import { findEventsSentence, isVerified } from '../proof/verdict.ts';
import { runsDirectory } from '../record/directory.ts';
import { formatSeal } from '../record/journal.ts';
import { findNewest, newest, type RunRecord } from '../record/open.ts';
import { asSentence, type Outcome, outcomeLines, shareOf } from '../record/outcome.ts';
import { eventsOfNobody, staysSentence } from '../record/plan.ts';
import { failedIn, partsOf } from '../record/state.ts';
import { outcomeFields } from './json.ts';

type Shown = {
  /** What to call the run. */
  readonly name: string;
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
  const events = run.plan.flags.deleteEvents ? findEventsSentence(run) : undefined;
  if (events !== undefined) context.note(`Events: ${events}.`);
  tellRun(run, shown, context);
}

/** What stays by the flags, the name of the run, and on a line of its own the command that comes next. */
export function tellRun(run: RunRecord, { name, isPart }: Shown, context: Context): void {
  for (const stays of [staysSentence(run.plan.flags), eventsOfNobody(run.plan)])
    if (stays !== undefined) context.note(asSentence(stays));
  const named = `Run ${run.id}, journal ${formatSeal(run.seal())}.`;
  if (isPart) context.note(named);
  else context.note(`${named} To ask what is left:`);
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
  await context.print(outcomeLines(outcome));
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
  const uuids = failedPersons(run);
  return failures.map(({ batch, person, step }) => ({
    person_uuid: person === null ? null : (uuids.get(person) ?? null),
    step,
    batch,
  }));
}

/** The UUIDs of those persons by how they appear in the record; none once it has lost its ids. */
function failedPersons(run: RunRecord): ReadonlyMap<string, string> {
  const parts = run.hasIds ? partsOf(run.state()).filter((part) => failedIn(part).size > 0) : [];
  const uuids = parts.flatMap(({ from, count }) =>
    run.entries(from, count).flatMap(({ person }) => person?.uuid ?? []),
  );
  return new Map(uuids.map((uuid) => [run.memberOf('ids', uuid), uuid]));
}

import { dirname } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { CliError, counted, Unwritten } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { ClosedPipe } from '../../system/output.ts';
import { nameOfPath } from '../../system/text.ts';
import { findEventsSentence } from '../proof/events.ts';
import type { Outcome } from '../proof/outcome.ts';
import { isVerified } from '../proof/verdict.ts';
import { runsDirectory } from '../record/directory.ts';
import { findNewest, newest } from '../record/find.ts';
import { formatSeal } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import { countOpen } from '../record/state.ts';
import { knownIds } from '../sending/look.ts';
import { outcomeFields } from './json.ts';
import { eventsOfNobody, staysSentence } from './plan-words.ts';
import { asSentence, outcomeClauses, outcomeLines } from './words.ts';

type Shown = {
  /** What to call the run. */
  readonly name: string;
  /** Of a request, which tells itself what comes next. */
  readonly isPart?: boolean | undefined;
};

/** Shows how a work ended. Gives back what to end with if stdout did not take it: the work itself was done. */
export async function showEnd(name: string, show: () => Promise<void>): Promise<CliError | undefined> {
  try {
    await show();
    return undefined;
  } catch (error) {
    if (!(error instanceof Unwritten || error instanceof ClosedPipe)) throw error;
    const hint = `hogctl runs show ${name} shows it`;
    return new CliError('partial', `the outcome was not shown: ${error.message}`, { hint, cause: error });
  }
}

/** Prints what came of a run on stdout, and what to know about it on stderr. Returns what kept it from being printed. */
export async function showOutcome(
  run: RunRecord,
  outcome: Outcome,
  shown: Shown,
  context: Context,
): Promise<CliError | undefined> {
  const unshown = await showEnd(shown.name, () => printOutcome(run, outcome, context));
  const events = run.plan.flags.deleteEvents ? findEventsSentence(run) : undefined;
  if (events !== undefined) context.note(`Events: ${events}.`);
  tellRun(run, shown, context);
  return unshown;
}

/** What stays by the flags, the name of the run, and on a line of its own the command that comes next. */
export function tellRun(run: RunRecord, { name, isPart }: Shown, context: Context): void {
  for (const stays of [staysSentence(run.plan), eventsOfNobody(run.plan)])
    if (stays !== undefined) context.note(asSentence(stays));
  const named = `Run ${run.id}.`;
  // If people are left to be sent, that comes first, and the error says how.
  const isOpen = countOpen(run.tally()) > 0;
  context.note(isPart || isOpen ? named : `${named} To ask what is left:`);
  if (!isPart && !isOpen) context.note(verifyCommand(run, name, context));
}

/** To be copied into any shell: it repeats what only this command line, or its environment, said. */
function verifyCommand(run: RunRecord, name: string, context: Context): string {
  const { project, host } = context.options;
  const isKept = name === run.id;
  const isNewest = isKept && findNewest(runsDirectory(context.stateDirectory()), context) === run.path;
  return [
    ...(isKept ? placeWords(dirname(dirname(run.path)), context) : []),
    `hogctl runs verify ${isNewest ? newest : name}`,
    ...(project === undefined ? [] : [`--project ${nameOfPath(project)}`]),
    ...(host === undefined ? [] : [`--host ${nameOfPath(host)}`]),
  ].join(' ');
}

/** The same for the runs of a request. */
export function tellRequest(name: string, context: Context): void {
  context.note(`Request ${name}, with a run for each project. To ask what is left in each:`);
  context.note([...placeWords(context.stateDirectory(), context), `hogctl runs verify ${name}`].join(' '));
}

/** What a command needs before it to find a state directory that only the environment names. */
function placeWords(
  directory: string,
  { system: { environment, platform } }: Pick<Context, 'system'>,
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
  return {
    run: run.id,
    project: run.plan.project.id,
    host: run.plan.host,
    ...outcomeFields(outcome, failureRows(run, outcome)),
    verified: isVerified(run) ?? null,
    journal: formatSeal(run.seal()),
  };
}

/** The persons that the service could not delete, by their UUID. */
function failureRows(run: RunRecord, { failures }: Outcome) {
  const uuidOf = (batch: number, member: string | null) =>
    member === null || !run.hasIds ? undefined : knownIds(run, batch).get(member)?.id;
  return failures.map(({ batch, person, step }) => ({
    person_uuid: uuidOf(batch, person) ?? null,
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
  /** Whether nobody is open but persons who are not there as planned. */
  readonly isAllSpared: boolean;
  /** How the ids are planned again. */
  readonly again: string;
  readonly signal: AbortSignal;
};

/** Throws the error that the command ends with, unless everything was done. */
export function endWith(outcome: Outcome, ending: Ending): void {
  const { kind, status } = outcome;
  if (kind === undefined) return;
  const { hint, message } =
    kind === 'interrupted' ? interruption(outcome, ending) : incompleteness(outcome, ending);
  throw new CliError(kind, message, { hint, status });
}

type Said = { readonly message: string; readonly hint: string | undefined };

function interruption({ calls, verdict }: Outcome, { name, signal }: Ending): Said {
  const how = signal.reason === 'SIGTERM' ? 'terminated' : 'interrupted';
  const parts = [
    `${calls.done} of ${counted(calls.total, 'call')} done`,
    `${calls.unknown} in flight without an answer`,
    ...(calls.failed > 0 ? [`${calls.failed} failed`] : []),
    `${calls.notSent} not sent`,
  ];
  const hint = verdict === 'stopped' ? `hogctl runs resume ${name} sends what is left` : undefined;
  return { message: `${how}: ${parts.join(', ')}`, hint };
}

function incompleteness(outcome: Outcome, ending: Ending): Said {
  const { name, failure, isAllSpared, again } = ending;
  const { verdict, stopped, nobody } = outcome;
  if (verdict === 'nobody found') {
    const hint = 'check that the ids are of the right kind; --ignore-missing makes this a success';
    return { message: 'no person has any of these ids', hint };
  }
  const clauses = outcomeClauses(outcome);
  if (clauses.length === 0 && nobody > 0) {
    const message = `all persons found are done, but ${counted(nobody, 'id')} without a person may have events, which no call deletes`;
    return { message, hint: '--ignore-missing makes this a success; hogctl query can count their events' };
  }
  const isOpen = outcome.unknown + outcome.refused + outcome.notSent + outcome.failed > 0;
  const cause = outcome.unknown + outcome.refused + outcome.notSent > 0 ? failure : undefined;
  const start = stopped === undefined ? 'the run is not complete' : `the run stopped (${stopped})`;
  const message = [cause?.message, clauses.length > 0 ? `${start}: ${clauses.join(', ')}` : start]
    .filter(Boolean)
    .join('; ');
  const resume = isAllSpared
    ? `hogctl runs verify ${name} says who is there now; ${again}`
    : `hogctl runs resume ${name} sends what is left`;
  const openHint = [cause?.hint, resume].filter(Boolean).join('; then ');
  return { message, hint: isOpen ? openHint : closedHint(outcome, ending) };
}

/** What there is to do if nothing is left to send. */
function closedHint(
  { beyond, doubtful, odd, answered }: Outcome,
  { name, again }: Ending,
): string | undefined {
  if (beyond > 0)
    return `ask the support of the service what was deleted; hogctl runs report ${name} says what was sent`;
  if (answered > 0) return `hogctl runs verify ${name} asks who is left`;
  if (doubtful > 0) return again;
  return odd > 0 ? 'correct these lines and give them in a file of their own' : undefined;
}

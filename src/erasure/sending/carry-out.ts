import { dirname } from 'node:path';
import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, changed, foreseen, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { persons } from '../../service/persons.ts';
import { quoteForShell } from '../../system/text.ts';
import type { carryingOptions } from '../options.ts';
import { checkEvents, findEventsSentence, isVerified, readEventDeletions } from '../proof/verdict.ts';
import { runsDirectory } from '../record/directory.ts';
import { findAnswer, formatSeal, toBatchAnswer } from '../record/journal.ts';
import { findNewest, newest, type Run, type RunRecord } from '../record/open.ts';
import { asSentence, type Outcome, outcomeLines, reconcile, shareOf } from '../record/outcome.ts';
import { eventsOfNobody, staysSentence } from '../record/plan.ts';
import { partsOf, stateOf, tasksOf } from '../record/state.ts';
import { endWith } from '../report/error.ts';
import { outcomeFields } from '../report/json.ts';
import { type ReceiptInput, writeFailed, writeReceipt } from '../report/receipt.ts';
import { makeLookUpOfGone } from './look-again.ts';
import { type RunOptions, runPlan, type Send, wireFlags } from './run.ts';

export type CarryOutOptions = Omit<OptionsInput<typeof carryingOptions>, 'receipt'> & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly answered?: ReceiptInput | undefined;
  readonly includeRecreated?: boolean | undefined;
  readonly isPart?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, options: CarryOutOptions, context: Context): Promise<void> {
  const { outcome, failure, unconfirmed } = await carryOut(run, options, context).catch((error: unknown) => {
    throw nameRun(error, options.name, context);
  });
  const isDone = outcome.verdict === 'done' && unconfirmed === undefined;
  const isDropping = isDone && options.dropIds === true;
  await showOutcome(run, outcome, { ...options, isDropping }, context);
  const { failed, answered } = options;
  // The outcome comes first, so what stopped a file is told and kept.
  const unwritten = [
    failed ? await failureOf(() => writeFailed(failed, run, context)) : undefined,
    answered && (await failureOf(() => writeReceipt(answered, run, context))),
  ].flatMap((error) => error ?? []);
  for (const { message } of unwritten) context.warn(`warning: ${message}`);
  if (isDropping) dropIds(run, options.name);
  if (!isDone) endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  const [first] = unwritten;
  if (first === undefined) return;
  throw new CliError('partial', `everything was sent, but ${first.message}`, {
    hint: `hogctl runs resume ${options.name} writes it again, with --failed, or with --from, --as and --receipt`,
    cause: first,
  });
}

/** All is done by then, so the code of what stopped it would say too little. */
function dropIds(run: Run, name: string): void {
  try {
    run.dropIds();
  } catch (error) {
    const { message } = foreseen(error);
    throw new CliError('partial', `everything was done, but the ids stay in the record: ${message}`, {
      hint: `make room on the disk, then run hogctl runs verify ${name}; it removes the ids once all is done`,
      cause: error,
    });
  }
}

/** What is no bug of ours, if a work ends with it. */
async function failureOf(work: () => Promise<unknown>): Promise<CliError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return foreseen(error);
  }
}

/** Sends what is not known to be done, shows how far it is, and confirms event deletion if the service tells. */
async function carryOut(run: Run, carrying: CarryOutOptions, context: Context) {
  const { dialect } = await context.settings();
  const unsent = partsOf(run.state()).filter(({ sending }) => stateOf(sending) !== 'done');
  const total = unsent.reduce((sum, { count }) => sum + count, 0);
  const progress = context.progress({ label: 'ids', total, kind: carrying.progress });
  const { send, failure } = await makeSend(context);
  try {
    const onProgress: RunOptions['onProgress'] = ({ answered, failed }) =>
      progress.update(answered + failed, { failed });
    const lookUp: RunOptions['lookUp'] = (onTime) => makeLookUpOfGone(context, onTime);
    await runPlan(run, { ...carrying, send, lookUp, onProgress }, context);
  } finally {
    progress.end();
  }
  const confirms = dialect === 'live' && run.plan.flags.deleteEvents && tasksOf(run.state()).length === 0;
  // The deletions are done by now: a look that fails must not read as if they were not.
  const confirm = () => checkEvents(run, () => readEventDeletions(run, context));
  const unconfirmed = confirms ? await failureOf(confirm) : undefined;
  return { outcome: reconcile(run), failure: failure(), unconfirmed };
}

/** Milliseconds for one bulk deletion unless `--timeout` says otherwise: the service does the work in the request. */
const BULK_TIMEOUT = 300_000;

/**
 * Sends one batch as one bulk deletion, one list per call. The journal keeps kind and status of a failure only; what the
 * service said of the last one is kept for the person at the terminal.
 */
async function makeSend(context: Context): Promise<{ send: Send; failure: () => CliError | undefined }> {
  const client = await context.client();
  const timeout = context.options.timeout === undefined ? BULK_TIMEOUT : undefined;
  let failure: CliError | undefined;
  const send: Send = async ({ kind, ids, flags }, listeners) => {
    const list = kind === 'ids' ? { ids } : { distinct_ids: ids };
    const input = { ...list, ...wireFlags(flags) };
    try {
      return toBatchAnswer(await client.call(persons.bulkDelete, input, { timeout, ...listeners }));
    } catch (thrown) {
      if (thrown instanceof CliError && findAnswer(thrown) === undefined) failure = maskIds(thrown, ids);
      throw thrown;
    }
  };
  return { send, failure: () => failure };
}

/** The same error, with each of the ids in its message replaced: the service may quote the ones that it refuses. */
function maskIds(error: CliError, ids: readonly string[]): CliError {
  const { kind, hint, status, code, outcome, cause } = error;
  let message = error.message;
  // The longest first, so that an id within another one leaves nothing of it behind.
  for (const id of [...ids].sort((left, right) => right.length - left.length)) {
    if (id === String(status) || !message.includes(id)) continue;
    const pattern = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu');
    message = message.replace(whole, '(an id)');
  }
  return new CliError(kind, message, { hint, status, code, outcome, cause });
}

type Shown = {
  /** What to call the run. */
  readonly name: string;
  /** Whether the ids go from the record next. */
  readonly isDropping?: boolean;
  /** Of a case, which tells itself what comes next. */
  readonly isPart?: boolean | undefined;
};

/** Prints what came of a run on stdout, and what to know about it on stderr. */
async function showOutcome(run: RunRecord, outcome: Outcome, shown: Shown, context: Context): Promise<void> {
  await printOutcome(run, outcome, context);
  const events = run.plan.flags.deleteEvents ? findEventsSentence(run) : undefined;
  if (events !== undefined) context.note(`Events: ${events}.`);
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
  const uuids = new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
  return failures.map(({ batch, person, step }) => ({
    person_uuid: person === null ? null : (uuids.get(person) ?? null),
    step,
    batch,
  }));
}

type FileOptions = Partial<
  Readonly<Record<'from' | 'except', readonly string[] | undefined>> &
    Readonly<Record<'failed' | 'receipt' | 'skipOdd', string | undefined>>
>;

/**
 * Tries the files that a command is to write, unless it is a dry run. Throws a usage error for one that cannot be
 * written, and for one that would take the place of what the command reads or writes beside it.
 */
export async function tryFiles(input: FileOptions, context: Context): Promise<void> {
  const { from = [], except = [], failed, receipt, skipOdd } = input;
  const { save } = context.options;
  const written = { '--failed': failed, '--receipt': receipt, '--skip-odd': skipOdd, '--save': save };
  if (Object.values(written).every((file) => file === undefined)) return;
  const { dryRun, files } = context;
  const named = [
    ...from.map((file) => ({ option: '--from', file })),
    ...except.map((file) => ({ option: '--except', file })),
  ];
  const known = new Map(named.map(({ option, file }) => [files.realPathOf(file), option]));
  for (const [option, file] of Object.entries(written)) {
    if (file === undefined) continue;
    const path = files.realPathOf(file);
    const other = known.get(path);
    // A device, such as /dev/null, is no file that could be lost.
    if (other !== undefined && !/^\/dev\/(?!shm\/)/.test(path))
      throw usageError(`${option} and ${other} name one file, ${file}`, 'give each a file of its own');
    known.set(path, option);
    if (!dryRun && option !== '--save') await files.tryPrivate(file);
  }
}

/**
 * What ended a run in its midst, with the name of the run and how to go on with it: nothing else has told of it by then.
 * A usage error comes before the first call and stays as it is, and so does a bug, beside which the name is told.
 */
export function nameRun(error: unknown, name: string, context: Context): unknown {
  const resume = `hogctl runs resume ${name} sends what is left`;
  if (!(error instanceof CliError)) {
    context.warn(`Run ${name}: ${resume}.`);
    return error;
  }
  if (error.kind === 'usage') return error;
  const hint = [error.hint, resume].filter(Boolean).join('; then ');
  return changed(error, { message: `run ${name}: ${error.message}`, hint });
}

/** A path as it is typed in a shell, for hints that name a run by it. */
export function nameOfPath(path: string): string {
  return /^[\w./~:@%+=-]+$/.test(path) ? path : quoteForShell(path);
}

import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, usageError } from '../errors.ts';
import { persons } from '../service/persons.ts';
import {
  answerNobody,
  type Case,
  type CaseRun,
  endCase,
  failedPart,
  findCase,
  gatherOutput,
  type PartResult,
  placeText,
  refuseOneProject,
} from './case.ts';
import {
  nameRun,
  refuseOtherProject,
  requireOpenIds,
  withPeople,
  withRun,
  withRunRecord,
} from './find-run.ts';
import type { carryingOptions } from './options.ts';
import { type Outcome, reconcile } from './outcome.ts';
import { type Flags, flagsInQuestion, liveDeletionLimits, planLines, withPace } from './plan.ts';
import { checkEvents, readEventDeletions } from './proof.ts';
import {
  type AnsweredSources,
  type ReceiptInput,
  readAnswered,
  writeFailed,
  writeReceipt,
} from './receipt.ts';
import { makeLookUp } from './resolve.ts';
import type { Run } from './run.ts';
import { decideResume, runPlan } from './run-plan.ts';
import { partsOf, stateOf, tasksOf } from './run-state.ts';
import { findAnswer, type Send, toBatchAnswer } from './send.ts';
import { endWith, showOutcome, tellCase } from './show-outcome.ts';

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
  const unwritten = [
    await tryToWrite(failed && (() => writeFailed(failed, run, context)), context),
    await tryToWrite(answered && (() => writeReceipt(answered, run, context)), context),
  ].find((error) => error !== undefined);
  if (isDropping) dropIds(run, options.name);
  endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  if (unwritten === undefined) return;
  throw new CliError('partial', `everything was sent, but ${unwritten.message}`, {
    hint: `hogctl runs show ${options.name} shows what came of the run`,
    cause: unwritten,
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

/** After the run its own outcome comes first, so what stopped the file is told and kept. */
async function tryToWrite(
  write: '' | (() => Promise<void>) | undefined,
  context: Context,
): Promise<CliError | undefined> {
  if (!write) return undefined;
  try {
    return await write().then(() => undefined);
  } catch (error) {
    const failure = foreseen(error);
    context.warn(`warning: ${failure.message}`);
    return failure;
  }
}

type CarriedOut = {
  readonly outcome: Outcome;
  /** The last error that a call of this session ended with, its ids masked. */
  readonly failure: CliError | undefined;
  readonly unconfirmed: CliError | undefined;
};

/** Sends what is not known to be done, shows how far it is, and confirms event deletion if the service tells. */
async function carryOut(run: Run, carrying: CarryOutOptions, context: Context): Promise<CarriedOut> {
  const { project, host, keyLabel, dialect } = await context.settings();
  const { concurrency, rate, includeRecreated } = carrying;
  const { now, wait, signal, forcedSignal } = context;
  const unsent = partsOf(run.state()).filter(({ sending }) => stateOf(sending) !== 'done');
  const total = unsent.reduce((sum, { count }) => sum + count, 0);
  const progress = context.progress({ label: 'ids', total, kind: carrying.progress });
  let serviceTime: string | undefined;
  const keepTime = (time: string) => {
    serviceTime = time;
  };
  const { send, failure } = await makeSend(context);
  try {
    await runPlan(run, {
      send,
      lookUp: await makeLookUp(context, keepTime),
      serviceTime: () => serviceTime,
      session: { host: host.address, projectId: project.id, keyLabel },
      now,
      wait,
      signal,
      forcedSignal,
      concurrency,
      rate,
      includeRecreated,
      onProgress: ({ answered, failed }) => progress.update(answered + failed, { failed }),
    });
  } finally {
    progress.end();
  }
  const confirms = dialect === 'live' && run.plan.flags.deleteEvents && tasksOf(run.state()).length === 0;
  const unconfirmed = confirms ? await confirmEvents(run, context) : undefined;
  return { outcome: reconcile(run), failure: failure(), unconfirmed };
}

/** The deletions are done by now: a look that fails must not read as if they were not. */
async function confirmEvents(run: Run, context: Context): Promise<CliError | undefined> {
  try {
    await checkEvents(run, () => readEventDeletions(context));
    return undefined;
  } catch (failure) {
    return foreseen(failure);
  }
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
  const send: Send = async ({ kind, ids, flags }) => {
    let lost = 0;
    let serviceTime: string | undefined;
    const onLost = () => {
      lost += 1;
    };
    const onTime = (time: string) => {
      serviceTime = time;
    };
    const input = {
      ...(kind === 'ids' ? { ids } : { distinct_ids: ids }),
      delete_events: flags.deleteEvents,
      delete_recordings: flags.deleteRecordings,
      keep_person: flags.keepPerson,
    };
    try {
      const summary = await client.call(persons.bulkDelete, input, { timeout, onLost, onTime });
      return { ...toBatchAnswer(summary), lost, serviceTime };
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

export async function resumeRunOrCase(input: Resumption, context: Context): Promise<void> {
  const { run: called, ...options } = input;
  const held = findCase(called, context);
  return held === undefined ? resume(input, context) : resumeCase(held, options, context);
}

export type Resumption = AnsweredSources &
  Omit<CarryOutOptions, 'name'> & { readonly run: string; readonly takeOver?: boolean | undefined };

/** Confirms and carries out what is left of a run. Throws a usage error before anything is sent. */
export async function resume(
  { run: called, takeOver, ...options }: Resumption,
  context: Context,
): Promise<void> {
  for (const file of [options.failed, options.receipt])
    if (file !== undefined && !context.dryRun) await context.files.tryPrivate(file);
  await withRun(
    called,
    context,
    async (opened, name) => {
      await refuseOtherProject(opened, context);
      const { people, answered } = await readAnswered(opened, options, context);
      const run = await withPeople(opened, people, options, context);
      const { dialect } = await context.settings();
      const limits = dialect === 'live' ? liveDeletionLimits : undefined;
      for (const line of planLines(withPace(run.plan, { ...options, limits }))) context.note(line);
      const { idsToResend, idsToLookUp } = decideResume(run, context.now());
      const left = idsToResend + idsToLookUp;
      // The client answers a dry run itself, which would be written down as done.
      if (context.dryRun) return context.print([{ run: run.id, ids: left, looked_up_first: idsToLookUp }]);
      if (left === 0) context.note('Nothing is left to send.');
      else {
        requireOpenIds(run);
        await context.confirm({
          action: `send the ${counted(left, 'id')} of run ${run.id} that ${left === 1 ? 'is' : 'are'} left${flagsInQuestion(run.plan.flags)}`,
          type: String(left),
        });
      }
      await carryOutAndShow(run, { ...options, name, answered }, context);
    },
    { takeOver },
  );
}

/** Asks once for all of them. What keeps one from going on must not keep the others. */
async function resumeCase(held: Case, options: Omit<Resumption, 'run'>, context: Context): Promise<void> {
  refuseOneProject(context);
  if (options.failed !== undefined)
    throw usageError('--failed is for one run', 'name one run of the case; hogctl runs list shows them');
  const agreed = await confirmRuns(held, context);
  const ignoreMissing = options.ignoreMissing === true || held.ignore_missing;
  const gathering = gatherOutput(context);
  const results: PartResult[] = [];
  for (const { run, ...place } of held.runs) {
    const stored = context.forProject({ ...place, name: place.project });
    const there = onlyAgreed(gathering.within(place.project, stored), agreed.get(run ?? '') ?? 0);
    if (run !== null) context.note(`${placeText(place.project, place)}:`);
    const part = { ...options, ignoreMissing, isPart: true };
    results.push(await resumePart({ run, ...place }, part, { there, context }));
  }
  await gathering.flush();
  if (!context.dryRun) tellCase(held.case, context);
  const hint = `hogctl runs resume ${held.case} sends what is left in each`;
  endCase(results, { hint, ignoreMissing: options.ignoreMissing }, context);
}

async function resumePart(
  { run, project: name }: CaseRun,
  options: Omit<Resumption, 'run'>,
  { there, context }: { readonly there: Context; readonly context: Context },
): Promise<PartResult> {
  if (run === null) {
    if (!there.dryRun) await answerNobody(options, there);
    return { name, state: 'nobody' };
  }
  if (there.signal.aborted) return { name, state: 'not begun' };
  const isNobody = () =>
    withRunRecord(run, there, async (record) => reconcile(record).verdict === 'nobody found');
  try {
    await resume({ run, ...options }, there);
    return { name, state: (await isNobody()) ? 'nobody' : 'done' };
  } catch (error) {
    const isMissing = error instanceof CliError && error.kind === 'not-found' && (await isNobody());
    return isMissing ? { name, state: 'nobody' } : failedPart(name, error, context);
  }
}

/** The context of a run of which no more ids are sent than the question told: its record may have changed since. */
function onlyAgreed(there: Context, ids: number): Context {
  return {
    ...there,
    confirm: async (question) => {
      if (question.local || Number(question.type) <= ids) return there.confirm(question);
      throw new CliError('refused', 'more ids are left than you agreed to, so nothing was sent', {
        hint: 'run the command again to see the new number',
      });
    },
  };
}

/** Tells what is left in each, and returns it by run; nothing is asked if nothing is left. */
async function confirmRuns(held: Case, context: Context): Promise<ReadonlyMap<string, number>> {
  const agreed = new Map<string, number>();
  // The runs of a case have the same.
  let flags: Flags | undefined;
  const lines: string[] = [];
  const several: { readonly name: string; readonly mustName: boolean }[] = [];
  for (const { run, ...place } of held.runs) {
    const one = run === null ? undefined : await leftOf(run, context);
    const what = one === undefined ? 'cannot be read' : `${counted(one.left, 'id')} left`;
    lines.push(`  ${placeText(place.project, place)}: ${run === null ? 'nobody' : what}`);
    if (run === null || one === undefined || one.left === 0) continue;
    flags = one.flags;
    agreed.set(run, one.left);
    several.push({ name: place.project, mustName: await isProtected(place, context) });
  }
  if (flags === undefined || context.dryRun) return agreed;
  const count = [...agreed.values()].reduce((sum, left) => sum + left, 0);
  const action = `send what is left of ${held.case}${flagsInQuestion(flags)}:\n${lines.join('\n')}`;
  await context.confirm({ action, type: String(count), several });
  return agreed;
}

/** Nothing for a record that cannot be read, which is told when it is its turn. */
async function leftOf(name: string, context: Context): Promise<{ flags: Flags; left: number } | undefined> {
  try {
    return await withRunRecord(name, context, async (run) => {
      const { idsToResend, idsToLookUp } = decideResume(run, context.now());
      return { flags: run.plan.flags, left: idsToResend + idsToLookUp };
    });
  } catch (error) {
    foreseen(error);
    return undefined;
  }
}

/** A project whose key is gone is sent nothing, so that it need not be named. */
async function isProtected({ id, project: name, host }: Omit<CaseRun, 'run'>, context: Context) {
  try {
    return (await context.forProject({ id, name, host }).settings()).project.protected;
  } catch (error) {
    foreseen(error);
    return false;
  }
}

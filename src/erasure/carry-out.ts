import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { persons } from '../service/persons.ts';
import type { IdKind } from './entries.ts';
import { checkEvents, readEventDeletions } from './event-proof.ts';
import { nameRun, refuseOtherProject, withRun } from './find-run.ts';
import type { carryingOptions } from './options.ts';
import { type Outcome, reconcile } from './outcome.ts';
import { flagsInQuestion, liveDeletionLimits, planLines, withPace } from './plan.ts';
import { type AnsweredSources, type ReceiptInput, readAnswered, writeReceipt } from './receipt.ts';
import { makeLookUp, progressKind } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { runPlan } from './run-plan.ts';
import type { Part } from './run-state.ts';
import { partsOf, stateOf } from './run-state.ts';
import { findAnswer, type Send, toBatchAnswer } from './send.ts';
import { endWith, showOutcome } from './show-outcome.ts';
import { decideResume, plannedPersons, requireOpenIds, tasksOf, withPeople } from './tasks.ts';

export type CarryOutOptions = Omit<OptionsInput<typeof carryingOptions>, 'receipt'> & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly answered?: ReceiptInput | undefined;
  readonly includeRecreated?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, options: CarryOutOptions, context: Context): Promise<void> {
  const { outcome, failure, unconfirmed } = await carryOut(run, options, context).catch((error: unknown) => {
    throw nameRun(error, options.name, context);
  });
  const isDone = outcome.verdict === 'done' && unconfirmed === undefined;
  const isDropping = isDone && options.dropIds === true;
  await showOutcome(run, outcome, { name: options.name, isDropping }, context);
  const { failed, answered } = options;
  const unwritten = [
    await tryToWrite(failed && (() => writeFailed(failed, run, context)), context),
    await tryToWrite(answered && (() => writeReceipt(answered, run, context)), context),
  ].find((error) => error !== undefined);
  if (isDropping) dropIds(run, options.name);
  endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  if (unwritten !== undefined) throw notWritten(unwritten, options.name);
}

/** All is done by then, so the code of what stopped it would say too little. */
function dropIds(run: Run, name: string): void {
  try {
    run.dropIds();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `everything was done, but the ids stay in the record: ${error.message}`, {
      hint: `make room on the disk; hogctl runs verify ${name} removes them when it holds`,
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
    if (!(error instanceof CliError)) throw error;
    context.warn(`warning: ${error.message}`);
    return error;
  }
}

function notWritten(cause: CliError, name: string): CliError {
  return new CliError('partial', `everything was sent, but ${cause.message}`, {
    hint: `hogctl runs show ${name} shows what came of the run`,
    cause,
  });
}

type CarriedOut = {
  readonly outcome: Outcome;
  /** The last error that a call of this session ended with, its ids masked. */
  readonly failure: CliError | undefined;
  /** Why the deletion of events could not be confirmed, though all was sent. */
  readonly unconfirmed: CliError | undefined;
};

/** Sends what is not known to be done, shows how far it is, and confirms event deletion where the service tells. */
async function carryOut(run: Run, carrying: CarryOutOptions, context: Context): Promise<CarriedOut> {
  const { project, host, keyLabel, dialect } = await context.settings();
  const { concurrency, rate, includeRecreated } = carrying;
  const { now, wait, signal, forcedSignal } = context;
  const total = idsToSend(run);
  const progress = context.progress({ label: 'ids', total, kind: progressKind(carrying, context) });
  let serviceTime: string | undefined;
  const keepTime = (time: string) => {
    serviceTime = time;
  };
  const { send, failure } = keepFailure(await makeSend(context));
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
    if (failure instanceof CliError) return failure;
    throw failure;
  }
}

/** The journal keeps kind and status alone; what the service said is for whoever sits there. */
function keepFailure(send: Send): { readonly send: Send; readonly failure: () => CliError | undefined } {
  let last: CliError | undefined;
  return {
    failure: () => last,
    send: async (batch, options) => {
      try {
        return await send(batch, options);
      } catch (thrown) {
        const isFailure = thrown instanceof CliError && findAnswer(thrown) === undefined;
        if (isFailure) last = maskIds(thrown, batch.ids);
        throw thrown;
      }
    },
  };
}

function idsToSend(run: Run): number {
  return partsOf(run.state())
    .filter(({ sending }) => stateOf(sending) !== 'done')
    .reduce((sum, { count }) => sum + count, 0);
}

/** Milliseconds for one bulk deletion unless `--timeout` says otherwise: the service does the work in the request. */
const BULK_TIMEOUT = 300_000;

/** Sends one batch as one bulk deletion, one list per call. */
async function makeSend(context: Context): Promise<Send> {
  const client = await context.client();
  const timeout = context.options.timeout === undefined ? BULK_TIMEOUT : undefined;
  return async ({ kind, ids, flags }) => {
    let lost = 0;
    let serviceTime: string | undefined;
    const summary = await client.call(
      persons.bulkDelete,
      {
        ...(kind === 'ids' ? { ids } : { distinct_ids: ids }),
        delete_events: flags.deleteEvents,
        delete_recordings: flags.deleteRecordings,
        keep_person: flags.keepPerson,
      },
      {
        timeout,
        onLost: () => {
          lost += 1;
        },
        onTime: (time) => {
          serviceTime = time;
        },
      },
    );
    return { ...toBatchAnswer(summary), lost, serviceTime };
  };
}

/** The same error, with each of the ids in its message replaced: the service may quote the ones that it refuses. */
function maskIds(error: CliError, ids: readonly string[]): CliError {
  const { kind, hint, status, code, outcome, cause } = error;
  let message = error.message;
  // The longest first, so that an id within another one leaves nothing of it behind.
  for (const id of [...ids].sort((left, right) => right.length - left.length)) {
    if (id !== String(status) && message.includes(id)) message = replaceWhole(message, id);
  }
  return new CliError(kind, message, { hint, status, code, outcome, cause });
}

function replaceWhole(text: string, id: string): string {
  const pattern = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu'), '(an id)');
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
          action: `send the ${left} ids of run ${run.id} that are left${flagsInQuestion(run.plan.flags)}`,
          type: String(left),
        });
      }
      await carryOutAndShow(run, { ...options, name, answered }, context);
    },
    { takeOver },
  );
}

type FailedId = {
  readonly kind: IdKind;
  readonly id: string;
  readonly reason: 'failed' | 'unknown' | 'not sent' | 'refused' | 'withheld';
};

/**
 * The ids that a further run would have to be given: those not known to be done, and the people that the service could
 * not delete. With `withheld` also those created since, whom a resumed run spared. They are personal
 * data. Throws a `refused` error once the ids of the run were dropped.
 */
export function* failedIds(
  run: RunRecord,
  { withheld = false }: { readonly withheld?: boolean } = {},
): Generator<FailedId> {
  let uuids: ReadonlyMap<string, string> | undefined;
  for (const part of partsOf(run.state())) {
    const state = stateOf(part.sending);
    if (state !== 'done') yield* entriesOf(run, part, state === 'failed' ? 'refused' : state);
    else if (withheld && part.sending.withheld.length > 0) yield* withheldOf(run, part);
    if (part.errors.length === 0) continue;
    uuids ??= new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
    yield* failedOf(run, part, uuids);
  }
}

/** As they are sent again: by uuid if the plan resolved them, else all ids of the part. */
function* failedOf(run: RunRecord, part: Part, uuids: ReadonlyMap<string, string>): Generator<FailedId> {
  const named = part.errors.flatMap(({ person }) => person ?? []);
  const isPlanned = named.length === 0 ? undefined : plannedPersons(run, run.entries(part.from, part.count));
  if (isPlanned === undefined) {
    if (named.length > 0) yield* entriesOf(run, part, 'failed');
    return;
  }
  for (const person of named) {
    const id = uuids.get(person);
    if (id !== undefined && isPlanned(id)) yield { kind: 'ids', id, reason: 'failed' };
  }
}

function* entriesOf(run: RunRecord, part: Part, reason: FailedId['reason']): Generator<FailedId> {
  for (const { kind, id } of run.entries(part.from, part.count)) yield { kind, id, reason };
}

function* withheldOf(run: RunRecord, part: Part): Generator<FailedId> {
  const members = new Set(part.sending.withheld);
  for (const { kind, id } of run.entries(part.from, part.count)) {
    if (members.has(run.memberOf(kind, id))) yield { kind, id, reason: 'withheld' };
  }
}

/**
 * Writes the ids to feed back in, readable by their owner only: CSV that `--from --as` takes again, a file for each kind
 * if there are several. Where nothing failed the file holds its heading alone, so that an older one is not taken for it.
 */
async function writeFailed(file: string, run: RunRecord, context: Context): Promise<void> {
  const kinds = new Map<IdKind, string[]>();
  for (const { kind, id } of failedIds(run)) {
    const ids = kinds.get(kind) ?? [];
    ids.push(id);
    kinds.set(kind, ids);
  }
  const [first = 'ids'] = run.plan.groups.map(({ kind }) => kind);
  if (kinds.size === 0) {
    await context.files.writePrivate(file, [heading(first)]);
    context.note(`No id is left to do: ${file} holds none.`);
  }
  for (const [kind, ids] of kinds) {
    const name = kinds.size > 1 ? `${file}.${kind}` : file;
    await context.files.writePrivate(name, [heading(kind), ...ids.map((id) => `${csvCell(id)}\n`)]);
    context.note(`${counted(ids.length, 'id')} to feed back in: --from ${name} --as ${kind}`);
  }
}

function heading(kind: IdKind): string {
  return kind === 'ids' ? 'id\n' : 'distinct_id\n';
}

/** Quoted always, so that every reader takes the file for CSV of one column. */
function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

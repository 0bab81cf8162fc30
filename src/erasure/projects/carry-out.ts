import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, changed, counted, foreseen } from '../../errors.ts';
import { persons } from '../../service/persons.ts';
import type { carryingOptions } from '../options.ts';
import type { Spared } from '../people/exceptions.ts';
import { reconcile } from '../proof/outcome.ts';
import { findAnswer, toBatchAnswer } from '../record/answer.ts';
import { countExcepted } from '../record/batches.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { mostPerCall } from '../record/plan.ts';
import { countOpen } from '../record/state.ts';
import { answersOf, placeOf } from '../report/answers.ts';
import { endWith, showOutcome } from '../report/end.ts';
import { notInRun, type ReceiptInput, writeReceipt } from '../report/receipt.ts';
import { planAgain } from '../report/words.ts';
import { runPlan } from '../sending/run.ts';
import { type Learned, type RunOptions, type Send, wireFlags } from '../sending/session.ts';

export type CarryOutOptions = Omit<OptionsInput<typeof carryingOptions>, 'receipt'> & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly answered?: ReceiptInput | undefined;
  readonly isPart?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, options: CarryOutOptions, context: Context): Promise<void> {
  const { ignoreMissing, answered } = options;
  const { failure, isAllSpared } = await carryOut(run, options, context).catch((error: unknown) => {
    throw nameRun(error, options.name, context);
  });
  const outcome = reconcile(run, { ignoreMissing: ignoreMissing ?? false });
  const unshown = await showOutcome(run, outcome, options, context);
  // The outcome comes first, so what stopped a file is told and kept.
  let unknown: CliError | undefined;
  const write = async (receipt: ReceiptInput) => {
    const answers = answersOf(receipt, { run, place: placeOf(run) }, context);
    unknown = notInRun(await writeReceipt(receipt, [answers], context));
  };
  const unwritten = answered && (await failureOf(() => write(answered)));
  if (unwritten !== undefined) context.warn(`warning: ${unwritten.message}`);
  endWith(outcome, { ...options, failure, isAllSpared, again: planAgain(run), signal: context.signal });
  if (unknown !== undefined) throw unknown;
  if (unshown !== undefined) throw unshown;
  if (unwritten !== undefined) throw withoutReceipt(unwritten, options.name);
}

/** What to throw if all went well but for the receipt. */
export function withoutReceipt(cause: CliError, name: string): CliError {
  return new CliError('partial', `everything was sent, but ${cause.message}`, {
    hint: `hogctl runs resume ${name} writes it again, with --from, --as and --receipt`,
    cause,
  });
}

/** What is no bug of ours, if a work ends with it. */
export async function failureOf(work: () => Promise<unknown>): Promise<CliError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return foreseen(error);
  }
}

/**
 * Sends what may be sent, and shows how far it is. Returns the last failure of a call, without ids, and whether nobody is
 * open but persons who are spared.
 */
async function carryOut(
  run: Run,
  carrying: CarryOutOptions,
  context: Context,
): Promise<{ readonly failure: CliError | undefined; readonly isAllSpared: boolean }> {
  const total = countOpen(run.tally());
  const progress = context.progress({ label: 'ids', total });
  const { send, failure } = await makeSend(context);
  try {
    const onProgress: RunOptions['onProgress'] = ({ answered, failed }) =>
      progress.update(answered + failed, { failed });
    const learned = await runPlan(run, { ...carrying, send, onProgress }, context);
    progress.end();
    tellLearned(run, learned, context);
    return { failure: failure(), isAllSpared: learned.isAllSpared };
  } finally {
    progress.end();
  }
}

/** Persons who are told by name; the counts are whole. */
const MOST_TOLD = 10;

/** Who was spared, whom the service refuses by themselves, and why people could not be looked at after their calls. */
export function tellLearned(
  run: RunRecord,
  { refused, unseen, spared, excepted, moved }: Learned,
  context: Context,
): void {
  if (spared > 0)
    context.warn(
      `warning: ${counted(spared, 'person was', 'persons were')} spared, no longer there as planned: another person may have the id now`,
    );
  tellExcepted(excepted, context);
  if (moved > 0)
    context.warn(
      `warning: ${counted(moved, 'id now leads', 'ids now lead')} to another person, who was not sent; hogctl runs verify ${run.id} names them`,
    );
  for (const { person, reason } of refused.slice(0, MOST_TOLD)) {
    const { uuid = 'a person' } = findPerson(run, person) ?? {};
    context.warn(`warning: the service refuses ${uuid}: ${reason.message}`);
  }
  if (refused.length > MOST_TOLD) context.warn(`warning: it refuses ${refused.length - MOST_TOLD} more`);
  if (unseen !== undefined)
    context.warn(`warning: hogctl could not check whether they are gone: ${unseen.message}`);
}

function findPerson(run: RunRecord, member: string) {
  for (const { from, ids } of run.state().batches)
    for (const { person } of run.entries(from, ids))
      if (person !== null && run.memberOf('ids', person.uuid) === member) return person;
  return undefined;
}

/** Ids that are replaced in what the service says: those of some calls. */
const MOST_MASKED = 2 * mostPerCall;

/** Milliseconds for one bulk deletion unless `--timeout` says otherwise: the service does the work in the request. */
const BULK_TIMEOUT = 300_000;

/**
 * Sends one batch as one bulk deletion, one list per call. The journal keeps kind and status of a failure only; what the
 * service said of the last one is kept for the person at the terminal.
 */
async function makeSend(context: Context): Promise<{ send: Send; failure: () => CliError | undefined }> {
  const client = await context.client();
  const { host: address } = new URL((await context.settings()).host.address);
  const timeout = context.options.timeout === undefined ? BULK_TIMEOUT : undefined;
  let failure: CliError | undefined;
  // The service may quote people of a call in its refusal of a half of it.
  let recent: readonly string[] = [];
  const send: Send = async ({ ids, flags }, listeners) => {
    const input = { ids, ...wireFlags(flags) };
    try {
      return toBatchAnswer(await client.call(persons.bulkDelete, input, { timeout, ...listeners }));
    } catch (thrown) {
      if (!(thrown instanceof CliError) || findAnswer(thrown) !== undefined) throw thrown;
      recent = [...new Set([...ids, ...recent])].slice(0, MOST_MASKED);
      failure = maskIds(thrown, recent, address);
      throw failure;
    }
  };
  return { send, failure: () => failure };
}

/**
 * The same error, with each of the ids in its message replaced: the service may quote the ones that it refuses. The
 * service's own address stays, whatever integers are ids.
 */
function maskIds(error: CliError, ids: readonly string[], address: string): CliError {
  // The longest first, so that an id within another one leaves nothing of it behind.
  const ordered = [...ids].sort((left, right) => right.length - left.length);
  const parts = error.message.split(address).map((part) => maskAll(part, ordered, error.status));
  return changed(error, { message: parts.join(address) });
}

function maskAll(text: string, ids: readonly string[], status: number | undefined): string {
  let masked = text;
  for (const id of ids) {
    if (id === String(status) || !masked.includes(id)) continue;
    const pattern = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu');
    masked = masked.replace(whole, '(an id)');
  }
  return masked;
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

/**
 * Writes down whom exceptions protect by now, if the record does not know it. The core lets nobody be sent who has one of
 * these ids; whoever was planned stays owed, and is told.
 */
export function exceptMore(run: Run, { spared }: Spared, { warn }: Pick<Context, 'warn'>): void {
  const known = run.core().spared;
  const all = new Set(spared.map(({ kind, id }) => run.memberOf(kind, id)));
  const members = [...all].filter((member) => !known.has(member));
  if (members.length > 0) run.append({ type: 'excepted', members });
  tellExcepted(countExcepted(run), { warn });
}

function tellExcepted(count: number, { warn }: Pick<Context, 'warn'>): void {
  if (count > 0)
    warn(
      `warning: ${counted(count, 'person of this run is', 'persons of this run are')} now excepted: not sent, and still owed`,
    );
}

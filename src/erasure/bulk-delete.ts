import type { Context } from '../cli/context.ts';
import { counted, usageError } from '../errors.ts';
import { wrapWords } from '../system/text.ts';
import { carryOutAndShow } from './carry-out.ts';
import type { SkippedLine } from './collect-ids.ts';
import { createRun, preparePlace, type RunPlace } from './create-run.ts';
import { readDeadline } from './deadline.ts';
import type { People } from './people.ts';
import { countPersons, flagsInQuestion, type Pace, planLines, withPace } from './plan.ts';
import {
  type BulkDeleteInput,
  endWithSkipped,
  type PlannedDeletion,
  planBulkDelete,
  writeSkipped,
} from './plan-deletion.ts';
import { printPlanRows, type ReceiptInput, receiptOf } from './receipt.ts';
import { stopIfAsked } from './resolve.ts';
import { findSameRun, isSameRun, openRun, type Run, type RunRecord, refuseChangedIds } from './run.ts';
import { nameOfPath } from './show-outcome.ts';

/**
 * Plans a bulk deletion, has it confirmed, writes it down and carries it out, or stops before one of these where the
 * input says so. Throws a usage error before anything is sent, and what came of the run unless all was done.
 */
export async function bulkDelete(input: BulkDeleteInput, context: Context): Promise<void> {
  readDeadline(input, context.now());
  if (!input.planOnly) context.requireConsent({ action: 'delete persons' });
  if (context.dryRun) return showPlan(input, context);
  refuseEarlyReceipt(input);
  for (const file of [input.failed, input.receipt, input.skipOdd])
    if (file !== undefined) await context.files.tryPrivate(file);
  const started = await startRun(input, context);
  if (started === undefined) return;
  const { run, answered, skipped } = started;
  const name = input.runDir === undefined ? run.id : nameOfPath(input.runDir);
  try {
    if (input.planOnly) await showPlanned(run, name, context);
    else await carryOutAndShow(run, { ...input, name, answered }, context);
  } finally {
    run.close();
  }
  endWithSkipped(skipped, input, context);
}

/** For programs a row for each line, and the plan beside it; for people the plan, or the rows with `--show-ids`. */
async function showPlan(input: BulkDeleteInput, context: Context): Promise<void> {
  const { format, columns, width } = context.outputFormat();
  const isListing = context.options.showIds === true || format !== 'table' || columns !== undefined;
  const planned = await planBulkDelete({ ...input, ...(isListing ? { lines: 'list' } : {}) }, context);
  if (planned === undefined) return;
  const lines = planLines(planned.plan, { isNew: true });
  if (isListing) {
    for (const line of lines) context.note(line);
    await printPlanRows(planned.people, context);
  }
  if (!input.ignoreMissing) refuseAddresses(planned.people);
  if (!isListing) {
    const text = lines.join('\n');
    await context.printRaw(`${width === undefined ? text : wrapWords(text, width)}\n`);
    context.note('Nothing was sent; with --show-ids there is a row for each line.');
  }
  endWithSkipped(skippedOf(planned), { ...input, lines: isListing ? 'list' : undefined }, context);
}

function skippedOf({ people }: PlannedDeletion): readonly SkippedLine[] {
  return people.flatMap(({ list }) => list.skipped ?? []);
}

type Started = {
  readonly run: Run;
  readonly answered: ReceiptInput | undefined;
  readonly skipped: readonly SkippedLine[];
};

/**
 * The ids in memory end with this function, unless a receipt needs their lines: a run reads them from its record, and
 * there may be a million.
 */
async function startRun(input: BulkDeleteInput, context: Context): Promise<Started | undefined> {
  const place: RunPlace =
    input.runDir === undefined ? { stateDirectory: context.stateDirectory() } : { directory: input.runDir };
  preparePlace(place, context);
  const lines = input.receipt === undefined ? undefined : 'keep';
  let unplanned: readonly People[] = [];
  const onNobody = (people: readonly People[]) => {
    unplanned = people;
  };
  const planned = await planBulkDelete({ ...input, lines, onNobody }, context);
  const skipped = (planned?.people ?? unplanned).flatMap(({ list }) => list.skipped ?? []);
  if (planned === undefined) {
    // Nobody of the list is to be deleted, and its other lines were left out all the same.
    if (input.skipOdd !== undefined && skipped.length > 0)
      await writeSkipped(input.skipOdd, skipped, context);
    endWithSkipped(skipped, input, context);
    return undefined;
  }
  const answered = input.receipt === undefined ? undefined : receiptOf(input.receipt, planned.people);
  if (input.skipOdd !== undefined) await writeSkipped(input.skipOdd, skipped, context);
  return { run: await openBulkRun(planned, { ...input, place }, context), answered, skipped };
}

export function refuseEarlyReceipt({ planOnly, receipt }: BulkDeleteInput): void {
  if (!planOnly || receipt === undefined) return;
  throw usageError(
    'a plan has no receipt yet',
    'leave --receipt out, and give it to hogctl runs resume with the same --from',
  );
}

/**
 * Confirms a plan and writes it down, or goes on with the run that the same command began before.
 * Throws `cancelled` or `usage` like `context.confirm`, and `usage` where the record cannot be written.
 */
async function openBulkRun(
  planned: PlannedDeletion,
  { place, planOnly, newRun, ...input }: BulkDeleteInput & { readonly place: RunPlace },
  context: Context,
): Promise<Run> {
  const { plan, people } = planned;
  const same = newRun || planOnly ? undefined : findSame(place, planned);
  if (same !== undefined) return goOn(same, input, context);
  for (const line of planLines(plan, { isNew: true })) context.note(line);
  if (!input.ignoreMissing) refuseAddresses(people);
  if (input.dropIds) context.note(`${LIST_AGAIN}.`);
  if (!planOnly) await confirmPlan(planned, input, context);
  stopIfAsked(context);
  const { now, random, owner } = context;
  return createRun(place, { now, random, owner, plan, people });
}

/** Its ids were compared already, but not whom they belong to. */
async function goOn(path: string, pace: Pace, context: Context): Promise<Run> {
  context.warn(
    `warning: the same deletion was begun before and is not done; this goes on with it (${path}), --new-run starts afresh`,
  );
  const { now, random, owner } = context;
  const run = openRun(path, { now, random, owner });
  try {
    refuseChangedIds(run);
    for (const line of planLines(withPace(run.plan, pace))) context.note(line);
    await context.confirm({ action: 'go on with that run' });
    return run;
  } catch (error) {
    run.close();
    throw error;
  }
}

function findSame(place: RunPlace, planned: PlannedDeletion): string | undefined {
  if ('stateDirectory' in place) return findSameRun(place.stateDirectory, planned);
  return isSameRun(place.directory, planned) ? place.directory : undefined;
}

/** What --drop-ids means for whoever has to prove the run later. */
export const LIST_AGAIN =
  'the ids go from the record when all is done, so runs verify needs the list again, with --from';

/** Whom a plan is about, as a question says it. */
export function describePersons({ plan, selected, addressed }: PlannedDeletion) {
  const given = addressed ? counted(addressed.addresses, 'address', 'addresses') : counted(plan.unique, 'id');
  return {
    who: plan.resolved
      ? `${counted(countPersons(plan), 'person', 'persons')} of ${given}`
      : `the persons of ${given}`,
    examples: selected ? `, for example ${selected.examples.join(', ')}` : '',
  };
}

async function confirmPlan(
  planned: PlannedDeletion,
  { dropIds }: BulkDeleteInput,
  context: Context,
): Promise<void> {
  const { plan, selected } = planned;
  const { who, examples } = describePersons(planned);
  const verb = plan.flags.keepPerson ? 'keep' : 'delete';
  const count = countPersons(plan);
  // Nobody is there to be deleted: what is written down is that somebody looked.
  if (count === 0) return;
  await context.confirm({
    action: `${verb} ${who}${flagsInQuestion(plan.flags)}${examples}${dropIds ? `; ${LIST_AGAIN}` : ''}`,
    type: String(count),
    strict: selected?.isEverybody ?? false,
  });
}

/** Says where a plan was written down, for somebody else to read and carry out; `name` is what to call the run. */
async function showPlanned(run: RunRecord, name: string, context: Context): Promise<void> {
  const { unique, calls } = run.plan;
  await context.print({ run: run.id, directory: run.path, ids: unique, calls });
  context.note(`Nothing was sent. hogctl runs resume ${name} carries out exactly this plan.`);
}

/** Throws a usage error if all distinct ids are addresses and the look-up knows none of them. */
export function refuseAddresses(people: readonly People[]): void {
  for (const { list, resolution } of people) {
    if (list.kind !== 'distinct-ids' || resolution === undefined || resolution.found > 0) continue;
    if (!list.ids.every((id) => /^[^\s@]+@[^\s@]+$/.test(id))) continue;
    throw usageError(
      `nobody has ${list.ids.length === 1 ? 'the address' : `one of the ${list.ids.length} addresses`} as a distinct id`,
      'say --as emails, or --emails, to find people by their email; nothing was sent',
    );
  }
}

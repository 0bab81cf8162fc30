import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { wrapWords } from '../system/text.ts';
import { readDeadline } from './input/deadline.ts';
import type { Listed } from './input/given.ts';
import { tryFiles } from './input/written-files.ts';
import { addressesAsIds } from './people/addresses.ts';
import { endWithSkipped, skippedOf, tellSkipped } from './people/exceptions.ts';
import { stopIfAsked } from './people/resolve.ts';
import { carryOutAndShow, exceptMore } from './projects/carry-out.ts';
import {
  type BulkDeleteInput,
  type PlannedDeletion,
  planBulkDelete,
  refuseReceipt,
} from './projects/planning.ts';
import { showUntrusted } from './projects/trust.ts';
import { countOpenBatches } from './record/batches.ts';
import { createRun, type Planned, preparePlace } from './record/create.ts';
import type { RunPlace } from './record/directory.ts';
import { findSameRun, refuseChangedIds, tellOrigin } from './record/find.ts';
import { openRun, type Run } from './record/open.ts';
import { countPersons, toFlags, withPace } from './record/plan.ts';
import { beforeRecord } from './record/unreadable.ts';
import { answersOf } from './report/answers.ts';
import { flagsInQuestion, planLines, verbInQuestion } from './report/plan-words.ts';
import { printPlanRows, receiptOf, writeReceipt } from './report/receipt.ts';

/**
 * Plans a bulk deletion, has it confirmed, writes it down and carries it out, or stops before one of these if the input
 * says so. Throws a usage error before anything is sent, and what came of the run unless all was done.
 */
export async function bulkDelete(input: BulkDeleteInput, context: Context): Promise<void> {
  readDeadline(input, context.now());
  toFlags(input);
  if (!input.planOnly) context.terminal.requireConsent({ action: 'delete persons' });
  if (!context.dryRun) refuseReceipt(input);
  await tryFiles(input, context);
  if (context.dryRun) return showPlan(input, context);
  const { run, answered, skipped, refusal } = await startRun(input, context);
  if (refusal !== undefined) throw refusal;
  if (run !== undefined) {
    try {
      if (input.planOnly) {
        const { unique: ids, calls } = run.plan;
        context.note(`Nothing was sent. hogctl runs resume ${run.id} carries out exactly this plan.`);
        await context.print({ run: run.id, directory: run.path, ids, calls });
      } else {
        // Only now, when the ids in memory can be let go.
        if (run.state().agreed === undefined) run.append({ type: 'agreed', persons: countPersons(run.plan) });
        await carryOutAndShow(run, { ...input, name: run.id, answered }, context);
      }
    } finally {
      run.close();
    }
  }
  endWithSkipped(skipped);
}

/** For programs a row for each line, and the plan beside it; for people the plan, or the rows with `--show-ids`. */
async function showPlan(input: BulkDeleteInput, context: Context): Promise<void> {
  const { format, columns, width } = context.output.format();
  const isListing = context.options.showIds === true || format !== 'table' || columns !== undefined;
  const lines = isListing ? 'list' : undefined;
  const { people, ...planned } = await planBulkDelete({ ...input, lines }, context);
  if (planned.plan === undefined) {
    if (planned.refusal !== undefined) throw planned.refusal;
    return endSkipping(people, context);
  }
  const told = planLines(planned.plan, { isNew: true });
  if (isListing) {
    for (const line of told) context.note(line);
    await printPlanRows(people, context);
  }
  const wrong = input.ignoreMissing ? undefined : addressesAsIds(people);
  if (wrong !== undefined) throw wrong;
  if (!isListing) {
    const text = told.join('\n');
    await context.output.raw(`${width === undefined ? text : wrapWords(text, width)}\n`);
    context.note('Nothing was sent. Add --show-ids to see a row for each line.');
  }
  endSkipping(people, context);
}

function endSkipping(people: readonly Listed[], context: Context): void {
  const skipped = skippedOf(people);
  tellSkipped(skipped, context);
  endWithSkipped(skipped);
}

/**
 * The ids in memory end with this function, unless a receipt needs their lines: a run reads them from its record, and
 * there may be a million.
 */
async function startRun(input: BulkDeleteInput, context: Context) {
  const { receipt } = input;
  const place = { stateDirectory: context.stateDirectory() };
  preparePlace(place, context);
  const lines = receipt === undefined ? undefined : 'keep';
  const planned = await beforeRecord(() => planBulkDelete({ ...input, lines }, context));
  const { people } = planned;
  const skipped = skippedOf(people);
  tellSkipped(skipped, context);
  const answered = receipt === undefined ? undefined : receiptOf(receipt, people);
  if (planned.plan === undefined) {
    if (answered !== undefined) {
      const { project, host } = await context.settings();
      const nobody = { run: undefined, place: { id: project.id, host: host.address } };
      await writeReceipt(answered, [answersOf(answered, nobody, context)], context);
    }
    return { run: undefined, answered: undefined, skipped, refusal: planned.refusal };
  }
  return { run: await openBulkRun(planned, { ...input, place }, context), answered, skipped };
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
  const same = newRun || planOnly ? undefined : findSameRun(place, planned, context);
  if (same !== undefined) return goOn(same, { ...input, spared: planned.spared }, context);
  for (const line of planLines(plan, { isNew: true })) context.note(line);
  const wrong = input.ignoreMissing ? undefined : addressesAsIds(people);
  if (wrong !== undefined) throw wrong;
  await beforeRecord(async () => {
    if (!planOnly) await confirmPlan(planned, context);
    stopIfAsked(context);
  });
  return createRun(place, planned, context);
}

/** Its ids were compared already, but not whom they belong to. */
async function goOn(
  path: string,
  { spared, ...pace }: BulkDeleteInput & Pick<Planned, 'spared'>,
  context: Context,
): Promise<Run> {
  const { dialect } = await context.settings();
  context.warn(
    `warning: the same deletion was begun before and is not done, so that run continues (${path}); --new-run starts a new one`,
  );
  const run = openRun(path, context);
  try {
    tellOrigin(run, context);
    refuseChangedIds(run);
    if (run.state().agreed === undefined)
      throw usageError(
        'the same deletion is planned already and not yet confirmed',
        `hogctl runs resume ${run.id} carries that plan out, and --new-run makes another; nothing was sent`,
      );
    const calls = countOpenBatches(run);
    for (const line of planLines(withPace(run.plan, { ...pace, dialect, calls }))) context.note(line);
    await showUntrusted(run, pace, context);
    await context.confirm({ action: 'continue that run' });
    exceptMore(run, spared, context);
    return run;
  } catch (error) {
    run.close();
    throw error;
  }
}

async function confirmPlan(
  { plan, who, shown, isEverybody }: PlannedDeletion,
  context: Context,
): Promise<void> {
  const count = countPersons(plan);
  // No person is to be deleted: the record says that hogctl looked.
  if (count === 0) return;
  await context.confirm({
    action: `${verbInQuestion(plan.flags)} ${who}${flagsInQuestion(plan.flags)}`,
    people: shown,
    type: String(count),
    strict: isEverybody,
  });
}

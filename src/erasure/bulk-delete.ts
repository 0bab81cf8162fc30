import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import { hasConditions } from '../semantics/person-conditions.ts';
import { wrapWords } from '../system/text.ts';
import { readDeadline } from './input/deadline.ts';
import { type Input, type Listed, readGiven, refuseFiles, type Sources } from './input/given.ts';
import { readTogether } from './input/problems.ts';
import { tryFiles } from './input/written-files.ts';
import type { bulkDeleteOptions } from './options.ts';
import { addressesAsIds, leaveOutOthers, refuseSeveral, resolveAddresses } from './people/addresses.ts';
import {
  endWithSkipped,
  leaveOut,
  NO_EXCEPTIONS,
  readExceptions,
  resolveAll,
  type Spared,
  skippedOf,
  tellSkipped,
} from './people/exceptions.ts';
import { readHolds } from './people/holds.ts';
import { resolvePeople, stopIfAsked } from './people/resolve.ts';
import { MATCHES_NOBODY, type Selection, selectPersons } from './people/selection.ts';
import { carryOutAndShow } from './projects/carry-out.ts';
import { exceptMore } from './projects/except.ts';
import { showUntrusted } from './projects/trust.ts';
import type { RunPlace } from './record/directory.ts';
import { findSameRun, refuseChangedIds, tellOrigin } from './record/find.ts';
import { createRun, openRun, type Planned, preparePlace, type Run } from './record/open.ts';
import {
  checkPlan,
  countPersons,
  type DeletionFlags,
  flagsInQuestion,
  makePlan,
  planLines,
  planningOf,
  withPace,
} from './record/plan.ts';
import { beforeRecord } from './record/unbegun.ts';
import { printPlanRows, receiptOf, writeReceipt } from './report/receipt.ts';

export type BulkDeleteInput = OptionsInput<typeof bulkDeleteOptions> &
  Selection &
  DeletionFlags &
  Pick<Sources, 'lines'> & { readonly id?: readonly string[] | undefined };

/**
 * Plans a bulk deletion, has it confirmed, writes it down and carries it out, or stops before one of these if the input
 * says so. Throws a usage error before anything is sent, and what came of the run unless all was done.
 */
export async function bulkDelete(input: BulkDeleteInput, context: Context): Promise<void> {
  readDeadline(input, context.now());
  if (!input.planOnly) context.requireConsent({ action: 'delete persons' });
  if (!context.dryRun) refuseEarlyReceipt(input);
  await tryFiles(input, context);
  if (context.dryRun) return showPlan(input, context);
  const { run, answered, skipped, refusal } = await startRun(input, context);
  if (refusal !== undefined) throw refusal;
  if (run !== undefined) {
    try {
      if (input.planOnly) {
        const { unique: ids, calls } = run.plan;
        await context.print({ run: run.id, directory: run.path, ids, calls });
        context.note(`Nothing was sent. hogctl runs resume ${run.id} carries out exactly this plan.`);
      } else await carryOutAndShow(run, { ...input, name: run.id, answered }, context);
    } finally {
      run.close();
    }
  }
  endWithSkipped(skipped);
}

/** For programs a row for each line, and the plan beside it; for people the plan, or the rows with `--show-ids`. */
async function showPlan(input: BulkDeleteInput, context: Context): Promise<void> {
  const { format, columns, width } = context.outputFormat();
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
    await context.printRaw(`${width === undefined ? text : wrapWords(text, width)}\n`);
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
  // A selection of nobody has no lines to answer.
  const answered = receipt === undefined || people.length === 0 ? undefined : receiptOf(receipt, people);
  if (planned.plan === undefined) {
    if (answered !== undefined) await writeReceipt(answered, undefined, context);
    return { run: undefined, answered: undefined, skipped, refusal: planned.refusal };
  }
  return { run: await openBulkRun(planned, { ...input, place }, context), answered, skipped };
}

export function refuseEarlyReceipt({ planOnly, receipt }: BulkDeleteInput): void {
  if (!planOnly || receipt === undefined) return;
  throw usageError(
    '--plan-only writes no receipt',
    'leave out --receipt, and give it to hogctl runs resume with the same --from',
  );
}

/** With whom it is about, as a question says it, and ten of them if they were selected. */
export type PlannedDeletion = Planned & {
  readonly who: string;
  readonly examples: string;
  readonly isEverybody: boolean;
};

const NO_ADDRESSEE = 'no person has any of these emails';

/** Reads and freezes who is to be deleted, and counts what that takes. Throws before anything is deleted. */
export async function planBulkDelete(
  input: BulkDeleteInput,
  context: Context,
): Promise<PlannedDeletion | NothingPlanned> {
  refuseFiles(input);
  const { people: given, addresses, exceptions } = await readSources(input, context);
  const isSelecting = hasConditions(input);
  refuseMixture({ hasIds: given.length > 0, hasAddresses: addresses !== undefined, isSelecting });
  if (isSelecting) refuseUnbounded(input, context);
  const read = addresses ? [{ list: addresses }] : given;
  if (read.length > 0 && areNobody(read))
    return keepAll(read, { why: 'no line is left to look up' }, input, context);
  const planning = { ...input, ...(await planningOf(input, context)) };
  const selected = isSelecting ? await selectPersons(input, context) : undefined;
  if (selected?.people.list.ids.length === 0) {
    return tellNobody(MATCHES_NOBODY, [], input, context);
  }
  const addressed = addresses && (await resolveAddresses(addresses, {}, context));
  if (addressed?.people.list.ids.length === 0)
    return tellNobody(NO_ADDRESSEE, [addressed.people], input, context);
  const foundHere = selected ?? addressed;
  const listed = foundHere ? [foundHere.people] : given;
  const lists = listed.map(({ list }) => list);
  checkPlan(lists, planning);
  const held = await resolveAll(exceptions, context);
  const {
    people: found,
    serviceTime = selected?.serviceTime,
    lookUp,
  } = await resolvePeople(listed, { withNames: input.lines === 'list' }, context);
  const current = addressed ? found.map((one) => leaveOutOthers(one, context)) : found;
  if (addressed) refuseSeveral(current, input, context);
  if (areNobody(current)) return tellNobody(NO_ADDRESSEE, current, input, context);
  const people = held === undefined ? current : leaveOut(current, held);
  if (areNobody(people))
    return keepAll(people, { why: 'all persons are excepted', spared: held }, input, context);
  const spared = held ?? NO_EXCEPTIONS;
  const plan = makePlan({ ...planning, people, spared, serviceTime, lookUp });
  const ids = addressed ? counted(addressed.addresses, 'address', 'addresses') : counted(plan.unique, 'id');
  const persons = counted(countPersons(plan), 'person', 'persons');
  return {
    plan,
    people,
    spared,
    who: `${persons} of ${ids}`,
    examples: selected ? `, for example ${selected.examples.join(', ')}` : '',
    isEverybody: selected?.isEverybody ?? false,
  };
}

/** Reads all files, and asks nothing. What is wrong with any of them is told at once. */
export async function readSources(input: BulkDeleteInput, context: Context) {
  const [given, exceptions, holds] = await readTogether([
    () => readGiven(sourcesOf(input), context),
    () => readExceptions(input, context),
    () => readHolds(input, context),
  ]);
  return { ...given, exceptions: [...exceptions, ...holds] };
}

function areNobody(people: readonly Listed[]): boolean {
  return people.every(({ list }) => list.ids.length === 0);
}

/** Conditions may match anybody, also more people than an hour ago, and with `--yes` nobody sees how many there are. */
function refuseUnbounded({ max }: BulkDeleteInput, { options, dryRun }: Context): void {
  if (max !== undefined || dryRun || !options.yes) return;
  throw usageError(
    'conditions need --max beside --yes',
    'add --max <n>, the most persons you expect; --dry-run tells how many match',
  );
}

function sourcesOf({ id: words, ...input }: BulkDeleteInput): Sources {
  if (input.from !== undefined && input.as === undefined) {
    throw usageError('--from needs --as', 'add --as emails, --as distinct-ids, or --as ids for person ids');
  }
  const { from = [], except, encoding } = input;
  const isNamed = except !== undefined || from.length > 1;
  // Without a list it is that of the exceptions.
  return { ...input, words, isNamed, encoding: from.length > 0 || !except ? encoding : undefined };
}

type Mixture = { readonly hasIds: boolean; readonly hasAddresses: boolean; readonly isSelecting: boolean };

function refuseMixture({ hasIds, hasAddresses, isSelecting }: Mixture): void {
  if (!hasIds && !hasAddresses && !isSelecting) {
    throw usageError(
      'name whom to delete',
      'give ids, --emails, --distinct-ids, --from, or a selection such as --property',
    );
  }
  if (hasAddresses && (hasIds || isSelecting))
    throw usageError('addresses cannot be combined with ids or a selection', 'run a command for each');
  if (hasIds && isSelecting)
    throw usageError('ids cannot be combined with a selection', 'run a command for each');
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
  const run = createRun(place, planned, context);
  if (!planOnly) run.append({ type: 'agreed', persons: countPersons(plan) });
  return run;
}

/** Its ids were compared already, but not whom they belong to. */
async function goOn(
  path: string,
  { spared, ...pace }: BulkDeleteInput & Pick<Planned, 'spared'>,
  context: Context,
): Promise<Run> {
  const { dialect } = await context.settings();
  context.warn(
    `warning: the same deletion was begun before and is not done; this continues it (${path}), --new-run starts again`,
  );
  const run = openRun(path, context);
  try {
    tellOrigin(run, context);
    refuseChangedIds(run);
    for (const line of planLines(withPace(run.plan, { ...pace, dialect }))) context.note(line);
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
  { plan, who, examples, isEverybody }: PlannedDeletion,
  context: Context,
): Promise<void> {
  const verb = plan.flags.keepPerson ? 'keep' : 'delete';
  const count = countPersons(plan);
  // No person is to be deleted: the record says that hogctl looked.
  if (count === 0) return;
  await context.confirm({
    action: `${verb} ${who}${flagsInQuestion(plan.flags)}${examples}`,
    type: String(count),
    strict: isEverybody,
  });
}

/** People who all stay, with their lines, and why the command fails, if it does. */
type NothingPlanned = {
  readonly plan?: undefined;
  readonly people: readonly Listed[];
  /** Whom the exceptions protect. */
  readonly spared?: Spared | undefined;
  readonly refusal?: CliError;
};

type Reason = {
  readonly why: string;
  readonly hint?: string | undefined;
  readonly spared?: Spared | undefined;
};

type Staying = Pick<Input, 'ignoreMissing'> & Pick<Sources, 'lines'>;

/** Tells why all persons stay; with a hint the command fails with that, once the lists are answered. */
async function keepAll(
  people: readonly Listed[],
  { why, hint, spared }: Reason,
  { lines }: Staying,
  context: Context,
): Promise<NothingPlanned> {
  if (lines === 'list' && people.length > 0) await printPlanRows(people, context);
  if (hint !== undefined) return { people, refusal: new CliError('not-found', why, { hint }) };
  context.note(`${why}; nothing was sent`);
  return { people, spared };
}

/** The same if no person was found: a failure, unless people may be missing. */
async function tellNobody(
  why: string,
  people: readonly Listed[],
  input: Staying,
  context: Context,
): Promise<NothingPlanned> {
  const wider = people.length > 0 ? 'hogctl persons list --search looks wider; ' : '';
  const hint = `${wider}nothing was deleted; --ignore-missing makes this a success`;
  return keepAll(people, { why, hint: input.ignoreMissing ? undefined : hint }, input, context);
}

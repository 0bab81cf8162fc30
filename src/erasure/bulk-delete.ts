import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import { hasConditions } from '../service/person-conditions.ts';
import { type AddressedPeople, countAddresses, refuseAddresses, resolveAddresses } from './addresses.ts';
import { type CarryOutOptions, carryOutAndShow } from './carry-out.ts';
import type { SkippedLine } from './collect-ids.ts';
import { checkPlace, createRun, type RunPlace } from './create-run.ts';
import { type DeadlineInput, readDeadline } from './deadline.ts';
import { findSameRun, isSameRun, nameOfPath, removeUnbegun } from './find-run.ts';
import { flagsInQuestion, liveDeletionLimits, makePlan, type Plan, planLines, planRecord } from './plan.ts';
import {
  type AddressSources,
  type IdSources,
  readAddresses,
  readPeople,
  refuseSuspiciousName,
} from './read-people.ts';
import { printPlanRows, type ReceiptInput, receiptOf } from './receipt.ts';
import { type People, type ProgressOptions, stopIfAsked } from './resolve.ts';
import { findSimilar, LOOK_AT_SIMILAR, resolvePeople } from './resolve-people.ts';
import { openRun, type Run, type RunRecord, refuseChangedIds } from './run.ts';
import { type Selected, type Selection, selectPersons } from './select-persons.ts';
import { printKnown } from './show-outcome.ts';
import { endWithSkipped, writeSkipped } from './skipped-lines.ts';

type BulkDeletion = BulkDeleteInput & BulkRunOptions & Omit<CarryOutOptions, 'name'>;

/**
 * Plans a bulk deletion, has it confirmed, writes it down and carries it out, or stops before one of these where the
 * input says so. Throws a usage error before anything is sent, and what came of the run unless all was done.
 */
export async function bulkDelete(input: BulkDeletion, context: Context): Promise<void> {
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

/** For programs a row for each line, and the plan beside it; for people the figures, or the rows with `--show-ids`. */
async function showPlan(input: BulkDeletion, context: Context): Promise<void> {
  const isListing = context.options.showIds === true || context.outputFormat().format !== 'table';
  const planned = await planBulkDelete({ ...input, ...(isListing ? { lines: 'list' } : {}) }, context);
  if (planned === undefined) return;
  if (!isListing) {
    if (!input.ignoreMissing) refuseAddresses(planned.people);
    await printKnown(planRecord(planned.plan), context);
    return endWithSkipped(skippedOf(planned), input, context);
  }
  for (const line of planLines(planned.plan, { isNew: true })) context.note(line);
  await printPlanRows(planned.people, context);
  if (!input.ignoreMissing) refuseAddresses(planned.people);
  endWithSkipped(skippedOf(planned), input, context);
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
async function startRun(input: BulkDeletion, context: Context): Promise<Started | undefined> {
  const { now, random, owner } = context;
  const place: RunPlace =
    input.runDir === undefined ? { stateDirectory: context.stateDirectory() } : { directory: input.runDir };
  if ('stateDirectory' in place) {
    for (const name of removeUnbegun(place.stateDirectory, { now, random, owner }))
      context.note(`Removed run ${name}, which a crash kept from beginning.`);
  }
  checkPlace(place, { now, random, owner });
  const lines = input.receipt === undefined ? undefined : 'keep';
  const planned = await planBulkDelete({ ...input, lines }, context);
  if (planned === undefined) return undefined;
  const answered = receiptOf(input.receipt, planned.people);
  for (const line of planLines(planned.plan, { isNew: true })) context.note(line);
  const skipped = skippedOf(planned);
  if (input.skipOdd !== undefined) await writeSkipped(input.skipOdd, skipped, context);
  return { run: await openBulkRun(planned, { ...input, place }, context), answered, skipped };
}

function refuseEarlyReceipt({ planOnly, receipt }: BulkDeletion): void {
  if (!planOnly || receipt === undefined) return;
  throw usageError(
    'a plan has no receipt yet',
    'leave --receipt out, and give it to hogctl runs resume with the same --from',
  );
}

type BulkRunOptions = {
  readonly receipt?: string | undefined;
  readonly planOnly?: boolean | undefined;
  readonly newRun?: boolean | undefined;
  readonly ignoreMissing?: boolean | undefined;
  readonly runDir?: string | undefined;
};

/**
 * Confirms a plan and writes it down, or goes on with the run that the same command began before.
 * Throws `cancelled` or `usage` like `context.confirm`, and `usage` where the record cannot be written.
 */
async function openBulkRun(
  planned: PlannedDeletion,
  { place, planOnly, newRun, ignoreMissing }: BulkRunOptions & { readonly place: RunPlace },
  context: Context,
): Promise<Run> {
  const { plan, people } = planned;
  const tools = { now: context.now, random: context.random, owner: context.owner };
  const same = newRun || planOnly ? undefined : findSame(place, planned);
  if (same === undefined && !ignoreMissing) refuseAddresses(people);
  if (same !== undefined) {
    context.warn(
      `warning: the same deletion was begun before and is not done; this goes on with it (${same}), --new-run starts afresh`,
    );
    await context.confirm({ action: 'go on with that run' });
    return openUnchanged(same, tools);
  }
  if (!planOnly) await confirmPlan(planned, context);
  stopIfAsked(context);
  return createRun(place, { ...tools, plan, people });
}

/** The ids were compared already, but not whom they belong to. */
function openUnchanged(path: string, tools: Parameters<typeof openRun>[1]): Run {
  const run = openRun(path, tools);
  try {
    refuseChangedIds(run);
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

async function confirmPlan({ plan, selected, addressed }: PlannedDeletion, context: Context): Promise<void> {
  const examples = selected ? `, for example ${selected.examples.join(', ')}` : '';
  const verb = plan.flags.keepPerson ? 'keep' : 'delete';
  const who = addressed
    ? `${counted(plan.unique, 'person', 'persons')} of ${countAddresses(addressed.addresses)}`
    : `the persons of ${counted(plan.unique, 'id')}`;
  await context.confirm({
    action: `${verb} ${who}${flagsInQuestion(plan.flags)}${examples}`,
    type: String(plan.unique),
    strict: selected?.isEverybody ?? false,
  });
}

type BulkDeleteInput = Omit<IdSources, 'words' | 'as'> &
  Pick<AddressSources, 'emails' | 'as'> &
  Selection &
  ProgressOptions &
  DeadlineInput & {
    readonly id?: readonly string[] | undefined;
    readonly delete_events?: boolean | undefined;
    readonly delete_recordings?: boolean | undefined;
    readonly keep_person?: boolean | undefined;
    readonly batchSize?: number | undefined;
    readonly rate?: number | undefined;
    readonly concurrency?: number | undefined;
    readonly max?: number | undefined;
    readonly resolve?: boolean | undefined;
    readonly keepIds?: boolean | undefined;
    readonly dropIds?: boolean | undefined;
    readonly ignoreMissing?: boolean | undefined;
  };

type PlannedDeletion = {
  readonly plan: Plan;
  readonly people: readonly People[];
  readonly selected: Selected | undefined;
  readonly addressed?: AddressedPeople | undefined;
};

/** Reads and freezes who is to be deleted, and counts what that takes. Nothing if nobody is and that is a success. */
async function planBulkDelete(
  input: BulkDeleteInput,
  context: Context,
): Promise<PlannedDeletion | undefined> {
  refuseBoth(input);
  const addresses = await readAddresses(input, context);
  const given = await readPeople(idSources(input), context);
  const selecting = hasConditions(input);
  refuseSuspiciousName({ email: input.email, distinctId: input.distinct_id }, input.allowOddIds);
  if (selecting && given.length > 0)
    throw usageError('ids and a selection are given at once', 'do one after the other');
  if (addresses !== undefined) refuseBesideAddresses({ isMore: selecting || given.length > 0, ...input });
  else if (!selecting && given.length === 0) {
    throw usageError(
      'it is not said whom to delete',
      'give ids, --emails, --distinct-ids, --from, or a selection such as --email',
    );
  }
  const { project, host, dialect } = await context.settings();
  const selected = selecting ? await selectPersons(input, context) : undefined;
  if (selected?.people.list.ids.length === 0) return tellNobody(input, context);
  if (selected) refuseFuzzy(input, selected, context);
  const addressed = addresses && (await resolveAddresses(addresses, input, context));
  if (addressed?.people.list.ids.length === 0) return tellNobodyAddressed(addressed, input, context);
  if (addressed) refuseSeveral(addressed, input, context);
  const resolvedHere = selected ?? addressed;
  const unresolved = resolvedHere ? [resolvedHere.people] : given;
  const live = dialect === 'live';
  const planning = {
    project: { id: project.id, name: project.name ?? project.id },
    host: host.address,
    flags: {
      deleteEvents: input.delete_events ?? false,
      deleteRecordings: input.delete_recordings ?? false,
      keepPerson: input.keep_person ?? false,
    },
    batchSize: input.batchSize,
    limits: live ? liveDeletionLimits : undefined,
    rate: input.rate,
    concurrency: input.concurrency,
    max: input.max,
    readsKeepPerson: live,
    keepIds: input.keepIds,
    due: readDeadline(input, context.now()),
  };
  // What is wrong with the plan shows before hundreds of look-ups are made for it.
  makePlan({ ...planning, people: unresolved });
  const deletesEvents = planning.flags.deleteEvents;
  const withNames = input.lines === 'list';
  const { people, serviceTime } = await resolvePeople(
    unresolved,
    { skip: input.resolve === false, deletesEvents, progress: input.progress, withNames },
    context,
  );
  // In the specification dialect a run sends all of its ids, also those that a look-up here did not find; only a proof
  // of deleted events needs whose they are.
  const planned = live || deletesEvents ? people : unresolved;
  return { plan: makePlan({ ...planning, people: planned, serviceTime }), people, selected, addressed };
}

function refuseBoth({ skipOdd, allowOddIds, keepIds, dropIds }: BulkDeleteInput): void {
  if (skipOdd !== undefined && allowOddIds)
    throw usageError('--skip-odd and --allow-odd-ids exclude each other', 'give one of them');
  if (keepIds && dropIds)
    throw usageError('--keep-ids and --drop-ids exclude each other', 'give one of them');
}

/** What is read as ids: a file of addresses is not. */
function idSources({ id: words, as, ...sources }: BulkDeleteInput): IdSources {
  const allowOddIds = sources.allowOddIds ?? false;
  const withoutFile = { from: undefined, column: undefined, sheet: undefined };
  if (as === 'emails') return { ...sources, ...withoutFile, words, allowOddIds };
  if (sources.from !== undefined && as === undefined) {
    throw usageError(
      '--from does not say what it holds',
      'add --as emails, --as distinct-ids, or --as ids for person ids',
    );
  }
  return { ...sources, as, words, allowOddIds };
}

function refuseBesideAddresses({ isMore, resolve }: BulkDeleteInput & { readonly isMore: boolean }): void {
  if (isMore)
    throw usageError('addresses are given with ids or a selection at once', 'do one after the other');
  if (resolve === false)
    throw usageError('addresses have to be looked up', 'leave --no-resolve out, or give ids');
}

/** Nobody looked at them, and somebody may share an address with others. */
function refuseSeveral({ several }: AddressedPeople, { max }: BulkDeleteInput, context: Context): void {
  if (several === 0 || max !== undefined || context.dryRun || !context.options.yes) return;
  throw usageError(
    `${countAddresses(several)} ${several === 1 ? 'belongs' : 'belong'} to several persons, and with --yes nobody looks at them`,
    'add --max <n>, the number of persons you expect at most',
  );
}

async function tellNobodyAddressed(
  { people }: AddressedPeople,
  { lines, ignoreMissing }: BulkDeleteInput,
  context: Context,
): Promise<undefined> {
  if (lines === 'list') await printPlanRows([people], context);
  if (!ignoreMissing) {
    throw new CliError('not-found', 'nobody has one of the addresses as email', {
      hint: 'hogctl persons list --search looks wider; nothing was deleted; --ignore-missing makes this a success',
    });
  }
  context.note('nobody has one of the addresses as email; nothing was sent');
}

/** Nobody who was not found is gone: somebody may have the address in another case or under another key. */
async function tellNobody(
  { ignoreMissing, email, distinct_id: distinctId, ...others }: BulkDeleteInput,
  context: Context,
): Promise<undefined> {
  const message = 'the selection matches nobody';
  const missed = [email === undefined ? [] : [{ email }], distinctId === undefined ? [] : [{ distinctId }]];
  for (const one of missed.flat()) {
    const exactToo = missed.flat().length === 1 && !hasConditions(others);
    const similar = await findSimilar(one, { exactToo }, context);
    const what = 'email' in one ? `the email "${one.email}"` : `the distinct id "${one.distinctId}"`;
    if (similar !== undefined)
      throw new CliError('not-found', `${message}; ${what}: ${similar}`, { hint: LOOK_AT_SIMILAR });
  }
  const wider = missed.flat().length > 0 ? 'hogctl persons list --search looks wider; ' : '';
  if (!ignoreMissing) {
    throw new CliError('not-found', message, {
      hint: `${wider}nothing was deleted; --ignore-missing makes this a success`,
    });
  }
  context.note(`${message}; nothing was sent`);
}

/** A search is fuzzy: nobody can know whom it finds, so with `--yes` it needs an upper bound. */
function refuseFuzzy({ search, max }: BulkDeleteInput, selected: Selected, context: Context): void {
  if (search !== undefined && context.options.yes && max === undefined) {
    throw usageError(
      `a search found ${selected.people.list.ids.length} persons, and with --yes nobody looks at them`,
      'add --max <n>, the number you expect at most',
    );
  }
}

/** Says where a plan was written down, for somebody else to read and carry out; `name` is what to call the run. */
async function showPlanned(run: RunRecord, name: string, context: Context): Promise<void> {
  const { unique, calls } = run.plan;
  await context.print({ run: run.id, directory: run.path, ids: unique, calls });
  context.note(`Nothing was sent. hogctl runs resume ${name} carries out exactly this plan.`);
}

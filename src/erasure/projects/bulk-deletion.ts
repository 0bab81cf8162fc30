import type { Context, OneOfSeveral } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { readDeadline } from '../input/deadline.ts';
import { type Listed, refuseFiles } from '../input/given.ts';
import type { ListCounts } from '../input/list-counts.ts';
import { readTogether } from '../input/problems.ts';
import { tryFiles } from '../input/written-files.ts';
import { addressesAsIds } from '../people/addresses.ts';
import { endWithSkipped, skippedOf, tellSkipped } from '../people/exceptions.ts';
import { readHolds } from '../people/holds.ts';
import { preparePlace } from '../record/create.ts';
import { findSameRun } from '../record/find.ts';
import { countPersons, toFlags } from '../record/plan.ts';
import { planLines } from '../report/plan-words.ts';
import { printPlanRows, receiptOf } from '../report/receipt.ts';
import { carryOutAndShow } from './carry-out.ts';
import { eraseInParts, inEach, isOfNobody, type ProjectPart, planNobody, type Several } from './parts.ts';
import {
  type BulkDeleteInput,
  type PlannedDeletion,
  planBulkDelete,
  readSources,
  refuseReceipt,
} from './planning.ts';
import {
  endRequest,
  type Gathering,
  gatherOutput,
  type PartResult,
  placeText,
  refusePersonIds,
} from './request.ts';

/**
 * Plans a bulk deletion in each project, asks once, and carries out a run in each. Throws before anything is sent if one
 * of the plans fails, and what all runs came to unless all was done.
 */
export async function bulkDeleteInProjects(
  { projects, ...input }: BulkDeleteInput & Several,
  context: Context,
): Promise<void> {
  readDeadline(input, context.now());
  toFlags(input);
  refuseForSeveral(input);
  const opened = await context.projects.several(projects, { all: context.dryRun });
  if (!input.planOnly)
    context.terminal.requireConsent({ action: 'delete persons in several projects', local: true });
  const gathering = gatherOutput(context);
  await tryFiles(input, context);
  if (context.dryRun) return showPlans(opened, { input, gathering }, context);
  refuseReceipt(input);
  preparePlace({ stateDirectory: context.stateDirectory() }, context);
  const bulks = await planEach(opened, { input, gathering }, context);
  if (!input.newRun && !input.planOnly) for (const bulk of bulks) refuseSame(bulk, context);
  for (const { plan } of bulks.flatMap(({ planned = [] }) => planned))
    for (const line of planLines(plan, { isNew: true })) context.note(line);
  if (!input.ignoreMissing) refuseIfAllAre(bulks);
  const skipped = skippedOf(bulks[0]?.people ?? []);
  tellSkipped(skipped, context);
  const ignoreMissing = input.ignoreMissing === true || areAllOdd(bulks);
  const isMissingFine = ignoreMissing || isEachSomewhere(bulks);
  await eraseInParts(bulks, { ...input, ignoreMissing, gathering, isMissingFine }, context);
  endWithSkipped(skipped);
}

/** What is about one run only, and what means somebody else in each project. */
function refuseForSeveral(input: BulkDeleteInput): void {
  refuseFiles(input);
  const { id = [], ids, as, exceptAs } = input;
  if (id.length > 0 || ids !== undefined || as === 'ids' || exceptAs === 'ids') refusePersonIds();
}

type Bulk = ProjectPart & {
  readonly planned: PlannedDeletion | undefined;
  /** Whose lines they are, also if all of them stay. */
  readonly people: readonly Listed[];
  readonly list: ListCounts | undefined;
};

type Planning = { readonly input: BulkDeleteInput; readonly gathering: Gathering };

/** The legal holds of all projects are read, with the list, before the first of them is asked. */
async function readEverything(opened: readonly OneOfSeveral[], { input, gathering }: Planning) {
  const quietly = ({ name, context }: OneOfSeveral): Context => {
    return { ...gathering.within(name, context), warn: () => undefined, note: () => undefined };
  };
  const [first, ...others] = opened;
  const holds = others.map((one) => () => readHolds(input, quietly(one)));
  const settings = await Promise.all(others.map(({ context }) => context.settings()));
  if (first !== undefined && settings.some(({ project }) => project.holds.length > 0))
    await readTogether([() => readSources(input, quietly(first)), ...holds]);
}

/** All of them, before anything is deleted; each list is read once, so that all are about the same. */
async function planEach(
  opened: readonly OneOfSeveral[],
  { input, gathering }: Planning,
  context: Context,
): Promise<readonly Bulk[]> {
  const lines = input.receipt === undefined ? undefined : 'keep';
  await readEverything(opened, { input: { lines, ...input }, gathering });
  return inEach(opened, gathering, async (there, project) => {
    context.note(`Looking people up in ${placeText(project.name, project)}:`);
    const read = await planBulkDelete({ lines, ...input, ignoreMissing: true }, there);
    const { people } = read;
    const { receipt } = context.dryRun ? {} : input;
    const answered = receipt === undefined ? undefined : receiptOf(receipt, people);
    const planned = read.plan && read;
    const { who = 'no person', shown = [], isEverybody: mustName = false } = planned ?? {};
    return {
      project,
      context: there,
      planned,
      planNobody: () => planNobody(read, input, there),
      people,
      list: read.plan === undefined ? read.list : read.plan.list,
      answered,
      mustName,
      who: [who, ...shown].join('\n  '),
      isExcepted: planned === undefined && people.some(({ list }) => (list.excepted ?? 0) > 0),
      carryOut: (run, how) => carryOutAndShow(run, { ...input, ...how, name: run.id, isPart: true }, there),
    };
  });
}

/** For programs a row for each line and project, for people a row for each project. */
async function showPlans(
  opened: readonly OneOfSeveral[],
  planning: Planning,
  context: Context,
): Promise<void> {
  const { input, gathering } = planning;
  const isListing = context.options.showIds === true || context.output.format().format !== 'table';
  const how: BulkDeleteInput = { ...input, ...(isListing ? { lines: 'list' } : {}) };
  const bulks = await planEach(opened, { input: how, gathering }, context);
  const plans = bulks.flatMap(({ planned = [] }) => planned);
  for (const { plan } of plans) for (const line of planLines(plan, { isNew: true })) context.note(line);
  let refusal: { readonly error: unknown } | undefined;
  if (isListing) {
    for (const { planned, context: there } of bulks)
      if (planned !== undefined)
        await printPlanRows(planned.people, there).catch((error: unknown) => {
          refusal ??= { error };
        });
    await gathering.flush();
  } else await context.print(bulks.map(planRow));
  if (refusal !== undefined) throw refusal.error;
  if (!input.ignoreMissing) refuseIfAllAre(bulks);
  const results = bulks.map((bulk): PartResult => ({ name: bulk.project.name, state: stateOf(bulk) }));
  const ignoreMissing = input.ignoreMissing === true || areAllOdd(bulks);
  endRequest(results, { hint: undefined, ignoreMissing }, context);
  endWithSkipped(skippedOf(bulks[0]?.people ?? []));
}

/** What a plan makes of the lines; of addresses also if all of their people stay. */
function planRow({ project, planned, list }: Bulk) {
  const { plan } = planned ?? {};
  const { lines, excepted, nobody } = list ?? {};
  return {
    project: project.name,
    host: project.host,
    lines: lines ?? plan?.asked ?? 0,
    persons: plan === undefined ? 0 : countPersons(plan),
    excepted: excepted ?? plan?.lines.excepted ?? 0,
    nobody: nobody ?? plan?.resolved.nobody ?? null,
    calls: plan?.calls ?? 0,
  };
}

function stateOf({ planned, isExcepted }: Bulk): PartResult['state'] {
  if (planned !== undefined) return isOfNobody(planned.plan) ? 'nobody' : 'done';
  return isExcepted ? 'excepted' : 'nobody';
}

/** Addresses that were given as distinct ids may be known in one of the projects. */
function refuseIfAllAre(bulks: readonly Bulk[]): void {
  const refusals = bulks.map(({ people }) => addressesAsIds(people));
  const [first] = refusals;
  if (first !== undefined && refusals.every((one) => one !== undefined)) throw first;
}

/** Whether no line was looked up, so that nothing is known of anybody. */
function areAllOdd(bulks: readonly Bulk[]): boolean {
  const lines = bulks.flatMap(({ people }) => people.flatMap(({ list }) => list.lines ?? []));
  return lines.length > 0 && lines.every(({ reason }) => reason !== undefined);
}

/** Whether each id leads to somebody in one of the projects at least, so that missing in another is no failure. */
function isEachSomewhere(bulks: readonly Bulk[]): boolean {
  const found = new Set<string>();
  const all = new Set<string>();
  for (const { list, resolution } of bulks.flatMap(({ planned }) => planned?.people ?? [])) {
    for (const [at, id] of list.ids.entries()) {
      all.add(`${list.kind} ${id}`);
      if (resolution?.at(at)) found.add(`${list.kind} ${id}`);
    }
  }
  return all.size > 0 && all.size === found.size;
}

/** The command typed again goes on with one run; with several, the request says which. */
function refuseSame({ project, planned }: Bulk, context: Context): void {
  const same = planned && findSameRun({ stateDirectory: context.stateDirectory() }, planned, context);
  if (same === undefined) return;
  throw usageError(
    `the same deletion was begun in ${project.name} before and is not done (${same})`,
    'find its request with hogctl runs list, then hogctl runs resume <request>; or add --new-run',
  );
}

import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, counted, usageError } from '../../errors.ts';
import { hasConditions } from '../../semantics/person-conditions.ts';
import { readDays } from '../input/deadline.ts';
import { type Input, type Listed, readGiven, refuseFiles, type Sources } from '../input/given.ts';
import { countLines, type ListCounts } from '../input/list-counts.ts';
import { readTogether } from '../input/problems.ts';
import type { bulkDeleteOptions } from '../options.ts';
import { leaveOutOthers, refuseSeveral, resolveAddresses } from '../people/addresses.ts';
import { describeFirst } from '../people/describe.ts';
import { leaveOut, NO_EXCEPTIONS, readExceptions, resolveAll, type Spared } from '../people/exceptions.ts';
import { readHolds } from '../people/holds.ts';
import { resolvePeople } from '../people/resolve.ts';
import { MATCHES_NOBODY, type Selection, selectPersons } from '../people/selection.ts';
import type { Planned } from '../record/create.ts';
import { checkPlan, countPersons, type DeletionFlags, makePlan, planningOf } from '../record/plan.ts';
import { printPlanRows } from '../report/receipt.ts';

export type BulkDeleteInput = OptionsInput<typeof bulkDeleteOptions> &
  Selection &
  DeletionFlags &
  Pick<Sources, 'lines'> & { readonly id?: readonly string[] | undefined };

/** Throws a usage error for a receipt of what has no list, or is not carried out yet. */
export function refuseReceipt({ planOnly, receipt, force, ...input }: BulkDeleteInput): void {
  if (receipt === undefined && force)
    throw usageError('--force is about the file of a receipt', 'add --receipt <file>');
  if (receipt === undefined) return;
  if (hasConditions(input))
    throw usageError(
      '--receipt answers a list, and a selection has none',
      'leave out --receipt; hogctl runs report shows the results',
    );
  if (!planOnly) return;
  throw usageError(
    '--plan-only writes no receipt',
    'leave out --receipt, and give it to hogctl runs resume with the same --from',
  );
}

/** With whom it is about, as a question says it: their number, and the first ones as lines. */
export type PlannedDeletion = Planned & {
  readonly who: string;
  readonly shown: readonly string[];
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
    return keepAll(read, { why: 'no line is left to look up', read }, input, context);
  const planning = { ...input, ...(await planningOf(input, context)) };
  const selected = isSelecting ? await selectPersons(input, context) : undefined;
  if (selected?.people.list.ids.length === 0) {
    return tellNobody(MATCHES_NOBODY, [], input, context);
  }
  const addressed = addresses && (await resolveAddresses(addresses, {}, context));
  if (addressed?.people.list.ids.length === 0)
    return tellNobody(NO_ADDRESSEE, [addressed.people], { ...input, read }, context);
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
  if (areNobody(current)) return tellNobody(NO_ADDRESSEE, current, { ...input, read }, context);
  const people = held === undefined ? current : leaveOut(current, held);
  if (areNobody(people))
    return keepAll(
      people,
      { why: 'all persons are excepted', spared: held, read: selected ? undefined : read },
      input,
      context,
    );
  const spared = held ?? NO_EXCEPTIONS;
  const { cohorts } = selected ?? {};
  const list = selected ? undefined : countLines(read, people);
  const plan = makePlan({ ...planning, people, spared, serviceTime, lookUp, cohorts, list });
  const ids = addressed ? counted(addressed.addresses, 'address', 'addresses') : counted(plan.unique, 'id');
  const persons = counted(countPersons(plan), 'person', 'persons');
  return {
    plan,
    people,
    spared,
    who: `${persons} of ${ids}`,
    shown: describeFirst(people, countPersons(plan)),
    isEverybody: selected?.isEverybody ?? false,
  };
}

/** Reads all files, and asks nothing. What is wrong with any of them is told at once. */
export async function readSources(input: BulkDeleteInput, context: Context) {
  const [given, exceptions, holds] = await readTogether([
    async () => readDays(await readGiven(sourcesOf(input), context), input, context.now()),
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
    'conditions need --max with --yes',
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
      'name the people to delete',
      'give ids, --emails, --distinct-ids, --from, or a selection such as --property',
    );
  }
  if (hasAddresses && (hasIds || isSelecting))
    throw usageError('addresses cannot be combined with ids or a selection', 'run one command for each');
  if (hasIds && isSelecting)
    throw usageError('ids cannot be combined with a selection', 'run one command for each');
}

/** People who all stay, with their lines, and why the command fails, if it does. */
type NothingPlanned = {
  readonly plan?: undefined;
  readonly people: readonly Listed[];
  /** Whom the exceptions protect. */
  readonly spared?: Spared | undefined;
  readonly refusal?: CliError;
  readonly list?: ListCounts | undefined;
};

type Reason = {
  readonly why: string;
  readonly hint?: string | undefined;
  readonly spared?: Spared | undefined;
  /** The list as it was read. */
  readonly read?: readonly Listed[] | undefined;
};

type Staying = Pick<Input, 'ignoreMissing'> & Pick<Sources, 'lines'>;

/** Tells why all persons stay; with a hint the command fails with that, once the lists are answered. */
async function keepAll(
  people: readonly Listed[],
  { why, hint, spared, read }: Reason,
  { lines }: Staying,
  context: Context,
): Promise<NothingPlanned> {
  if (lines === 'list' && people.length > 0) await printPlanRows(people, context);
  if (hint !== undefined) {
    const isDoubtful = people.some(({ list }) => list.isDoubtful);
    return { people, refusal: new CliError(isDoubtful ? 'partial' : 'not-found', why, { hint }) };
  }
  context.note(`${why}; nothing was sent`);
  return { people, spared, list: read && countLines(read, people) };
}

/** The same if no person was found: a failure, unless people may be missing. */
async function tellNobody(
  why: string,
  people: readonly Listed[],
  { read, ...input }: Staying & Pick<Reason, 'read'>,
  context: Context,
): Promise<NothingPlanned> {
  const wider = people.length > 0 ? 'hogctl persons list --search looks wider; ' : '';
  const hint = `${wider}nothing was deleted; --ignore-missing makes this a success`;
  return keepAll(people, { why, hint: input.ignoreMissing ? undefined : hint, read }, input, context);
}

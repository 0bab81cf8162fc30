import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import { hasConditions } from '../service/person-conditions.ts';
import { type AddressedPeople, findSimilar, LOOK_AT_SIMILAR, resolveAddresses } from './addresses.ts';
import { type GivenLine, type IdList, lineText, type SkippedLine } from './collect-ids.ts';
import { readDeadline } from './deadline.ts';
import { normalizeId } from './entries.ts';
import type { bulkDeleteOptions } from './options.ts';
import {
  type AddressSources,
  createResolution,
  type IdSources,
  type People,
  readAddresses,
  readPeople,
  refuseSuspiciousName,
} from './people.ts';
import { liveDeletionLimits, makePlan, type Plan } from './plan.ts';
import { printPlanRows } from './receipt.ts';
import { inPages } from './report.ts';
import { type ProgressOptions, resolvePeople } from './resolve.ts';
import { type Selected, type Selection, selectPersons } from './select-persons.ts';

export type BulkDeleteInput = OptionsInput<typeof bulkDeleteOptions> &
  Selection &
  Pick<IdSources, 'lines'> & {
    readonly id?: readonly string[] | undefined;
    readonly delete_events?: boolean | undefined;
    readonly delete_recordings?: boolean | undefined;
    readonly keep_person?: boolean | undefined;
    /** Called with the lines if nobody of them is to be deleted. */
    readonly onNobody?: ((people: readonly People[]) => void) | undefined;
  };

export type PlannedDeletion = {
  readonly plan: Plan;
  readonly people: readonly People[];
  readonly selected: Selected | undefined;
  readonly addressed?: AddressedPeople | undefined;
};

/**
 * Reads and freezes who is to be deleted, and counts what that takes. Throws before anything is deleted. Nothing where
 * a selection matches nobody and that is a success.
 */
export async function planBulkDelete(
  input: BulkDeleteInput,
  context: Context,
): Promise<PlannedDeletion | undefined> {
  refuseBoth(input);
  const sources = withoutExceptions(input);
  const addresses = await readAddresses(sources, context);
  const given = await readPeople(idSources(sources), context);
  const selecting = hasConditions(input);
  refuseSuspiciousName({ email: input.email, distinctId: input.distinct_id }, input.allowOddIds);
  if (selecting && given.length > 0)
    throw usageError('ids and a selection are given at once', 'do one after the other');
  if (addresses !== undefined) refuseBesideAddresses({ isMore: selecting || given.length > 0, ...input });
  else if (!selecting && given.length === 0) {
    throw usageError(
      'name whom to delete',
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
  const held = await readExceptions(input, context);
  const { people: found, serviceTime = selected?.serviceTime } = await resolvePeople(
    unresolved,
    { skip: input.resolve === false, progress: input.progress, withNames: input.lines === 'list' },
    context,
  );
  const people = leaveOut(found, held);
  if (people.every(({ list }) => list.ids.length === 0)) return tellExcepted(people, input, context);
  return { plan: makePlan({ ...planning, people, serviceTime }), people, selected, addressed };
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
    `${counted(several, 'address', 'addresses')} ${several === 1 ? 'belongs' : 'belong'} to several persons, and --yes skips the look at them`,
    'add --max <n>, the number of persons you expect at most',
  );
}

async function tellNobodyAddressed(
  { people }: AddressedPeople,
  { lines, ignoreMissing, onNobody }: BulkDeleteInput,
  context: Context,
): Promise<undefined> {
  onNobody?.([people]);
  if (lines === 'list') await printPlanRows([people], context);
  if (!ignoreMissing) {
    throw new CliError('not-found', 'nobody has one of the addresses as email', {
      hint: 'hogctl persons list --search looks wider; nothing was deleted; --ignore-missing makes this a success',
    });
  }
  context.note('nobody has one of the addresses as email; nothing was sent');
}

async function tellExcepted(
  people: readonly People[],
  { lines, onNobody }: BulkDeleteInput,
  context: Context,
): Promise<undefined> {
  onNobody?.(people);
  if (lines === 'list') await printPlanRows(people, context);
  context.note('everybody is excepted; nothing was sent');
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
      `a search found ${selected.people.list.ids.length} persons, and --yes skips the look at them`,
      'add --max <n>, the number you expect at most',
    );
  }
}

/** Writes the lines that are left out, with their own columns, for whoever made the list; readable by its owner only. */
export async function writeSkipped(
  file: string,
  skipped: readonly SkippedLine[],
  context: Context,
): Promise<void> {
  const own = new Set(skipped.flatMap((line) => Object.keys(line.own)));
  const isOfSeveral = skipped.some(({ file }) => file !== undefined);
  const told = (['file', 'line', 'reason'] as const).filter((name) => name !== 'file' || isOfSeveral);
  const names = told.map((name) => ({ name, key: own.has(name) ? `hogctl_${name}` : name }));
  const rows = skipped.map((one) => ({
    ...one.own,
    ...Object.fromEntries(names.map(({ name, key }) => [key, one[name] ?? null])),
  }));
  const columns = [...names.map(({ key }) => ({ key })), ...[...own].map((key) => ({ key }))];
  const { output = 'table' } = context.options;
  const how = { format: output === 'table' ? 'csv' : output, columns: undefined } as const;
  await context.files.writeRows(file, inPages(rows), columns, how);
  context.warn(`warning: ${countLines(skipped)} left out, see ${file}`);
}

function countLines({ length }: readonly SkippedLine[]): string {
  return `${counted(length, 'line')} ${length === 1 ? 'is' : 'are'}`;
}

/** Throws `partial` if lines were left out: not all that was asked for is done. */
export function endWithSkipped(
  skipped: readonly SkippedLine[],
  {
    skipOdd = '',
    lines,
  }: { readonly skipOdd?: string | undefined; readonly lines?: BulkDeleteInput['lines'] },
  { dryRun }: Pick<Context, 'dryRun'>,
): void {
  if (skipped.length === 0) return;
  const listing = lines === 'list' ? '' : '--dry-run -o csv shows them as odd; ';
  throw new CliError('partial', `${countLines(skipped)} left out`, {
    hint: dryRun
      ? `${listing}without --dry-run, ${skipOdd} tells which and why`
      : `correct the lines of ${skipOdd} and give them again; all others were taken`,
  });
}

/** What says how files are read, for `--from`: without it, that is about the exceptions only. */
function withoutExceptions(options: BulkDeleteInput): BulkDeleteInput {
  if (options.except === undefined || options.from !== undefined) return options;
  return { ...options, as: undefined, column: undefined, sheet: undefined };
}

/** The persons that a file excepts, by UUID. Tells each line that finds nobody, since it may protect nobody. */
async function readExceptions(
  { except, ...options }: BulkDeleteInput,
  context: Context,
): Promise<ReadonlySet<string>> {
  if (except === undefined) return new Set();
  const { as, column, sheet, trim, progress } = options;
  if (options.resolve === false)
    throw usageError('--except compares persons, who have to be looked up', 'leave --no-resolve out');
  if (as === undefined) {
    throw usageError(
      '--except does not say what its file holds',
      'add --as emails, --as distinct-ids, or --as ids for person ids',
    );
  }
  const source = { from: except, column, sheet, trim, allowOddIds: true } as const;
  const names = except.map((file) => (file === '-' ? 'standard input' : file));
  context.note(`Exceptions, from ${names.join(', ')}:`);
  const given =
    as === 'emails'
      ? await addressed(source, { progress }, context)
      : await readPeople({ ...source, as, lines: 'keep' }, context);
  const resolved = await resolvePeople(given ?? [], { progress }, context);
  const held = new Set<string>();
  for (const { list, resolution } of resolved.people) {
    for (const [at, id] of list.ids.entries()) {
      const person = resolution?.at(at);
      if (person) held.add(person.uuid.toLowerCase());
      else if (as !== 'emails') context.warn(`${placeOf(list, id)}: nobody has this id`);
    }
  }
  context.note(`${counted(held.size, 'person')} excepted`);
  return held;
}

async function addressed(source: AddressSources, options: ProgressOptions, context: Context) {
  const addresses = await readAddresses({ ...source, as: 'emails' }, context);
  return addresses && [(await resolveAddresses(addresses, options, context)).people];
}

function placeOf({ kind, lines = [] }: IdList, id: string): string {
  const line = lines.find((one) => normalizeId(kind, one.id) === id);
  return line === undefined || line.line === null ? 'an id' : lineText(line);
}

/** The same people without those who are excepted, by person, whatever id leads to them. Their lines are marked. */
function leaveOut(people: readonly People[], held: ReadonlySet<string>): readonly People[] {
  if (held.size === 0) return people;
  return people.map(({ list, resolution: all }) => {
    if (all === undefined) return { list };
    const resolution = createResolution({ withNames: true });
    const excepted = new Map<string, NonNullable<GivenLine['excepted']>>();
    const ids = list.ids.filter((id, at) => {
      const person = all.at(at);
      const isHeld = person !== null && held.has(person.uuid.toLowerCase());
      if (isHeld) excepted.set(id, { person: person.uuid, name: person.name ?? null });
      else resolution.add(person);
      return !isHeld;
    });
    // A selection has no lines, so that its people who are excepted get one.
    const lines =
      list.lines ?? list.ids.map((id): GivenLine => ({ id, line: null, kind: list.kind, suspicious: false }));
    const marked = lines.map((line) => {
      const one = excepted.get(normalizeId(line.kind, line.id));
      return one === undefined ? line : { ...line, excepted: one };
    });
    const counts = { asked: list.asked - list.ids.length + ids.length, excepted: excepted.size };
    return { list: { ...list, ids, ...counts, lines: marked }, resolution };
  });
}

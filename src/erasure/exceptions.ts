import type { Context } from '../cli/context.ts';
import { counted, usageError } from '../errors.ts';
import { resolveAddresses } from './addresses.ts';
import { type GivenLine, type IdList, lineText } from './collect-ids.ts';
import { normalizeId } from './entries.ts';
import { type AddressSources, type IdSources, readAddresses, readPeople } from './read-people.ts';
import { createResolution, type People, type ProgressOptions } from './resolve.ts';
import { resolvePeople } from './resolve-people.ts';

export type ExceptionOptions = Omit<IdSources, 'words' | 'as'> &
  Pick<AddressSources, 'emails' | 'as'> &
  ProgressOptions & {
    /** Files of people who must not be deleted, such as those on legal hold. */
    readonly except?: readonly string[] | undefined;
    readonly resolve?: boolean | undefined;
  };

/** What says how files are read, for `--from`: without it, that is about the exceptions only. */
export function withoutExceptions<Given extends ExceptionOptions>(options: Given): Given {
  if (options.except === undefined || options.from !== undefined) return options;
  return { ...options, as: undefined, column: undefined, sheet: undefined };
}

/** The persons that a file excepts, by UUID. Tells each line that finds nobody, since it may protect nobody. */
export async function readExceptions(
  { except, ...options }: ExceptionOptions,
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
export function leaveOut(people: readonly People[], held: ReadonlySet<string>): readonly People[] {
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

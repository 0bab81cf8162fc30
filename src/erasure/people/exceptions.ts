import type { Context } from '../../cli/context.ts';
import { CliError, changed, counted, usageError } from '../../errors.ts';
import {
  type GivenLine,
  type IdList,
  type Input,
  type KnownPerson,
  type Listed,
  lineText,
  normalizeId,
  type People,
  readGiven,
} from '../input/given.ts';
import { resolveAddresses } from './addresses.ts';
import type { AskedId } from './look.ts';
import { createResolution, resolvePeople } from './resolve.ts';

/** Whom a file excepts: persons of the list by UUID, and all ids that protect them, or whom only SQL shows. */
export type Exceptions = Spared & { readonly held: ReadonlySet<string> };

export type Spared = { readonly excepted: readonly AskedId[]; readonly spared: readonly AskedId[] };

/** Reads and looks up the exceptions. Names each line that finds no person, since it protects one id only. */
export async function readExceptions(
  {
    except,
    ...options
  }: Pick<Input, 'as' | 'column' | 'sheet' | 'trim'> & {
    readonly except: readonly string[];
  },
  context: Context,
): Promise<Exceptions> {
  const { as, column, sheet, trim } = options;
  if (as === undefined) {
    throw usageError('--except needs --as', 'add --as emails, --as distinct-ids, or --as ids for person ids');
  }
  const source = { from: except, as, column, sheet, trim, lines: 'keep' } as const;
  context.note(`Exceptions, from ${except.join(', ')}:`);
  const { people, addresses } = await readGiven(source, context).catch(refuseExceptions);
  const addressed = addresses && (await resolveAddresses(addresses, { isSparing: true }, context));
  const given = addressed ? [addressed.people] : people;
  const resolved = await resolvePeople(given, { inBoth: true }, context);
  if (!resolved.lookUp.list)
    throw new CliError('refused', 'the person list does not show for certain whom the exceptions protect', {
      hint: 'it answered without anybody who is known to be there; nothing was sent, try again later',
    });
  const held = new Set<string>();
  const excepted: AskedId[] = [];
  const others: AskedId[] = [];
  for (const { list, resolution } of resolved.people) {
    for (const [at, id] of list.ids.entries()) {
      const person = resolution.at(at);
      excepted.push({ kind: list.kind, id }, ...idsOfPerson(person));
      others.push(...idsOfPerson(resolution.doubtful(at)));
      if (person) held.add(person.uuid.toLowerCase());
      else if (as !== 'emails') context.warn(`${placeOf(list, id)}: no person has this id`);
    }
  }
  context.note(`${counted(held.size, 'person')} excepted`);
  return { held, excepted, spared: [...excepted, ...others] };
}

function idsOfPerson(person: KnownPerson | null | undefined): readonly AskedId[] {
  if (!person) return [];
  const own = person.distinctIds.map((id): AskedId => ({ kind: 'distinct-ids', id }));
  return [{ kind: 'ids', id: person.uuid }, ...own];
}

/** A damaged line would spare no person, and the file is there for that. */
function refuseExceptions(error: unknown): never {
  if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
  const hint = 'correct the exceptions, since a damaged line spares no person; nothing was sent';
  throw changed(error, { hint });
}

function placeOf({ kind, lines = [] }: IdList, id: string): string {
  const line = lines.find((one) => normalizeId(kind, one.id) === id);
  return line === undefined || line.line === null ? 'an id' : lineText(line);
}

/** The same people without those who are excepted, by person, whatever id leads to them. Their lines are marked. */
export function leaveOut(people: readonly People[], { held }: Exceptions): readonly People[] {
  if (held.size === 0) return people;
  return people.map(({ list, resolution: all }) => {
    const resolution = createResolution({ withNames: true });
    const excepted = new Map<string, NonNullable<GivenLine['excepted']>>();
    const ids = list.ids.filter((id, at) => {
      const person = all.at(at);
      const isHeld = person !== null && held.has(person.uuid.toLowerCase());
      if (isHeld) excepted.set(id, { person: person.uuid, name: person.name ?? null });
      else resolution.add(person, all.doubtful(at));
      return !isHeld;
    });
    // A selection has no lines, so that its people who are excepted get one.
    const lines = list.lines ?? list.ids.map((id): GivenLine => ({ id, line: null, kind: list.kind }));
    const marked = lines.map((line) => {
      const one = excepted.get(normalizeId(line.kind, line.id));
      return one === undefined ? line : { ...line, excepted: one };
    });
    const counts = { asked: list.asked - list.ids.length + ids.length, excepted: excepted.size };
    return { list: { ...list, ids, ...counts, lines: marked }, resolution };
  });
}

/** The lines that are left out. */
export function skippedOf(people: readonly Listed[]): readonly GivenLine[] {
  return people.flatMap(({ list: { lines = [], refusal } }) =>
    refusal === undefined ? lines.filter(({ reason }) => reason !== undefined) : [],
  );
}

/** Lines that are told one by one. */
const MOST_TOLD = 10;

/** Names the lines that are left out; receipt and dry run have all of them. */
export function tellSkipped(skipped: readonly GivenLine[], { warn }: Pick<Context, 'warn'>): void {
  for (const line of skipped.slice(0, MOST_TOLD))
    warn(`${line.line === null ? 'an argument' : lineText(line)}: left out, ${line.reason}`);
  if (skipped.length > MOST_TOLD)
    warn(`and ${skipped.length - MOST_TOLD} more lines are left out; --dry-run -o csv shows all`);
}

function countLines({ length }: readonly GivenLine[]): string {
  return `${counted(length, 'line')} ${length === 1 ? 'is' : 'are'}`;
}

/** Throws `partial` if lines were left out: not all that was asked for is done. */
export function endWithSkipped(skipped: readonly GivenLine[]): void {
  if (skipped.length === 0) return;
  throw new CliError('partial', `${countLines(skipped)} left out`, {
    hint: 'correct them and run the command on them; --receipt and --dry-run -o csv say what is wrong with each',
  });
}

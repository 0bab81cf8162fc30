import type { Context } from '../../cli/context.ts';
import { CliError, changed, counted, usageError } from '../../errors.ts';
import { Contradiction, exceptionsOf } from '../core.ts';
import type { StoreName } from '../facts.ts';
import { isCalled } from '../input/csv.ts';
import {
  type Given,
  type GivenLine,
  type IdList,
  type Input,
  type KnownPerson,
  type Listed,
  lineText,
  MOST_TOLD,
  normalizeId,
  type People,
  readGiven,
  type Sources,
} from '../input/given.ts';
import type { exceptionOptions } from '../options.ts';
import { addressesAsIds, resolveAddresses } from './addresses.ts';
import { type AskedId, type NameOf, type StoreAnswer, toSighting } from './look.ts';
import { createResolution, resolvePeople } from './resolve.ts';

/** Whom a file excepts: persons of the list by UUID, and all ids that protect them, or whom only SQL shows. */
export type Exceptions = Spared & { readonly held: ReadonlySet<string> };

export type Spared = {
  readonly excepted: readonly AskedId[];
  readonly spared: readonly AskedId[];
  /** Where they stand. */
  readonly files: readonly string[];
};

export const NO_EXCEPTIONS: Spared = { excepted: [], spared: [], files: [] };

/** The lines of some files of exceptions, which are of one kind. */
export type ReadExceptions = Given & {
  readonly title: string;
  readonly files: readonly string[];
  /** Whether nobody said of what kind they are, so that it is taken to be that of the list. */
  readonly isKindTaken?: boolean;
};

export type ExceptionOptions = Pick<
  Input,
  'as' | 'column' | 'encoding' | 'trim' | keyof typeof exceptionOptions
>;

/**
 * Reads the files of `--except`, if there are any, by their own kind, column and sheet. Asks nothing. Throws a usage error
 * for a line that cannot be used.
 */
export async function readExceptions(
  { except, exceptAs, exceptColumn, exceptSheet, ...list }: ExceptionOptions,
  context: Context,
): Promise<readonly ReadExceptions[]> {
  if (except === undefined) return [];
  const as = exceptAs ?? list.as;
  if (as === undefined)
    throw usageError('--except needs --except-as', 'add --except-as emails, distinct-ids or ids');
  const title = `Exceptions, from ${except.join(', ')}`;
  const how = {
    as,
    column: exceptColumn,
    sheet: exceptSheet,
    trim: list.trim,
    like: list.column,
    title,
    encoding: list.encoding,
  };
  return [{ ...(await readHeld(except, how, context)), isKindTaken: exceptAs === undefined }];
}

type HeldReading = Required<Pick<Sources, 'as'>> &
  Pick<Sources, 'column' | 'sheet' | 'encoding' | 'trim'> & {
    /** The column of the list, by whose name that of these files may be known. */
    readonly like?: string | undefined;
    readonly title: string;
  };

/** Reads files of people who are to be spared, and asks nothing. */
export async function readHeld(
  from: readonly string[],
  { as, column, sheet, encoding, trim, like, title }: HeldReading,
  context: Context,
): Promise<ReadExceptions> {
  const likely = [like === undefined ? [] : isCalled(like), as === 'emails' ? isAddressColumn : []].flat();
  const how = { likely, lines: 'bare', isSparing: true, isNamed: true } as const;
  try {
    return {
      ...(await readGiven({ from, as, column, sheet, encoding, trim, ...how }, context)),
      title,
      files: from,
    };
  } catch (error) {
    throw error instanceof CliError ? aboutExceptions(error) : error;
  }
}

/** Whether a column is called like one of addresses: `E-mail address`, `customer_email`. */
function isAddressColumn(name: string): boolean {
  return /(?:^|[^\p{L}])e-?mails?(?:[^\p{L}]|$)|^mail$/iu.test(name);
}

/** The same error, with the options by the names that they have for exceptions. */
function aboutExceptions(error: CliError): CliError {
  const rename = (text: string) => text.replace(/--(?=(?:as|column|sheet)\b)/g, '--except-');
  return changed(error, { message: rename(error.message), hint: error.hint && rename(error.hint) });
}

/** Looks up whom exceptions protect. Names each line that finds no person, since it protects one id only. */
async function resolveExceptions(
  { title, files, people, addresses, isKindTaken }: ReadExceptions,
  context: Context,
): Promise<Exceptions> {
  context.note(`${title}:`);
  const addressed = addresses && (await resolveAddresses(addresses, { isSparing: true }, context));
  const given = addressed ? [addressed.people] : people;
  const resolved = await resolvePeople(given, { inBoth: true }, context);
  const held = new Set<string>();
  for (const { list, resolution } of resolved.people) {
    for (const [at, id] of list.ids.entries()) {
      const person = resolution.at(at);
      if (person) held.add(person.uuid.toLowerCase());
      else if (addressed === undefined) context.warn(`${placeOf(list, id)}: no person has this id`);
    }
  }
  const { excepted, spared } = askCore(resolved);
  const wrong = isKindTaken ? addressesAsIds(resolved.people) : undefined;
  if (wrong !== undefined) {
    const hint = 'add --except-as emails if they are e-mail addresses, else --except-as distinct-ids';
    throw changed(wrong, { message: `the exceptions spare no person: ${wrong.message}`, hint });
  }
  context.note(`${counted(held.size, 'person')} excepted`);
  return { held, excepted, spared, files };
}

/** Whom all exceptions protect together; nothing if there are none. */
export async function resolveAll(
  exceptions: readonly ReadExceptions[],
  context: Context,
): Promise<Exceptions | undefined> {
  const all: Exceptions[] = [];
  for (const one of exceptions) all.push(await resolveExceptions(one, context));
  if (all.length === 0) return undefined;
  return {
    held: new Set(all.flatMap(({ held }) => [...held])),
    excepted: all.flatMap(({ excepted }) => excepted),
    spared: all.flatMap(({ spared }) => spared),
    files: all.flatMap(({ files }) => files),
  };
}

/** Whom the core takes to be excepted, as the stores showed them, and whom it spares with them. */
function askCore({ people, lookUp }: Pick<Resolved, 'people' | 'lookUp'>): Omit<Spared, 'files'> {
  const given: AskedId[] = [];
  const list = noAnswer('list', lookUp.list);
  const sql = noAnswer('sql', lookUp.sql === true);
  for (const { list: lines, resolution } of people)
    for (const [at, id] of lines.ids.entries()) {
      const one = { kind: lines.kind, id };
      given.push(one);
      add(list, one, resolution.at(at));
      add(sql, one, resolution.doubtful(at));
    }
  const listed = toSighting(list, nameOf);
  const sightings = [listed, toSighting(sql, nameOf)];
  try {
    const { excepted, spared } = exceptionsOf({ ids: listed.asked, sightings });
    const all = (names: ReadonlySet<string>) => [...given, ...[...names].map(askedOf)];
    return { excepted: all(excepted), spared: all(spared) };
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    throw new CliError(
      'refused',
      'the person list does not show for certain which people the exceptions protect',
      {
        hint: 'its answer lacks a person who is known to be there; nothing was sent; try again later',
      },
    );
  }
}

function noAnswer(store: StoreName, isSure: boolean) {
  const asked: AskedId[] = [];
  const found: StoreAnswer['found'][number][] = [];
  return { store, asked, found, controls: [isSure], serviceTime: undefined };
}

/** Who was named by an integer is known by the UUID that the list shows. */
function add(
  { asked, found }: ReturnType<typeof noAnswer>,
  { kind, id }: AskedId,
  person: KnownPerson | null | undefined,
): void {
  const one = { kind, id: kind === 'ids' && person ? person.uuid : id };
  asked.push(one);
  if (person) found.push({ asked: one, person });
}

type Resolved = Awaited<ReturnType<typeof resolvePeople>>;

const nameOf: NameOf = (kind, id) => `${kind} ${normalizeId(kind, id)}`;

function askedOf(name: string): AskedId {
  const at = name.indexOf(' ');
  return { kind: name.slice(0, at) === 'ids' ? 'ids' : 'distinct-ids', id: name.slice(at + 1) };
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

/** What a list asks for that is not done: lines that are left out, and people whom the service may hide. */
type Skipped = { readonly lines: readonly GivenLine[]; readonly isDoubtful: boolean };

export function skippedOf(people: readonly Listed[]): Skipped {
  const lines = people.flatMap(({ list: { lines: all = [], refusal } }) =>
    refusal === undefined ? all.filter(({ reason }) => reason !== undefined) : [],
  );
  return { lines, isDoubtful: people.some(({ list }) => list.isDoubtful === true) };
}

/** Names the lines that are left out; receipt and dry run have all of them. */
export function tellSkipped({ lines: skipped }: Skipped, { warn }: Pick<Context, 'warn'>): void {
  for (const line of skipped.slice(0, MOST_TOLD))
    warn(`${line.line === null ? 'an argument' : lineText(line)}: left out, ${line.reason}`);
  if (skipped.length > MOST_TOLD)
    warn(`and ${skipped.length - MOST_TOLD} more lines are left out; --dry-run -o csv shows all`);
}

function countLines({ length }: readonly GivenLine[]): string {
  return `${counted(length, 'line')} ${length === 1 ? 'is' : 'are'}`;
}

/** Throws `partial` if lines were left out, or people may be hidden: not all that was asked for is done. */
export function endWithSkipped({ lines: skipped, isDoubtful }: Skipped): void {
  if (isDoubtful)
    throw new CliError('partial', 'the person list may hide more people with these addresses', {
      hint: 'run the command again with a key that has the scope query:read, so that SQL can be asked',
    });
  if (skipped.length === 0) return;
  throw new CliError('partial', `${countLines(skipped)} left out`, {
    hint: 'correct them and run the command on them; --receipt and --dry-run -o csv say what is wrong with each',
  });
}

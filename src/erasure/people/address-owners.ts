import type { Context } from '../../cli/context.ts';
import { CliError, foreseen } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { foldAddress, formsOf } from '../../semantics/address.ts';
import { WHOLE_LIST } from '../../semantics/person-conditions.ts';
import { actOn, objectRows } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import type { Person } from '../../service/schemas.ts';
import { inLanes } from '../../system/lanes.ts';
import { stopIfAsked } from './resolve.ts';
import { keysWith } from './similar.ts';
import { createSqlTry, cut, MOST_SINGLE, sqlSize } from './sql.ts';

/** Whom an address belongs to. */
export type Owners = {
  /** Who has it as email, by the ids that are looked up. */
  readonly ids: readonly string[];
  /** Those of them whom the list showed, if few addresses were asked about. */
  readonly shown: readonly Person[];
  /** Who has it only under other keys or as distinct id, and which these are. */
  readonly others: readonly string[];
  readonly keys: readonly string[];
  /** Whether the list may hide more people: a search shows in place of them who has it as distinct id. */
  readonly isDoubtful: boolean;
};

export const NOBODY: Owners = { ids: [], shown: [], others: [], keys: [], isDoubtful: false };

/** Addresses of which each is looked for in every way, though SQL knows somebody. */
const FEW = 20;

/**
 * Looks up whom addresses belong to, in any case, with whole and taken apart accents, and with both forms of a domain: by
 * SQL if the key may, and in the person list, since a person may be in one of the two only.
 */
export async function findOwners(
  addresses: readonly string[],
  { isQuiet = false, isSparing = false }: { readonly isQuiet?: boolean; readonly isSparing?: boolean },
  context: Context,
): Promise<ReadonlyMap<string, Owners>> {
  const instead = isQuiet ? undefined : 'addresses are looked up in the person list only';
  const bySql = await findBySql(addresses, { instead }, context);
  const isThorough = bySql === undefined || addresses.length <= FEW;
  const storedAs = (address: string) => bySql?.get(foldAddress(address));
  const listed = isThorough ? undefined : await findListed(addresses, storedAs, context);
  // Only a search shows who has it under another key, and is spared with those who have it as email.
  const isOpen = (address: string) => isThorough || isSparing || !listed?.has(foldAddress(address));
  const searched = await searchAll(addresses.filter(isOpen), { isThorough, storedAs }, context);
  const ownersOf = (address: string): Owners => {
    const found = searched.get(address) ?? NOBODY;
    const folded = foldAddress(address);
    const all = [...(bySql?.get(folded)?.ids ?? []), ...(listed?.get(folded) ?? []), ...found.ids];
    const isDoubtful = found.isDoubtful && bySql === undefined;
    const shown = addresses.length <= FEW ? found.shown : [];
    return { ...found, shown, ids: [...new Set(all.map((id) => id.toLowerCase()))], isDoubtful };
  };
  return new Map(addresses.map((address) => [address, ownersOf(address)]));
}

type BySql = ReadonlyMap<string, Readonly<Record<'ids' | 'emails', readonly string[]>>>;

/** Persons by the folded address, and how it is written there; undefined if SQL is not to be asked, which is told. */
async function findBySql(
  addresses: readonly string[],
  { instead }: { readonly instead: string | undefined },
  context: Context,
): Promise<BySql | undefined> {
  const trySql = createSqlTry(context, { instead, isNeeded: addresses.length > MOST_SINGLE });
  const spellings = [...new Set(addresses.flatMap(smallForms))];
  const found = new Map<string, { readonly ids: string[]; readonly emails: string[] }>();
  for (const some of cut(spellings, sqlSize)) {
    const rows = await trySql((store) => store.findByEmail(some));
    if (rows === undefined) return undefined;
    for (const { uuid, email } of rows) {
      const { ids, emails } = found.get(foldAddress(email)) ?? { ids: [], emails: [] };
      found.set(foldAddress(email), { ids, emails });
      ids.push(actOn(uuid));
      emails.push(email);
    }
    stopIfAsked(context);
  }
  return found;
}

/** What the database makes of an address, which may know the case of ASCII letters only. */
function smallForms(address: string): readonly string[] {
  const asciiLower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return formsOf(address).flatMap((form) => [
    form.toLowerCase(),
    asciiLower(form),
    asciiLower(form.toUpperCase()),
  ]);
}

/** How the list is asked about an address letter by letter: as it was given, small, and as it is stored. */
function exactForms(address: string, stored: readonly string[] = []): readonly string[] {
  const small = formsOf(address).map((form) => form.toLowerCase());
  return [...new Set([...formsOf(address), ...small, foldAddress(address), ...stored])];
}

type StoredAs = (address: string) => { readonly emails: readonly string[] } | undefined;

/** Characters of addresses in the URL of one question to the person list: some servers take 4,094 of all. */
const MOST_ASKED = 3500;

const MOST_AT_ONCE = 6;

/** Persons of the list with exactly one of these addresses, by the folded one: many are asked about at a time. */
async function findListed(
  addresses: readonly string[],
  storedAs: StoredAs,
  context: Context,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const pieces: string[][] = [];
  let length = MOST_ASKED;
  for (const address of new Set(addresses.flatMap((one) => exactForms(one, storedAs(one)?.emails)))) {
    const own = encodeURIComponent(`"${address.toWellFormed()}",`).length;
    if (length + own > MOST_ASKED) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)?.push(address);
    length += own;
  }
  const ask = async (value: string[]) => {
    stopIfAsked(context);
    const wanted = new Set(value.map(foldAddress));
    for await (const person of listPersons(emailFilter('exact', value), context)) {
      const address = addressOf(person);
      if (address === undefined || !wanted.has(address)) throw ignoredFilter();
      found.set(address, [...(found.get(address) ?? []), idOf(person)]);
    }
  };
  await inLanes(pieces, ask, MOST_AT_ONCE);
  return found;
}

type Searching = { readonly isThorough: boolean; readonly storedAs: StoredAs };

/** Each of these by a search, and by itself in every other way if that is to be thorough. */
async function searchAll(
  addresses: readonly string[],
  { isThorough, storedAs }: Searching,
  context: Context,
): Promise<ReadonlyMap<string, Owners>> {
  const owners = new Map<string, Owners>();
  if (addresses.length === 0) return owners;
  const progress = context.progress({ label: 'addresses looked up', total: addresses.length });
  const askContaining = createContaining(context);
  const ask = async (address: string) => {
    stopIfAsked(context);
    const shown: Person[] = [];
    const exact = isThorough ? exactForms(address, storedAs(address)?.emails) : [];
    for (const email of exact)
      for await (const person of listPersons({ email }, context)) {
        if (addressOf(person) !== foldAddress(address)) throw ignoredFilter();
        shown.push(person);
      }
    for (const search of formsOf(address))
      for await (const person of listPersons({ search }, context)) shown.push(person);
    const containing = isThorough ? await askContaining(address) : [];
    owners.set(address, sort(address, [...shown, ...(containing ?? [])], containing === undefined));
    progress.update(owners.size);
  };
  await inLanes([...new Set(addresses)], ask).finally(progress.end);
  return owners;
}

/** Parts those who have an address as email from those who have it elsewhere, and from others. */
function sort(address: string, shown: readonly Person[], isSearchAlone: boolean): Owners {
  const own = new Map<string, Person>();
  const others = new Set<string>();
  const keys = new Set<string>();
  for (const person of shown) {
    const found = keysWith(person, address);
    if (addressOf(person) === foldAddress(address)) own.set(idOf(person), person);
    else if (found.length > 0) {
      others.add(idOf(person));
      for (const key of found) keys.add(key);
    }
  }
  return {
    ids: [...own.keys()],
    shown: [...own.values()],
    others: [...others],
    keys: [...keys].sort(),
    isDoubtful: isSearchAlone && shown.some((person) => keysWith(person, address).includes('distinct id')),
  };
}

/** Whose email contains an address, in any case; undefined from the service's first refusal to tell that on. */
function createContaining(context: Context) {
  let isRefused = false;
  return async (address: string): Promise<readonly Person[] | undefined> => {
    const found: Person[] = [];
    try {
      for (const form of formsOf(address)) {
        if (isRefused) return undefined;
        for await (const person of listPersons(emailFilter('icontains', form), context)) {
          // Somebody else shows that the service ignores the filter, and may list everybody.
          isRefused ||= !addressOf(person)?.includes(foldAddress(address));
          if (isRefused) return undefined;
          found.push(person);
        }
      }
    } catch (error) {
      if (foreseen(error).kind !== 'refused') throw error;
      isRefused = true;
      return undefined;
    }
    return found;
  };
}

type Condition = { readonly email: string } | { readonly search: string } | { readonly properties: Json };

function emailFilter(operator: string, value: Json): Condition {
  return { properties: [{ key: 'email', value, operator, type: 'person' }] };
}

async function* listPersons(condition: Condition, context: Context): AsyncGenerator<Person> {
  const client = await context.client();
  const { pageSize, shared } = WHOLE_LIST;
  const options = { pageSize, overlap: { rows: shared, after: [] } };
  for await (const page of client.pages(persons.list, condition, options)) yield* objectRows<Person>(page);
}

/** The email of a person as it is compared. */
function addressOf({ properties }: Person): string | undefined {
  const email = properties?.email;
  return typeof email === 'string' ? foldAddress(email) : undefined;
}

function idOf({ uuid, id }: Person): string {
  return actOn(uuid ?? id);
}

/**
 * All persons who have an address as email, as the person list shows them; whom SQL shows alone is asked about. Those who
 * have it elsewhere are named by the keys. Throws `authentication` if the list may hide people.
 */
export async function findByAddress(address: string, context: Context) {
  const owners = await findOwners([address], { isQuiet: true }, context);
  const { ids, shown, others, keys, isDoubtful } = owners.get(address) ?? NOBODY;
  if (isDoubtful) throw hiddenPeople(address);
  const client = await context.client();
  const people = [...shown];
  for (const id of ids) {
    if (shown.some((one) => idOf(one).toLowerCase() === id)) continue;
    const person = await client.call(persons.get, { id }).catch(ifMissing);
    if (person !== undefined && addressOf(person) === foldAddress(address)) people.push(person);
    else context.warn(`warning: SQL shows person ${id} with this email, and the person list does not`);
  }
  return { people, others, keys };
}

function ifMissing(error: unknown): undefined {
  if (foreseen(error).kind !== 'not-found') throw error;
}

/** What to throw if the list cannot be trusted to show everybody who has an address. */
export function hiddenPeople(address: string): CliError {
  return new CliError(
    'authentication',
    `the person list may hide people with the email "${address}" behind a person who has it as distinct id`,
    { hint: 'give the key the scope query:read, so that SQL can be asked; nothing was sent' },
  );
}

function ignoredFilter(): CliError {
  return new CliError('refused', 'the service answered with persons who do not have the address', {
    hint: 'nothing was changed; the service may ignore the filter, so check the host or give person ids',
  });
}

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
import { readFirst } from './stores.ts';

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
  const control = createControl(context);
  const listing = { storedAs, control };
  const listed = isThorough ? undefined : await findListed(addresses, listing, context);
  // Only a search shows who has it under another key, and is spared with those who have it as email.
  const isOpen = (address: string) => isThorough || isSparing || !listed?.has(foldAddress(address));
  const searched = await searchAll(addresses.filter(isOpen), { isThorough, storedAs }, context);
  const isMissing = (address: string) => {
    const { ids, others } = searched.get(address) ?? NOBODY;
    return [ids, others, storedAs(address)?.ids ?? [], listed?.get(foldAddress(address)) ?? []].every(
      ({ length }) => length === 0,
    );
  };
  const missing = addresses.filter(isMissing);
  const again = missing.length > 0 && isThorough ? await findListed(missing, listing, context) : undefined;
  if (missing.length > 0) await control.search();
  const ownersOf = (address: string): Owners => {
    const found = searched.get(address) ?? NOBODY;
    const folded = foldAddress(address);
    const inList = [listed, again].flatMap((some) => some?.get(folded) ?? []);
    const all = [...(bySql?.get(folded)?.ids ?? []), ...inList, ...found.ids];
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

/**
 * Persons of the list with exactly one of these addresses, by the folded one. Many are asked about at a time, and with
 * them somebody who is known to be there. Throws `unavailable` if an answer lacks both an address and this person.
 */
async function findListed(
  addresses: readonly string[],
  { storedAs, control }: { readonly storedAs: StoredAs; readonly control: Control },
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
    const known = await control.find();
    const wanted = new Set(value.map(foldAddress));
    const all = known === undefined ? value : [...value, known.email];
    const beside = known && foldAddress(known.email);
    let isShown = known === undefined;
    for await (const person of listPersons(emailFilter('exact', all), context)) {
      const address = addressOf(person);
      if (address === undefined || (!wanted.has(address) && address !== beside)) throw ignoredFilter();
      isShown ||= idOf(person) === known?.id;
      if (wanted.has(address)) found.set(address, [...(found.get(address) ?? []), idOf(person)]);
    }
    if (!isShown && [...wanted].some((address) => !found.has(address))) throw withoutControl();
  };
  await inLanes(pieces, ask, MOST_AT_ONCE);
  return found;
}

type Control = ReturnType<typeof createControl>;

/** Short, since it stands beside many others in a URL. */
const CONTROL = /^[^\s@]{1,50}@[^\s@]{1,50}$/;

/**
 * Somebody who is there, and has an email: an answer without them does not tell that nobody has an address. Absent if
 * nobody has one.
 */
function createControl(context: Context) {
  let known: Promise<{ readonly id: string; readonly email: string } | undefined> | undefined;
  const find = async () => {
    const client = await context.client();
    const first = await readFirst(client);
    if (first.persons.length === 0 && !first.isEmpty) throw withoutControl();
    const filter = { ...emailFilter('is_set', 'is_set'), limit: 10 };
    const isKnown = ({ properties }: Person) => CONTROL.test(String(properties?.email));
    const one =
      first.persons.find(isKnown) ?? (await client.call(persons.list, filter)).results.find(isKnown);
    return one && { id: idOf(one), email: String(one.properties?.email) };
  };
  return {
    find: () => (known ??= find()),
    /** Throws `unavailable` if a search shows neither them nor who has their address as distinct id. */
    async search(): Promise<void> {
      const one = await this.find();
      if (one === undefined) return;
      for await (const person of listPersons({ search: one.email }, context))
        if (keysWith(person, one.email).length > 0) return;
      throw withoutControl();
    },
  };
}

/** What to throw if the list does not show its control, so that nobody can be taken for missing. */
export function withoutControl(): CliError {
  return new CliError('unavailable', 'the person list does not show somebody who is known to be there', {
    hint: 'so it cannot tell who has no person; nothing was sent: check project and host, and try again',
  });
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
 * have it elsewhere are named by the keys. Throws `authentication` if the list may hide people, and `unavailable` if SQL
 * shows somebody whom the list does not have.
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
    if (person === undefined) throw onlyInSql(address, id);
    if (addressOf(person) === foldAddress(address)) people.push(person);
    else context.warn(`warning: SQL shows person ${id} with this email, and the person list with another`);
  }
  return { people, others, keys };
}

/** Either of the two may be behind, so nobody knows whether that is one person, or one more. */
function onlyInSql(address: string, id: string): CliError {
  return new CliError('unavailable', `only SQL shows person ${id} with the email "${address}"`, {
    hint: 'nothing was done; try again in some minutes, or name the person by id',
  });
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

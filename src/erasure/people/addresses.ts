import type { Context } from '../../cli/context.ts';
import { CliError, counted, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { WHOLE_LIST } from '../../semantics/person-conditions.ts';
import { actOn, objectRows } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import type { Person } from '../../service/schemas.ts';
import { inLanes } from '../../system/lanes.ts';
import {
  collectIds,
  type GivenLine,
  type GivenPeople,
  type IdList,
  type Listed,
  lineText,
  normalizeId,
  type People,
} from '../input/given.ts';
import { createResolution, stopIfAsked } from './resolve.ts';
import { fold, keysWith } from './similar.ts';
import { createSqlTry, cut, MOST_SINGLE, sqlSize } from './sql.ts';

/** The persons of addresses. Only they become the object of a call. */
type AddressedPeople = {
  readonly people: GivenPeople;
  readonly addresses: number;
};

/** Who has an address as email, and who has it under which other keys. */
type Match = { readonly [Name in 'ids' | 'others' | 'keys']: readonly string[] };
type Matches = ReadonlyMap<string, Match>;

/** To spare people, those count too who have the address under another key. */
type Looking = { readonly isSparing?: boolean };

/**
 * Looks up whom addresses belong to, without regard to case: by SQL if the key may, and in the person list, since a
 * person may be in one of the two only. Names each line whose address several persons have, or none.
 */
export async function resolveAddresses(
  list: IdList<'emails'>,
  options: Looking,
  context: Context,
): Promise<AddressedPeople> {
  const bySql = await findBySql(list.ids, context);
  // Only a search shows who has an address under another key.
  const isSingle = (address: string) => options.isSparing || !bySql.has(fold(address));
  const [single, others] = [list.ids.filter(isSingle), list.ids.filter((address) => !isSingle(address))];
  const matches = await searchAll(single, options, context);
  const written = others.flatMap((one) => [one, fold(one), ...(bySql.get(fold(one))?.emails ?? [])]);
  const listed = await findListed(written, context);
  for (const address of list.ids) {
    const { ids: own, others: under, keys } = matchOf(matches, address);
    const all = [...(bySql.get(fold(address))?.ids ?? []), ...own, ...(listed.get(fold(address)) ?? [])];
    const ids = [...new Set(all.map((id) => normalizeId('ids', id)))];
    matches.set(address, { ids, others: under, keys });
  }
  tellMatches(list, matches, context);
  return toPeople(list, matches);
}

function formsOf(address: string): readonly string[] {
  return [...new Set([address, address.normalize('NFC'), address.normalize('NFD')])];
}

function spellingsOf(address: string): readonly string[] {
  const asciiLower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const all = (form: string) => [form.toLowerCase(), asciiLower(form), asciiLower(form.toUpperCase())];
  return formsOf(address).flatMap(all);
}

type BySql = ReadonlyMap<string, Readonly<Record<'ids' | 'emails', readonly string[]>>>;

/** Persons by the folded address, and how it is written there. None if SQL is not to be asked, which is told. */
async function findBySql(addresses: readonly string[], context: Context): Promise<BySql> {
  const instead = 'addresses are looked up in the person list only';
  const trySql = createSqlTry(context, { instead, isNeeded: addresses.length > MOST_SINGLE });
  const spellings = [...new Set(addresses.flatMap(spellingsOf))];
  const found = new Map<string, { readonly ids: string[]; readonly emails: string[] }>();
  for (const some of cut(spellings, sqlSize)) {
    const rows = await trySql((store) => store.findByEmail(some));
    if (rows === undefined) return new Map();
    for (const { uuid, email } of rows) {
      const { ids, emails } = found.get(fold(email)) ?? { ids: [], emails: [] };
      found.set(fold(email), { ids, emails });
      ids.push(actOn(uuid));
      emails.push(email);
    }
    stopIfAsked(context);
  }
  return found;
}

/** Characters of addresses in the URL of one question to the person list: some servers take 4,094 of all. */
const MOST_ASKED = 3500;

const MOST_AT_ONCE = 6;

/** Persons of the list with exactly one of these addresses, by the folded one: many are asked about at a time. */
async function findListed(addresses: readonly string[], context: Context) {
  const found = new Map<string, string[]>();
  const pieces: string[][] = [];
  let length = MOST_ASKED;
  for (const address of new Set(addresses)) {
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
    const wanted = new Set(value.map(fold));
    const properties = [{ key: 'email', value, operator: 'exact', type: 'person' }];
    for await (const person of listPersons({ properties }, context)) {
      const address = addressOf(person);
      if (address === undefined || !wanted.has(address)) throw ignoredFilter();
      found.set(address, [...(found.get(address) ?? []), actOn(person.uuid ?? person.id)]);
    }
  };
  await inLanes(pieces, ask, MOST_AT_ONCE);
  return found;
}

async function searchAll(
  addresses: readonly string[],
  options: Looking,
  context: Context,
): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  if (addresses.length === 0) return matches;
  const total = addresses.length;
  const progress = context.progress({ label: 'addresses looked up', total });
  let done = 0;
  const search = async (address: string) => {
    stopIfAsked(context);
    const { ids, others, keys } = await findInList(address, context);
    matches.set(address, { ids: options.isSparing ? [...ids, ...others] : ids, others, keys });
    done += 1;
    progress.update(done);
  };
  await inLanes(addresses, search).finally(progress.end);
  return matches;
}

/** By the exact address, and by a search, which is fuzzy and shows it in another case and under other keys. */
async function findInList(address: string, context: Context): Promise<Match> {
  const ids = new Set<string>();
  const others = new Set<string>();
  const keys = new Set<string>();
  for (const form of formsOf(address)) {
    for await (const person of listPersons({ email: form }, context)) {
      if (!hasAddress(person, address)) throw ignoredFilter();
      ids.add(actOn(person.uuid ?? person.id));
    }
    for await (const person of listPersons({ search: form }, context)) {
      const id = actOn(person.uuid ?? person.id);
      if (hasAddress(person, address)) ids.add(id);
      else
        for (const key of keysWith(person, address)) {
          keys.add(key);
          others.add(id);
        }
    }
  }
  return { ids: [...ids], others: [...others], keys: [...keys].sort() };
}

async function* listPersons(
  conditions: { readonly email: string } | { readonly search: string } | { readonly properties: Json },
  context: Context,
): AsyncGenerator<Person> {
  const client = await context.client();
  const { pageSize, shared } = WHOLE_LIST;
  const options = { pageSize, overlap: { rows: shared, after: [] } };
  for await (const page of client.pages(persons.list, conditions, options)) yield* objectRows<Person>(page);
}

/** The email of a person as it is compared. */
function addressOf({ properties }: Person): string | undefined {
  const email = properties?.email;
  return typeof email === 'string' ? fold(email) : undefined;
}

function hasAddress(person: Person, address: string): boolean {
  return addressOf(person) === fold(address);
}

function ignoredFilter(): CliError {
  return new CliError('refused', 'the service answered with persons who do not have the address', {
    hint: 'nothing was deleted; the service may ignore the filter, so check the host or give person ids',
  });
}

/** Lines that are told one by one. */
const MOST_TOLD = 100;

function tellMatches(list: IdList<'emails'>, matches: Matches, context: Context): void {
  const told = linesOf(list).flatMap(({ place, line: { id, reason } }) => {
    if (reason !== undefined) return [];
    const { ids, keys } = matchOf(matches, id);
    if (ids.length > 1) return `${place}: all ${ids.length} persons with this address are included`;
    if (ids.length === 1) return [];
    const others = keys.length === 0 ? '' : `; somebody has it as ${keys.join(', ')} and is not included`;
    return `${place}: no person has this email${others}`;
  });
  for (const text of told.slice(0, MOST_TOLD)) context.warn(text);
  if (told.length > MOST_TOLD)
    context.warn(`and ${told.length - MOST_TOLD} more lines; --dry-run -o csv shows all`);
  const count = (isWanted: (count: number) => boolean) =>
    list.ids.filter((id) => isWanted(matchOf(matches, id).ids.length)).length;
  context.note(
    `${counted(list.ids.length, 'address', 'addresses')}${list.asked > list.ids.length ? ` on ${list.asked} lines` : ''}: ${count((one) => one === 1)} with one person, ${count((one) => one > 1)} with several, ${count((one) => one === 0)} with none`,
  );
}

function matchOf(matches: Matches, address: string): Match {
  return matches.get(address) ?? { ids: [], others: [], keys: [] };
}

/** Each line with where it stands: of a file, or among the arguments. */
function linesOf({
  lines = [],
}: IdList<'emails'>): readonly { readonly place: string; readonly line: GivenLine }[] {
  let argument = 0;
  return lines.map((line) => {
    if (line.line !== null) return { place: lineText(line), line };
    argument += 1;
    return { place: `address ${argument}`, line };
  });
}

/** A list of persons, with a line for each person of each line. */
function toPeople(list: IdList<'emails'>, matches: Matches): AddressedPeople {
  const all = list.ids.map((address) => matchOf(matches, address).ids);
  const { ids, kind } = collectIds('ids', all.flat());
  const lines = (list.lines ?? []).flatMap((line) =>
    line.reason !== undefined ? line : toLines(line, matchOf(matches, line.id).ids),
  );
  return {
    people: { list: { ...list, ids, asked: ids.length, kind, areAddresses: true, notes: [], lines } },
    addresses: list.ids.length,
  };
}

function toLines(
  { id: given, line, file, own, received }: GivenLine,
  ids: readonly string[],
): readonly GivenLine[] {
  const found = ids.length > 1 ? 'several' : 'found';
  const outcome = ids.length === 0 ? 'nobody' : found;
  const address = { given, outcome } as const;
  const common = { kind: 'ids', line, file, received, own: own ?? { given }, address } as const;
  return ids.length === 0 ? [{ ...common, id: '' }] : ids.map((id) => ({ ...common, id }));
}

/**
 * Without persons whom SQL shows with an address and the person list with another one, or not at all: SQL may be
 * behind, and their request is somebody else's. Names each line.
 */
export function leaveOutOthers({ list, resolution: all }: People, context: Context): People {
  const people = new Map(list.ids.map((id, at) => [id, all.at(at)]));
  const howOther = ({ id, address }: GivenLine) => {
    const person = people.get(normalizeId('ids', id));
    if (address === undefined || person === undefined) return undefined;
    if (person === null) return 'does not have';
    // Without properties in the answer, nothing tells against the address.
    const isOther = person.email !== undefined && fold(person.email ?? '') !== fold(address.given);
    return isOther ? 'shows with another' : undefined;
  };
  const kept = new Map<string, Set<string>>();
  const keyOf = (line: GivenLine) => JSON.stringify([line.file, line.line, line.address?.given]);
  for (const line of list.lines ?? [])
    if (howOther(line) === undefined)
      kept.set(keyOf(line), (kept.get(keyOf(line)) ?? new Set()).add(normalizeId('ids', line.id)));
  const lines = list.lines?.flatMap((line) => {
    const { given = '', outcome } = line.address ?? {};
    const how = howOther(line);
    const count = kept.get(keyOf(line))?.size ?? 0;
    if (how === undefined)
      return outcome === 'several' && count === 1
        ? { ...line, address: { given, outcome: 'found' as const } }
        : line;
    const place = line.line === null ? 'an address' : lineText(line);
    context.warn(`${place}: SQL shows a person with this email, whom the person list ${how}; not included`);
    return count > 0 ? [] : { ...line, id: '', address: { given, outcome: 'nobody' as const } };
  });
  const left = new Set([...kept.values()].flatMap((some) => [...some]));
  const resolution = createResolution({ withNames: true });
  const ids = list.ids.filter((id) => left.has(id));
  for (const id of ids) resolution.add(people.get(id) ?? null);
  const asked = list.asked - list.ids.length + ids.length;
  return { list: { ...list, ids, asked, ...(lines && { lines }) }, resolution };
}

/** People may share an address, and with --yes no person looks at them. */
export function refuseSeveral(
  people: readonly People[],
  { max }: { readonly max?: number | undefined },
  context: Context,
): void {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  const shared = lines.flatMap(({ address }) => (address?.outcome === 'several' ? address.given : []));
  const several = new Set(shared).size;
  if (several === 0 || max !== undefined || context.dryRun || !context.options.yes) return;
  throw usageError(
    `${counted(several, 'address', 'addresses')} ${several === 1 ? 'belongs' : 'belong'} to several persons, so --yes needs --max`,
    'add --max <n>, the most persons you expect',
  );
}

/** What to throw if all distinct ids are addresses and the look-up knows none of them. */
export function addressesAsIds(people: readonly Listed[]): CliError | undefined {
  const wrong = people.find(
    ({ list, resolution }) =>
      list.kind === 'distinct-ids' &&
      resolution?.found === 0 &&
      list.ids.every((id) => /^[^\s@]+@[^\s@]+$/.test(id)),
  );
  if (wrong === undefined) return undefined;
  const { length } = wrong.list.ids;
  return usageError(
    `no person has ${length === 1 ? 'the address' : `any of the ${length} addresses`} as a distinct id`,
    'nothing was sent; use --emails, or --as emails with --from, to find people by email',
  );
}

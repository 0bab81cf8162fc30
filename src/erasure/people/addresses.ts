import type { Context } from '../../cli/context.ts';
import { type CliError, counted, usageError } from '../../errors.ts';
import { foldAddress } from '../../semantics/address.ts';
import {
  collectIds,
  type GivenLine,
  type GivenPeople,
  type IdList,
  type Listed,
  lineText,
  MOST_TOLD,
  normalizeId,
  type People,
} from '../input/given.ts';
import { findOwners, hiddenPeople, NOBODY, type Owners } from './address-owners.ts';
import { createResolution } from './resolve.ts';

/** The persons of addresses. Only they become the object of a call. */
type AddressedPeople = {
  readonly people: GivenPeople;
  readonly addresses: number;
};

type Looking = {
  /** To spare people, those count too who have the address under another key. */
  readonly isSparing?: boolean;
};

type OwnersOf = (address: string) => Owners;

/** Looks up whom the addresses of a list belong to. Names each line whose address several persons have, or none. */
export async function resolveAddresses(
  list: IdList<'emails'>,
  { isSparing = false }: Looking,
  context: Context,
): Promise<AddressedPeople> {
  const found = await findOwners(list.ids, { isSparing }, context);
  const ownersOf: OwnersOf = (address) => {
    const owners = found.get(address) ?? NOBODY;
    return isSparing ? { ...owners, ids: [...owners.ids, ...owners.others] } : owners;
  };
  const doubtful = list.ids.find((address) => ownersOf(address).isDoubtful);
  if (doubtful !== undefined && isSparing) throw hiddenPeople(doubtful);
  tellMatches(list, ownersOf, context);
  return toPeople(list, ownersOf, { isDoubtful: doubtful !== undefined });
}

function tellMatches(list: IdList<'emails'>, ownersOf: OwnersOf, context: Context): void {
  const told = linesOf(list).flatMap(({ place, line: { id, reason } }) => {
    if (reason !== undefined) return [];
    const { ids, keys } = ownersOf(id);
    if (ids.length > 1) return `${place}: all ${ids.length} persons with this address are included`;
    if (ids.length === 1) return [];
    const others =
      keys.length === 0 ? '' : `; another person has it as ${keys.join(', ')} and is not included`;
    return `${place}: no person has this email${others}`;
  });
  for (const text of told.slice(0, MOST_TOLD)) context.warn(text);
  if (told.length > MOST_TOLD)
    context.warn(`and ${told.length - MOST_TOLD} more lines; --dry-run -o csv shows all`);
  const count = (isWanted: (count: number) => boolean) =>
    list.ids.filter((id) => isWanted(ownersOf(id).ids.length)).length;
  context.note(
    `${counted(list.ids.length, 'address', 'addresses')}${list.asked > list.ids.length ? ` on ${list.asked} lines` : ''}: ${count((one) => one === 1)} with one person, ${count((one) => one > 1)} with several, ${count((one) => one === 0)} with none`,
  );
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
function toPeople(
  list: IdList<'emails'>,
  ownersOf: OwnersOf,
  doubt: Pick<IdList, 'isDoubtful'>,
): AddressedPeople {
  const all = list.ids.map((address) => ownersOf(address).ids);
  const { ids, kind } = collectIds('ids', all.flat());
  const lines = (list.lines ?? []).flatMap((line) =>
    line.reason !== undefined ? line : toLines(line, ownersOf(line.id).ids),
  );
  return {
    people: {
      list: { ...list, ...doubt, ids, asked: ids.length, kind, areAddresses: true, notes: [], lines },
    },
    addresses: list.ids.length,
  };
}

function toLines(line: GivenLine, ids: readonly string[]): readonly GivenLine[] {
  const { id: given, own = { given } } = line;
  const found = ids.length > 1 ? 'several' : 'found';
  const outcome = ids.length === 0 ? 'nobody' : found;
  const address = { given, outcome } as const;
  const common = { ...line, kind: 'ids', own, address } as const;
  return ids.length === 0 ? [{ ...common, id: '' }] : ids.map((id) => ({ ...common, id }));
}

/**
 * Without persons whom SQL shows with an address and the person list with another one: SQL may be behind, and their
 * request is somebody else's. Whom the list does not show at all is in doubt, as with an id. Names each line.
 */
export function leaveOutOthers({ list, resolution: all }: People, context: Context): People {
  const positions = new Map(list.ids.map((id, at) => [id, at]));
  const positionOf = ({ id }: GivenLine) => positions.get(normalizeId('ids', id)) ?? -1;
  const isDoubtful = (line: GivenLine) => all.doubtful(positionOf(line)) !== undefined;
  const howOther = (line: GivenLine) => {
    const at = positionOf(line);
    if (line.address === undefined || at < 0 || isDoubtful(line)) return undefined;
    const person = all.at(at);
    if (person === null) return 'does not have';
    // Without properties in the answer, nothing tells against the address.
    const isOther =
      person.email !== undefined && foldAddress(person.email ?? '') !== foldAddress(line.address.given);
    return isOther ? 'shows with another' : undefined;
  };
  const keyOf = (line: GivenLine) => JSON.stringify([line.file, line.line, line.address?.given]);
  const kept = new Map<string, Set<number>>();
  for (const line of list.lines ?? [])
    if (howOther(line) === undefined)
      kept.set(keyOf(line), (kept.get(keyOf(line)) ?? new Set()).add(positionOf(line)));
  const lines = list.lines?.flatMap((line) => {
    const { given = '', outcome } = line.address ?? {};
    const how = howOther(line);
    const own = [...(kept.get(keyOf(line)) ?? [])];
    const place = line.line === null ? 'an address' : lineText(line);
    if (isDoubtful(line)) {
      context.warn(`${place}: only SQL shows a person with this email, who is in doubt and not sent`);
      return { ...line, address: { given, outcome: 'in doubt' as const } };
    }
    if (how === undefined) {
      const isOnly = outcome === 'several' && own.filter((at) => all.at(at) !== null).length === 1;
      return isOnly ? { ...line, address: { given, outcome: 'found' as const } } : line;
    }
    context.warn(`${place}: SQL shows a person with this email, whom the person list ${how}; not included`);
    return own.length > 0 ? [] : { ...line, id: '', address: { given, outcome: 'nobody' as const } };
  });
  const left = new Set([...kept.values()].flatMap((some) => [...some]));
  const resolution = createResolution({ withNames: true });
  const ids = list.ids.filter((_, at) => left.has(at));
  for (const at of list.ids.keys()) if (left.has(at)) resolution.add(all.at(at), all.doubtful(at));
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

function addressesIn(ids: readonly string[]): number {
  return ids.filter((id) => /^[^\s@]+@[^\s@]+$/.test(id)).length;
}

/** What to throw if most distinct ids are addresses and the look-up knows none of them. */
export function addressesAsIds(people: readonly Listed[]): CliError | undefined {
  const wrong = people.find(
    ({ list, resolution }) =>
      list.kind === 'distinct-ids' && resolution?.found === 0 && addressesIn(list.ids) * 2 > list.ids.length,
  );
  if (wrong === undefined) return undefined;
  const length = addressesIn(wrong.list.ids);
  return usageError(
    `no person has ${length === 1 ? 'the address' : `any of the ${length} addresses`} as a distinct id`,
    'nothing was sent; use --emails, or --as emails with --from, to find people by email',
  );
}

import { CliError } from '../errors.ts';
import type { Dialect, Endpoint } from '../service/endpoint.ts';
import { platform } from '../service/platform.ts';
import type { Group } from './command/groups.ts';
import type { Context } from './context.ts';

/** `yes`, `no`, or `by query`: the service refuses the operation to keys, and a query does its job. */
type Right = 'yes' | 'no' | 'by query';

/** Whether a key with these scopes may run an operation. `:write` includes `:read`, `*` everything. */
export function keyRight(row: Endpoint, scopes: readonly string[], dialect: Dialect): Right {
  if (dialect === 'live' && row.keyAccess !== 'accepted')
    return hasScopes(['query:read'], scopes) ? 'by query' : 'no';
  return hasScopes(neededScopes(row, dialect), scopes) ? 'yes' : 'no';
}

/** The scopes an operation needs, as the specification or the live service has it. */
export function neededScopes(row: Endpoint, dialect: Dialect): readonly string[] {
  return (dialect === 'live' ? row.live?.scopes : undefined) ?? row.scopes;
}

function hasScopes(needed: readonly string[], scopes: readonly string[]): boolean {
  return needed.every(
    (scope) =>
      scopes.includes('*') || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write')),
  );
}

/** What the key in use may do, or nothing, with a note, where there is none or the service does not tell. */
export async function findRights(context: Context) {
  try {
    const { dialect } = await context.settings();
    const { scopes } = await (await context.client()).call(platform.ownKey, {});
    return scopes && { dialect, scopes };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const reason = failure.kind === 'not-found' ? 'the service does not tell' : failure.message;
    context.note(`What the key may run is not shown: ${reason}.`);
    return undefined;
  }
}

type Named = { readonly path: string; readonly place: number };

/**
 * The command of each operation, by the operation's id: the one that points at the row before all others, and of
 * several such the first. A command that reads a row along the way does not stand for it.
 */
export async function commandsByRow(groups: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, Named>();
  for (const group of groups) {
    for (const command of await group.load()) {
      const path = group.single ? group.name : `${group.name} ${command.name}`;
      for (const [place, row] of command.endpoints.entries()) {
        const known = found.get(row.id);
        if (known === undefined || place < known.place) found.set(row.id, { path, place });
      }
    }
  }
  return new Map([...found].map(([id, { path }]) => [id, path]));
}

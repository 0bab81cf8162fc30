import type { Group } from '../../cli/command/groups.ts';

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

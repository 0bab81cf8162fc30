import type { GroupEntry } from '../../cli/command/catalogue.ts';

/** The command of each operation, by the operation's id; the first command that points at a row stands for it. */
export async function commandsByRow(groups: readonly GroupEntry[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const group of groups) {
    for (const command of await group.load()) {
      const path = group.single ? group.name : `${group.name} ${command.name}`;
      for (const row of command.endpoints) {
        if (!found.has(row.id)) found.set(row.id, path);
      }
    }
  }
  return found;
}

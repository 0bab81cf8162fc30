import type { Group, Outline } from '../../src/cli/command/define-group.ts';

/** What the help of each noun shows, as its commands say it. */
export async function outlineOf(groups: readonly Group[]): Promise<Readonly<Record<string, Outline>>> {
  const nouns = groups.filter((group) => !group.single);
  const outlines = nouns.map(async (group) => {
    const commands = await group.load();
    const verbs = commands.map(({ name, aliases, summary }) => ({ name, aliases, summary }));
    return [group.name, { example: commands[0]?.examples[0] ?? group.name, verbs }] as const;
  });
  return Object.fromEntries(await Promise.all(outlines));
}

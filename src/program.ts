import { parseArguments } from './cli/command/program.ts';
import { groups } from './commands/index.ts';
import { completionTree, type Tree } from './completion/tree.ts';

/** All that the build makes one file of. `main.ts` loads it, and the sandbox takes the errors from it. */
export { run } from './cli/run.ts';
export * from './errors.ts';
export { openSystem } from './system/open-system.ts';
export { groups };

/** What --help shows for each noun and command, each with the words that ask for it before it, between form feeds. */
export async function helpTexts(): Promise<string> {
  const lines = [[], ...(await Promise.all(groups.map(linesOf))).flat()];
  const texts = lines.map(async (line) => {
    const parsed = await parseArguments([...line, '--help'], groups);
    if (parsed.kind !== 'help') throw new Error(`${line.join(' ')} has no help`);
    return `\f${line.join(' ')}\n${parsed.text}`;
  });
  return `${(await Promise.all(texts)).join('')}\f`;
}

async function linesOf({ name, single, load }: (typeof groups)[number]): Promise<readonly string[][]> {
  const commands = single ? [] : await load();
  const verbs = commands.flatMap((command) => [command.name, ...command.aliases]);
  return [[name], ...verbs.map((verb) => [name, verb])];
}

/** What Tab is answered from. */
export const commandTree = (): Promise<Tree> => completionTree(groups);

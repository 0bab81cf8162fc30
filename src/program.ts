import { parseArguments } from './cli/command/program.ts';
import { TOPICS } from './cli/command/topics.ts';
import { groups } from './commands/index.ts';
import type { FileNames } from './completion/names-in-file.ts';
import { type Tree, writeTree } from './completion/tree.ts';

/** All that the build makes one file of. `main.ts` loads it, and the sandbox takes the errors from it. */
export { run } from './cli/run.ts';
export * from './errors.ts';
export { openSystem } from './system/open-system.ts';
export { groups };

/** What --help shows for each noun and command, each with the words that ask for it before it, between form feeds. */
export async function helpTexts(): Promise<string> {
  const lines = [[], ...(await Promise.all(groups.map(linesOf))).flat()];
  const texts = lines.map(async (line) => {
    const [short, all] = await Promise.all([helpOf([...line, '--help']), helpOf(['help', ...line])]);
    const words = line.join(' ');
    return `\f${words}\n${short}${all === short ? '' : `\fhelp ${words}\n${all}`}`;
  });
  return `${(await Promise.all(texts)).join('')}\f`;
}

async function helpOf(line: readonly string[]): Promise<string> {
  const parsed = await parseArguments(line, groups);
  if (parsed.kind !== 'help') throw new Error(`${line.join(' ')} is no help`);
  return parsed.text;
}

async function linesOf({ name, single, load }: (typeof groups)[number]): Promise<readonly string[][]> {
  const commands = single ? [] : await load();
  const verbs = commands.flatMap((command) => [command.name, ...command.aliases]);
  return [[name], ...verbs.map((verb) => [name, verb])];
}

/** What Tab is answered from. */
export const treeText = async (): Promise<string> => writeTree(await completionTree());

/** For Tab, which is seldom about a file. */
export const namesInFile = async (file: FileNames): Promise<readonly string[]> =>
  (await import('./completion/names-in-file.ts')).namesInFile(file);

/** The whole command line as data. */
export async function completionTree(): Promise<Tree> {
  const nouns = groups.map(async ({ name, summary, single, load }) => {
    const commands = (await load()).map(({ endpoints, description, examples, rare, run, ...known }) => known);
    return single ? { name, summary, single, commands } : { name, summary, commands };
  });
  const topics = TOPICS.map(({ name, summary }) => ({ name, summary }));
  return { nouns: await Promise.all(nouns), topics };
}

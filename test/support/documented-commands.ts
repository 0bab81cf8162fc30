import { GLOBAL_OPTIONS } from '../../src/cli/command/options.ts';
import { parseArguments } from '../../src/cli/command/program.ts';
import { readCommandInput, readOptions } from '../../src/cli/command/read-input.ts';
import { groups } from '../../src/commands/index.ts';
import { splitWords } from './split-words.ts';

/** Every hogctl command in the shell blocks and the code spans of a Markdown text, without the word hogctl. */
export function documentedCommands(markdown: string): readonly string[] {
  const commands: string[] = [];
  let language: string | undefined;
  for (const line of markdown.replaceAll('\\\n', ' ').split('\n')) {
    const fence = /^ *```(\w*)/.exec(line);
    if (fence) {
      language = language === undefined ? (fence[1] ?? '') : undefined;
    } else if (language === undefined) {
      for (const [, code = ''] of line.matchAll(/`([^`]+)`/g)) commands.push(...commandsIn(code));
    } else if (language !== 'text' && language !== 'json') {
      commands.push(...commandsIn(line));
    }
  }
  return commands;
}

/** The commands of a shell line, those inside quotes, pipes and substitutions too. */
function commandsIn(line: string): readonly string[] {
  const found = line.matchAll(/(?<before>^|[\s('"|;&])hogctl(?=\s)/g);
  return [...found].map((match) => {
    const start = match.index + match[0].length;
    return upToEnd(line.slice(start), match.groups?.before ?? '').trim();
  });
}

function upToEnd(text: string, opening: string): string {
  let quote = '';
  for (const [at, letter] of [...text].entries()) {
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === opening && /['"]/.test(opening)) {
      return text.slice(0, at);
    } else if (/['"]/.test(letter)) {
      quote = letter;
    } else if (/[|;&)<>]/.test(letter) || (letter === '#' && text[at - 1] === ' ')) {
      return text.slice(0, at).replace(/ \d$/, '');
    }
  }
  return text;
}

/** Parses a command and reads its options and arguments as the program does. Throws what the program would say. */
export async function tryCommand(command: string): Promise<void> {
  const parsed = await parseArguments(splitWords(command), groups);
  if (parsed.kind === 'help' && !parsed.wanted) throw new Error(`"${command}" names no command`);
  if (parsed.kind !== 'command') return;
  // Any file and standard input hold an empty object here, since what is in them is not the document's to say.
  const readText = async () => '{}';
  await readOptions(GLOBAL_OPTIONS, parsed.options, readText);
  await readCommandInput(parsed.command, parsed, readText);
}

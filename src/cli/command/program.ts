import { type CliError, usageError } from '../../errors.ts';
import type { Group } from './define-group.ts';
import { groupHelp, rootHelp, standIns, topicHelp } from './help.ts';
import { TOPICS } from './help-topics.ts';
import type { Parsed } from './parsed.ts';
import { rewrite, scan } from './scan.ts';

/**
 * Parses argv (without node and script). Help of nouns is answered without the parser, whose loading costs as much.
 * Throws a usage error for whatever does not parse.
 */
export async function parseArguments(argv: readonly string[], groups: readonly Group[]): Promise<Parsed> {
  const line = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const { words, help, output } = scan(line);
  if (line.includes('--version') && words.length === 0) return { kind: 'version' };
  const group = groups.find(({ name }) => name === words[0]);
  if (!group) {
    const topic = argv[0] === 'help' && TOPICS.find(({ name }) => name === words[0]);
    if (topic) return { kind: 'help', text: topicHelp(topic), wanted: true };
    return withoutGroup({ words, groups, line });
  }
  const [, verb] = words;
  if (!group.single && verb === undefined) {
    const wantsJson = output === 'json' || output === 'ndjson';
    if (wantsJson && !help) throw lacksVerb(group.name);
    return { kind: 'help', text: groupHelp(group), wanted: help };
  }
  const command = await group.find(verb ?? '');
  const options = command ? { ...standIns(command), ...command.options } : {};
  // The words that follow the name of a command that passes them through are another program's.
  const most = command?.passThrough ? 2 : undefined;
  const { runParser } = await import('./run-parser.ts');
  return runParser({ line: rewrite(line, options, most), group, command });
}

function lacksVerb(noun: string): CliError {
  return usageError(`a command is missing after ${noun}`, `hogctl ${noun} --help lists the commands`);
}

function withoutGroup(found: {
  words: readonly string[];
  groups: readonly Group[];
  line: readonly string[];
}): Parsed {
  const { words, groups, line } = found;
  const [word] = words;
  if (word !== undefined) {
    throw usageError(
      `there is no command "${word}"`,
      suggestion(
        word,
        groups.map(({ name }) => name),
      ),
    );
  }
  const unknown = line.find((one) => /^-/.test(one) && !['-h', '--help'].includes(one));
  if (unknown && !line.includes('-h') && !line.includes('--help')) {
    throw usageError(`a command is missing before ${unknown}`, 'hogctl --help lists the commands');
  }
  return { kind: 'help', text: rootHelp(groups), wanted: true };
}

function suggestion(word: string, names: readonly string[]): string {
  const startsAlike = (name: string) => name.startsWith(word.slice(0, 3));
  const start = names.find(startsAlike);
  if (start) return `did you mean ${start}?`;
  const topic = TOPICS.find(({ name }) => startsAlike(name));
  return topic ? `hogctl help ${topic.name} says more about it` : 'hogctl --help lists the commands';
}

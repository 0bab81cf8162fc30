import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { usageError } from '../errors.ts';
import type { Environment } from './system.ts';

/** A program with its words as `spawn` takes them; `verbatim` if the words are quoted already. */
export type Command = {
  readonly program: string;
  readonly words: readonly string[];
  readonly verbatim: boolean;
};

type Place = { readonly platform: string; readonly environment: Environment };

/**
 * How to start a program. Windows runs a batch file, such as `npm` is one, only by way of cmd, and Node starts none by
 * itself: each word is quoted so that neither cmd nor the batch file takes a part of it for something else. Throws a usage
 * error for a word that cannot be quoted.
 */
export function commandOf([program, ...words]: readonly [string, ...string[]], place: Place): Command {
  const file = place.platform === 'win32' ? findBatchFile(program, place.environment) : undefined;
  if (file === undefined) return { program, words, verbatim: false };
  const line = [quoteAlways(file), ...words.map(quoteForBatch)].join(' ');
  return { program: 'cmd.exe', words: ['/e:ON', '/v:OFF', '/d', '/c', `"${line}"`], verbatim: true };
}

/** The batch file that a name leads to; undefined if it leads to another program, which Windows then finds by itself. */
function findBatchFile(program: string, environment: Environment): string | undefined {
  if (/\.(bat|cmd)$/i.test(program)) return program;
  if (/[\\/]|\.\w+$/.test(program)) return undefined;
  const path = Object.entries(environment).find(([name]) => /^path$/i.test(name))?.[1] ?? '';
  for (const folder of path.split(';').filter((one) => win32.isAbsolute(one)))
    for (const extension of ['.com', '.exe', '.bat', '.cmd']) {
      const file = win32.join(folder, `${program}${extension}`);
      if (isFile(file)) return /\.(bat|cmd)$/.test(extension) ? file : undefined;
    }
  return undefined;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A folder of PATH that cannot be looked into has no program for us.
    return false;
  }
}

/** What stands for itself outside of quotes. */
const PLAIN = /^[\w#$*+\-./:?@\\]*[\w#$*+\-./:?@]$/;

function quoteForBatch(word: string): string {
  return PLAIN.test(word) ? word : quoteAlways(word);
}

/** cmd has no way to write a `%` in a batch file's words but to let it replace the nothing after a name that is none. */
function quoteAlways(word: string): string {
  if (/[\r\n\0]/.test(word))
    throw usageError('a batch file takes no line breaks in its words', 'leave them out');
  let quoted = '';
  let backslashes = '';
  for (const letter of word) {
    // Before a quote, and at the end, where one follows, each backslash needs another.
    if (letter === '"') quoted += `${backslashes}"`;
    if (letter === '%') quoted += '%%cd:~,';
    backslashes = letter === '\\' ? `${backslashes}\\` : '';
    quoted += letter;
  }
  return `"${quoted}${backslashes}"`;
}

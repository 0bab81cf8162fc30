import { usageError } from '../errors.ts';
import { cleanKey } from './stored-project.ts';

/** More than any key: a program that prints a whole file is not listened to. */
export const LONGEST_KEY_OUTPUT = 10_000;

/**
 * Splits a command into program and arguments as a shell splits words: spaces, quotes and, except on Windows, where it
 * stands in paths, the backslash. Throws a usage error for what only a shell can do.
 */
export function splitKeyCommand(text: string, platform: string): readonly [string, ...string[]] {
  const [program, ...rest] = splitWords(text, { escapes: platform !== 'win32' });
  if (program === undefined || program === '') {
    throw refuse('names no program', 'give a program and its arguments, for example "pass show posthog"');
  }
  const isAbsolute = platform === 'win32' ? /^([a-z]:)?[\\/]/i.test(program) : program.startsWith('/');
  if (/[\\/]/.test(program) && !isAbsolute) {
    throw refuse(
      'names its program by a path that depends on the directory',
      'give the whole path, or a name that is found in PATH',
    );
  }
  if (platform === 'win32' && /\.(cmd|bat)$/i.test(program)) {
    throw refuse(
      'names a batch file, which only a shell can run',
      'name an .exe, for example pwsh.exe -File',
    );
  }
  return [program, ...rest];
}

/** The program of a command that was checked, without its directory and arguments, which may hold a secret. */
export function programOf(text: string, platform: string): string {
  const [program] = splitKeyCommand(text, platform);
  return program.replace(/^.*[\\/]/, '');
}

/**
 * The key in what a command wrote: its first line. Throws a usage error, which repeats nothing of it, for what cannot be
 * a key. `source` names the command.
 */
export function keyFromOutput(output: string, source: string): string {
  const key = cleanKey(/^[^\n]*/.exec(output)?.[0] ?? '', source);
  if (key === undefined) {
    throw usageError(`the key from ${source} is empty`, 'its first line must be the personal API key');
  }
  return key;
}

type Split = { readonly escapes: boolean };

/** What a shell acts on; in quotes only the first three still mean something to it. */
const forShell = /[$`!|&;<>()\r\n]/;
const quotable = 'quote it, or put it into a script and name the script';

function splitWords(text: string, { escapes }: Split): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === ' ' || letter === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (letter === "'" || letter === '"') {
      const quoted = readQuoted(text, at, { escapes });
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (letter === '\\' && escapes) {
      at += 1;
      word = (word ?? '') + escapedAt(text, at);
    } else {
      refuseShell(letter, word === undefined);
      word = (word ?? '') + letter;
    }
  }
  return word === undefined ? words : [...words, word];
}

function escapedAt(text: string, at: number): string {
  const letter = text.charAt(at);
  if (letter === '' || letter === '\n') throw refuse('ends in a backslash', 'leave it out');
  return letter;
}

function readQuoted(text: string, start: number, { escapes }: Split): { text: string; end: number } {
  const mark = text.charAt(start);
  let inside = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === mark) return { text: inside, end: at };
    const next = text.charAt(at + 1);
    if (mark === '"' && escapes && letter === '\\' && /["\\$`]/.test(next)) {
      inside += next;
      at += 1;
    } else {
      if (mark === '"' && (letter === '$' || letter === '`')) refuseShell(letter, false);
      inside += letter;
    }
  }
  throw refuse('has a quote that is not closed', 'close it');
}

function refuseShell(letter: string, isFirst: boolean): void {
  if (forShell.test(letter) || (isFirst && (letter === '~' || letter === '#'))) {
    const shown = /[\r\n]/.test(letter) ? 'a line break' : letter;
    throw refuse(`holds ${shown}, which only a shell understands, and no shell runs it`, quotable);
  }
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(letter)) throw refuse('holds a control character', 'leave it out');
}

function refuse(what: string, hint: string) {
  return usageError(`the key command ${what}`, hint);
}

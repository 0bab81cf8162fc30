import { CliError, systemCode, usageError } from '../errors.ts';
import { withoutKeys } from '../system/children.ts';
import type { System } from '../system/system.ts';
import { interruption } from '../system/terminal.ts';
import { systemReason } from '../system/text.ts';
import { requireKey } from './stored-project.ts';

/** More than any key: a program that prints a whole file is not listened to. */
const LONGEST_KEY_OUTPUT = 10_000;

/**
 * Splits a command into program and arguments as a shell splits words: spaces, quotes and, except on Windows, where it
 * stands in paths, the backslash. Throws a usage error for what only a shell can do.
 */
export function splitKeyCommand(text: string, platform: string): readonly [string, ...string[]] {
  const [program, ...rest] = splitWords(text, { escapes: platform !== 'win32' });
  if (program === undefined || program === '') {
    throw refuse('contains no program', 'give a program and its arguments, such as "pass show posthog"');
  }
  const isAbsolute = platform === 'win32' ? /^([a-z]:)?[\\/]/i.test(program) : program.startsWith('/');
  if (/[\\/]/.test(program) && !isAbsolute) {
    throw refuse('has a program with a relative path', 'give the absolute path, or a program in PATH');
  }
  return [program, ...rest];
}

/** The program of a command that was checked, without its directory and arguments, which may hold a secret. */
export function programOf(text: string, platform: string): string {
  const [program] = splitKeyCommand(text, platform);
  return program.replace(/^.*[\\/]/, '');
}

/** The key in what a command wrote: its first line. Throws a usage error, which repeats nothing of it. */
export function keyFromOutput(output: string, source: string): string {
  const [line = ''] = output.split('\n', 1);
  return requireKey(line, source, 'check that its first line is the personal API key');
}

/** What a shell acts on; in quotes only the first three still mean something to it. */
const forShell = /[$`!|&;<>()\r\n]/;

const quotable = 'quote it, or put the command into a script and run the script';

/** What stands in single or double quotes, behind a backslash, between words, or any other character. */
const piece = /'([^']*)'|"((?:\\["\\$`]|\\(?!["\\$`])|[^"\\])*)"|\\([^\n])|([ \t]+)|([^'"\\])/y;

/** The same if the backslash is a character like any other. */
const pieceOfWindows = /'([^']*)'|"([^"]*)"|(?!)()|([ \t]+)|([^'"])/y;

function splitWords(text: string, { escapes }: { readonly escapes: boolean }): readonly string[] {
  const pattern = escapes ? piece : pieceOfWindows;
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const [found, single, double, escaped, space, plain] = pattern.exec(text) ?? [];
    if (found === undefined && text[at] === '\\') throw refuse('ends in a backslash', 'leave it out');
    if (found === undefined) throw refuse('has a quote that is not closed', 'close it');
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      if (plain !== undefined) refuseShell(plain, word === undefined);
      const quoted = double === undefined ? single : readDouble(double, { escapes });
      word = (word ?? '') + (quoted ?? escaped ?? plain);
    }
  }
  return word === undefined ? words : [...words, word];
}

function readDouble(text: string, { escapes }: { readonly escapes: boolean }): string {
  const pattern = /\\(["\\$`])/g;
  const [forShell] = (escapes ? text.replace(pattern, '') : text).match(/[$`]/) ?? [];
  if (forShell !== undefined) refuseShell(forShell, false);
  return escapes ? text.replace(pattern, '$1') : text;
}

function refuseShell(letter: string, isFirst: boolean): void {
  if (forShell.test(letter) || (isFirst && (letter === '~' || letter === '#'))) {
    const shown = /[\r\n]/.test(letter) ? 'a line break' : letter;
    throw refuse(`contains ${shown}, which needs a shell, and no shell runs it`, quotable);
  }
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(letter)) throw refuse('contains a control character', 'leave it out');
}

function refuse(what: string, hint: string) {
  return usageError(`the key command ${what}`, hint);
}

/** A vault that asks somebody for a password takes a while. */
const SECONDS = 30;

/**
 * Runs the command and returns the key that it prints. It gets no input, no key variable and no shell, and runs in the
 * root directory, so that it means the same everywhere. Nothing that it writes is ever shown.
 */
export async function runKeyCommand(command: string, system: System): Promise<string> {
  const words = splitKeyCommand(command, system.platform);
  const name = `the key command (${programOf(command, system.platform)})`;
  const late = new AbortController();
  const done = new AbortController();
  system.wait(SECONDS * 1000, done.signal).then(
    () => late.abort(),
    // The command was faster.
    () => {},
  );
  try {
    const { code, output } = await system.readProgram(words, {
      environment: withoutKeys(system.environment),
      directory: rootDirectory(system),
      longest: LONGEST_KEY_OUTPUT,
      signal: AbortSignal.any([system.signal, late.signal]),
    });
    if (system.signal.aborted) throw interruption(system.signal);
    if (late.signal.aborted && code !== 0) throw failed(`${name} did not end within ${SECONDS} s`);
    if (output.length > LONGEST_KEY_OUTPUT) throw failed(`${name} printed more than a key`);
    if (code !== 0) throw failed(`${name} ended with exit code ${code}`);
    return keyFromOutput(output, name);
  } catch (cause) {
    if (systemCode(cause) === undefined) throw cause;
    throw failed(`${name} cannot be run: ${systemReason(cause)}`, cause);
  } finally {
    done.abort();
  }
}

function rootDirectory({ platform, environment }: System): string {
  return platform === 'win32' ? (environment.SystemRoot ?? 'C:\\Windows') : '/';
}

function failed(message: string, cause?: unknown): CliError {
  return new CliError('authentication', message, {
    hint: 'run it yourself to see why: its output is never shown here',
    cause,
  });
}

import { Writable } from 'node:stream';
import { CliError, usageError } from '../errors.ts';
import type { System } from './system.ts';
import { escapeControls } from './text.ts';

/** Whether somebody sits there: questions are read from a terminal only, never from a pipe. */
export function isInteractive(system: System): boolean {
  return system.stdin.isTTY === true && system.stderr.isTTY === true;
}

/**
 * Asks one question on stderr and reads one line from the terminal, without echo if it is secret.
 * Throws `usage` without a terminal, `interrupted` on Ctrl-C, `cancelled` when the terminal closes.
 */
export async function ask(
  system: System,
  { text, secret = false }: { text: string; secret?: boolean },
): Promise<string> {
  if (!isInteractive(system)) throw usageError('there is no terminal to ask at');
  if (system.signal.aborted) throw interruption(system.signal);
  const { createInterface } = await import('node:readline');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const question = escapeControls(text, { keepLineBreaks: true });
  const terminal = createInterface({
    input: system.stdin,
    output: secret ? silent : system.stderr,
    terminal: true,
    // Written again with the line when it is edited.
    prompt: question.slice(question.lastIndexOf('\n') + 1),
  });
  // Asked only now that the terminal echoes nothing: what is typed at once must not show either.
  system.stderr.write(question);
  let answered = false;
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      terminal.once('line', resolve);
      terminal.once('SIGINT', () => reject(new CliError('interrupted', 'interrupted, nothing was done')));
      terminal.once('close', () =>
        reject(new CliError('cancelled', 'no answer was given, nothing was done')),
      );
      system.signal.addEventListener('abort', () => reject(interruption(system.signal)), { once: true });
    });
    answered = true;
    return answer;
  } finally {
    terminal.close();
    // What is said next begins a line of its own.
    if (secret || !answered) system.stderr.write('\n');
  }
}

/** The error of a command that a signal ended. */
export function interruption(signal: AbortSignal): CliError {
  return signal.reason === 'SIGTERM'
    ? new CliError('terminated', 'terminated by a signal')
    : new CliError('interrupted', 'interrupted');
}

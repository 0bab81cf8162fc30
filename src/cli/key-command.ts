import { CliError, systemCode } from '../errors.ts';
import {
  keyFromOutput,
  LONGEST_KEY_OUTPUT,
  programOf,
  splitKeyCommand,
  withoutKeys,
} from '../settings/keys.ts';
import type { KeySource } from '../settings/stored-project.ts';
import type { System } from '../system/system.ts';
import { interruption } from '../system/terminal.ts';
import { systemReason } from '../system/text.ts';

/** A vault that asks somebody for a password takes a while. */
const SECONDS = 30;

/** Where a key comes from, in words; of a command only its program, since arguments may hold a secret. */
export function keySourceText(keyCommand: KeySource['keyCommand'], platform: string): string {
  return keyCommand === undefined ? 'stored' : `from a command (${programOf(keyCommand, platform)})`;
}

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
    if (output.length > LONGEST_KEY_OUTPUT) throw failed(`${name} wrote more than any key is long`);
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
    hint: 'run it by hand to see why, its output is never shown here',
    cause,
  });
}

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CliError, usageError } from '../errors.ts';
import { commandOf } from './batch-files.ts';
import { createRedactor } from './redactor.ts';
import type { ChildExit, Environment, ProgramOutput, ProgramReading, System } from './system.ts';
import { interruption } from './terminal.ts';
import { systemReason } from './text.ts';

/** `POSTHOG_CLI_API_KEY`, `POSTHOG_PERSONAL_API_KEY`, `POSTHOG_AUTH_HEADER`, `NEXT_PUBLIC_POSTHOG_KEY` and the like. */
const keyName = /(HOGCTL|POSTHOG)(.{0,200}_)?(API_?)?(KEY|TOKEN|SECRET|PASSWORD|AUTH|CREDENTIAL)/i;

/** What a program that we start finds in its environment: all but the variables that hold a key of the service. */
export function withoutKeys(environment: Environment): Environment {
  const names = new Set(findKeyVariables(environment, []));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}

/** More than any answer that is asked for. */
const LONGEST_OUTPUT = 100_000;

/** Runs a program that gets no input and no variable that holds a key. Throws `interrupted` on Ctrl-C. */
export async function runWithoutKeys(
  command: readonly [string, ...string[]],
  added: Environment,
  { environment, readProgram, signal }: System,
): Promise<ProgramOutput> {
  const how = { environment: { ...withoutKeys(environment), ...added }, longest: LONGEST_OUTPUT, signal };
  const ended = await readProgram(command, how);
  if (signal.aborted) throw interruption(signal);
  return ended;
}

/**
 * Names of the variables that hold a real key: those that are named as one, and those whose value holds one of these
 * keys, in any encoding, or anything that looks like a key of the service.
 */
export function findKeyVariables(environment: Environment, keys: readonly string[]): readonly string[] {
  const named = Object.entries(environment).filter(([name]) => keyName.test(name));
  const values = named.map(([, value]) => value?.trim() ?? '');
  const redact = createRedactor([...keys, ...values]);
  const holdsKey = (name: string, value = '') => keyName.test(name) || redact(value) !== value;
  return Object.entries(environment).flatMap(([name, value]) => (holdsKey(name, value) ? [name] : []));
}

type Surroundings = {
  readonly environment: Environment;
  readonly platform: string;
  readonly signal: AbortSignal;
};

/** Runs a child with our streams until it ends. Throws a usage error if it cannot be started. */
export async function runChild(
  command: readonly [string, ...string[]],
  { environment, platform, signal }: Surroundings,
): Promise<ChildExit> {
  try {
    const { program, words, verbatim } = commandOf(command, { platform, environment });
    const how = { stdio: 'inherit', env: { ...environment }, windowsVerbatimArguments: verbatim } as const;
    const child = spawn(program, [...words], how);
    // A terminal sends Ctrl-C to the child by itself; a signal to only this process has to be passed on.
    const passOn = () => {
      if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
    };
    signal.addEventListener('abort', passOn, { once: true });
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, name) =>
        resolve({ code: code ?? 128 + (name ? constants.signals[name] : 0) }),
      );
    });
  } catch (cause) {
    // A name or words that are too long are refused before there is a child.
    if (cause instanceof CliError) throw cause;
    throw usageError(`${command[0]} cannot be run: ${systemReason(cause)}`);
  }
}

export type Ending = {
  readonly platform: string;
  /** Ends a process with those that it started. */
  readonly endGroup?: ((leader: number, name: NodeJS.Signals) => void) | undefined;
};

/** How long a program that was told to end may take for it. */
const GRACE = 1000;

/**
 * Runs a program without input, keeps its standard output and drops its standard error. It ends with the signal:
 * with its children if there is `endGroup`, since it leads a group of its own then. A group of its own could ask nothing
 * at the terminal, and in ours Ctrl-C reaches it and its children by itself.
 */
export function readProgram(
  command: readonly [string, ...string[]],
  { environment, directory, longest, signal }: ProgramReading,
  { platform, endGroup }: Ending,
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const { program, words, verbatim } = commandOf(command, { platform, environment });
    const child = spawn(program, [...words], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...environment },
      cwd: directory,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
      detached: endGroup !== undefined,
    });
    let output = '';
    let code: number | undefined;
    let force: NodeJS.Timeout | undefined;
    const end = (name: NodeJS.Signals) =>
      endGroup === undefined || child.pid === undefined ? child.kill(name) : endGroup(child.pid, name);
    const stop = () => {
      end('SIGTERM');
      force ??= setTimeout(end, GRACE, 'SIGKILL');
      settleIfKnown();
    };
    const settle = () => {
      clearTimeout(force);
      signal.removeEventListener('abort', stop);
      child.stdout.destroy();
      resolve({ code: code ?? 0, output });
    };
    // A process that it left in the background may hold its output open.
    const settleIfKnown = () => {
      if (code !== undefined && (code !== 0 || signal.aborted || output.includes('\n'))) settle();
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, longest + 1);
      if (output.length > longest) stop();
      settleIfKnown();
    });
    child.once('error', (cause) => {
      signal.removeEventListener('abort', stop);
      reject(cause);
    });
    child.once('exit', (status, name) => {
      code = status ?? 128 + (name ? constants.signals[name] : 0);
      settleIfKnown();
    });
    child.once('close', settle);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

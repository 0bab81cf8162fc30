import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Captured, SecretOutput, SecretReading } from './system.ts';

/** More than any answer that is asked for. */
const MOST_LETTERS = 100_000;

/** Runs a child without a terminal and keeps what it writes. Rejects with the system's error if it cannot start. */
export function captureChild(
  [program, ...words]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment, signal });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(0, MOST_LETTERS);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, MOST_LETTERS);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}

/** How long a program that was told to end may take for it. */
const GRACE = 1000;

/**
 * Runs a program without input, keeps its standard output and drops its standard error. It ends with the signal:
 * with its children if there is `endGroup`, since it leads a group of its own then. A group of its own could ask nothing
 * at the terminal, and in ours Ctrl-C reaches it and its children by itself.
 */
export function readProgram(
  [program, ...words]: readonly [string, ...string[]],
  { environment, directory, longest, signal }: SecretReading,
  endGroup?: (leader: number, name: NodeJS.Signals) => void,
): Promise<SecretOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...environment },
      cwd: directory,
      windowsHide: true,
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

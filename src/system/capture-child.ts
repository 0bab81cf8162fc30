import { spawn } from 'node:child_process';
import type { Captured } from './system.ts';

/** More than any answer that is asked for. */
const MOST_LETTERS = 100_000;

/** Runs a child without a terminal and keeps what it writes. Rejects with the system's error where it cannot start. */
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

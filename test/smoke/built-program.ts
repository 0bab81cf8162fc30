import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { noteEnded } from '../support/last-ended.ts';
import { createPeople, lookUpSteps } from '../support/looked-up-people.ts';
import {
  type Received,
  type Script,
  type Stub,
  type StubOptions,
  startStub,
} from '../support/stub-server.ts';

/** A time that the service tells, after all its people were created. */
const TOLD = { date: 'Mon, 02 Mar 2026 12:00:00 GMT' };

const root = join(import.meta.dirname, '..', '..');

/** What `bin` in package.json names. */
export const BINARY = join(root, 'bin', 'hogctl.js');
export const KEY = 'phx_TESTONLY_0123456789abcdef';

if (!existsSync(join(root, 'dist', 'main.cjs'))) throw new Error('there is no built program: npm run build');

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
};
type Variables = Readonly<Record<string, string | undefined>>;

/** A process that was started, with what it has written so far. */
export type Running = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout and stderr together hold the text; rejects when the process ends without it. */
  readonly says: (text: string) => Promise<void>;
  readonly said: () => string;
};

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hogctl-smoke-'));
  // A shell that a terminal has left may still be writing its history.
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** An environment with a home of its own, and `hogctl` as a command on its path. */
export function cleanEnvironment(): Record<string, string> {
  const home = temporaryDirectory();
  const commands = join(home, 'commands');
  mkdirSync(commands);
  symlinkSync(BINARY, join(commands, 'hogctl'));
  const path = `${commands}${delimiter}${process.env.PATH ?? ''}`;
  // By its mark .ci/run finds what outlives it.
  const mark = process.env.CI_RUN === undefined ? {} : { CI_RUN: process.env.CI_RUN };
  // What `sandbox exec` keeps of a rehearsal goes with the home.
  return { PATH: path, HOME: home, LANG: 'C.UTF-8', TMPDIR: home, ...mark };
}

/** A stub service of one test, and the variables that point the program at it. */
export async function startService(
  script: Script,
  options: StubOptions = {},
): Promise<Stub & { readonly environment: Record<string, string> }> {
  const stub = await startStub(script, options);
  onTestFinished(() => stub.close());
  const environment = {
    ...cleanEnvironment(),
    HOGCTL_HOST: stub.origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: KEY,
  };
  return { ...stub, environment };
}

/**
 * The same for deletions: each id belongs to a person, who is there until a deletion was answered as done. Look-ups are
 * left out of the log.
 */
export async function startServiceWithPeople(script: Script): ReturnType<typeof startService> {
  const log: Received[] = [];
  const people = createPeople();
  const steps = lookUpSteps(people, { log, headers: TOLD });
  return startService([...steps, ...script.map(people.watch)], { log });
}

/** Starts a process; it is ended with the test if it has not ended by itself. */
export function start(
  [program, ...words]: readonly [string, ...string[]],
  environment: Variables,
  { stdin = 'ignore' as 'ignore' | 'pipe' } = {},
): Running {
  const child = spawn(program, words, { env: environment, stdio: [stdin, 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const watchers = new Set<() => void>();
  const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
    chunks.push(chunk);
    for (const look of watchers) look();
  };
  // It may end without having read all that it is given.
  child.stdin?.on('error', () => {});
  child.stdout?.on('data', keep(stdout));
  child.stderr?.on('data', keep(stderr));
  const said = () => Buffer.concat([...stdout, ...stderr]).toString('utf8');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const told = Buffer.concat(stderr).toString('utf8');
      noteEnded({ words, code, stderr: told });
      resolve({ code, signal, stdout: Buffer.concat(stdout), stderr: told });
    });
  });
  onTestFinished(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    // Its folders are removed next.
    await once(child, 'exit');
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (said().includes(text)) resolve();
      };
      watchers.add(look);
      look();
      ended.then(() => reject(new Error(`it ended without "${text}": ${said()}`)), reject);
    });
  return { child, ended, says, said };
}

/** Runs the built program to its end. */
export function hogctl(words: readonly string[], environment: Variables, stdin?: string): Promise<Ended> {
  const running = start([process.execPath, BINARY, ...words], environment, {
    stdin: stdin === undefined ? 'ignore' : 'pipe',
  });
  running.child.stdin?.end(stdin);
  return running.ended;
}

/**
 * The line as a child of a shell. Linux counts what the process that started another one used among the peak memory of
 * that one, and a shell uses little.
 */
export function apart(line: readonly string[]): readonly ['sh', ...string[]] {
  return ['sh', '-c', '"$0" "$@"; exit $?', ...line];
}

/** Runs a line of bash, in which `hogctl` is the built program, to its end. */
export function shell(line: string, environment: Variables): Promise<Ended> {
  return start(['bash', '-o', 'pipefail', '-c', line], environment).ended;
}

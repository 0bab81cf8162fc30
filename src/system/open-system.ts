import { spawn, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { systemCode, usageError } from '../errors.ts';
import type { ChildExit, DataStream, ProgramOutput, ProgramReading, System } from './system.ts';
import { systemReason } from './text.ts';

/** This process, which is handed in, so that only `main` names it. */
export function openSystem(node: NodeJS.Process): System {
  const { signal, forcedSignal, stop } = listenForSignals(node);
  return {
    // Each stream is made when it is needed, which costs start-up.
    get stdin() {
      return node.stdin;
    },
    stdout: lateStdout(node),
    get stderr() {
      return node.stderr;
    },
    get attended() {
      return isTerminal(node, 2);
    },
    environment: node.env,
    platform: node.platform,
    nodeVersion: node.versions.node,
    self: [node.execPath, node.argv[1] ?? ''],
    pid: node.pid,
    uid: node.geteuid?.(),
    isAlive: (pid) => isAlive(node, pid),
    startOf: (pid) => startOf(node, pid),
    signal,
    forcedSignal,
    now: Date.now,
    random: Math.random,
    wait: async (milliseconds, signal) =>
      (await import('node:timers/promises')).setTimeout(milliseconds, undefined, { signal }),
    saveMemory,
    keepFilesPrivate: () => void node.umask(0o077),
    spawn: (command, environment) => runChild(command, { ...node.env, ...environment }, signal),
    openPager: async (command, environment) =>
      (await import('./terminal.ts')).startPager(command, {
        environment: { ...node.env, ...environment },
        signal,
        holdInterrupts: () => holdInterrupts(node),
        onLeft: () => {
          if (!signal.aborted) stop('SIGPIPE');
        },
      }),
    readProgram: (command, how) => readProgram(command, how, groupEnder(node)),
  };
}

/** What is no device is no terminal, and to ask `node:tty` loads it. Windows has handles that are not seen as devices. */
export function isTerminal({ platform }: NodeJS.Process, descriptor: 1 | 2): boolean {
  return (platform === 'win32' || isDevice(descriptor)) && isatty(descriptor);
}

function isDevice(descriptor: number): boolean {
  const found = fstatSync(descriptor, { bigint: true });
  return found.isCharacterDevice() && found.rdev !== statSync('/dev/null', { bigint: true }).rdev;
}

type Stopping = { readonly stop: (name: NodeJS.Signals) => void };

/** The first signal asks the program to stop, the second to stop now; the third one ends the process. */
function listenForSignals(node: NodeJS.Process): Pick<System, 'signal' | 'forcedSignal'> & Stopping {
  const soon = new AbortController();
  const now = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (name: NodeJS.Signals) => {
    if (!soon.signal.aborted) return soon.abort(name);
    now.abort(name);
    for (const one of names) node.off(one, stop);
  };
  for (const name of names) node.on(name, stop);
  return { signal: soon.signal, forcedSignal: now.signal, stop };
}

/** While a pager reads keys, Ctrl-C is one of them, however often it is pressed. */
function holdInterrupts(node: NodeJS.Process): () => void {
  const ignore = () => {};
  node.on('SIGINT', ignore);
  return () => node.off('SIGINT', ignore);
}

/**
 * V8 lets its room for young objects grow to 16 MiB and more, and what undici read stays in memory until that is full.
 * Kept at its first size it is cleared more often. The room for old objects grows in smaller steps than V8's own: smaller
 * ones save a few MiB, and cost an eighth of the time.
 */
function saveMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=55');
}

/** Ends a process and its children, if a process can lead a group and there is no terminal that it may ask at. */
function groupEnder(node: NodeJS.Process): ((leader: number, name: NodeJS.Signals) => void) | undefined {
  if (node.platform === 'win32' || hasTerminal()) return undefined;
  return (leader, name) => {
    try {
      node.kill(-leader, name);
    } catch (failure) {
      // All of them may have ended by themselves.
      if (systemCode(failure) !== 'ESRCH') throw failure;
    }
  };
}

/** Whether there is a terminal to ask at, wherever our own streams lead. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

function isAlive(node: NodeJS.Process, pid: number): boolean {
  try {
    node.kill(pid, 0);
    return true;
  } catch (failure) {
    // A process of somebody else's is there, though it may not be signalled.
    return systemCode(failure) === 'EPERM';
  }
}

/** Linux counts from its own start, and macOS keeps the time: both stay the same if the clock is set. */
export function startOf({ platform }: Pick<NodeJS.Process, 'platform'>, pid: number): string | undefined {
  try {
    if (platform === 'linux') {
      // The name of the program may hold spaces and brackets.
      const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return fields.split(' ')[19];
    }
    if (platform !== 'darwin') return undefined;
    const environment = { LC_ALL: 'C', TZ: 'UTC0' };
    const words = ['-o', 'lstart=', '-p', String(pid)];
    const { stdout } = spawnSync('/bin/ps', words, { env: environment, encoding: 'utf8', timeout: 5000 });
    return stdout?.trim() || undefined;
  } catch {
    // Gone by now, or a container that hides it.
    return undefined;
  }
}

async function runChild(
  [program, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ChildExit> {
  try {
    const child = spawn(program, words, { stdio: 'inherit', env: environment });
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
    throw usageError(`${program} cannot be run: ${systemReason(cause)}`);
  }
}

/** As much as a pipe takes at once on every system. */
const MOST_AT_ONCE = 16 * 1024;

/**
 * Standard output. To make its stream takes a tenth of a small command's time, so the first bytes are
 * written without it, and few commands write more. A pipe that is full is left to the stream, which knows how to wait.
 */
function lateStdout(node: NodeJS.Process): DataStream {
  const listeners: ((error: Error) => void)[] = [];
  let left = MOST_AT_ONCE;
  let stream: DataStream | undefined;
  const open = (): DataStream => {
    if (stream === undefined) {
      stream = node.stdout;
      for (const listener of listeners) stream.on('error', listener);
    }
    return stream;
  };
  return {
    // To ask loads what sockets need, which help does without.
    get isTTY() {
      return isTerminal(node, 1);
    },
    get columns() {
      return open().columns;
    },
    write(chunk, done) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      left -= bytes.length;
      if (stream !== undefined || left < 0) return open().write(bytes, done);
      try {
        const rest = writeAtOnce(bytes);
        return rest.length > 0 ? open().write(rest, done) : done();
      } catch (failure) {
        // What a system call throws is always an error.
        return done(failure as Error);
      }
    },
    on: (event, listener) => (stream === undefined ? listeners.push(listener) : stream.on(event, listener)),
  };
}

/** Writes to standard output what it takes without a wait, and returns the rest. Throws as the system says. */
export function writeAtOnce(bytes: Uint8Array): Uint8Array {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (failure) {
    if (systemCode(failure) !== 'EAGAIN') throw failure;
  }
  return rest;
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
  { environment, directory, longest, signal }: ProgramReading,
  endGroup?: (leader: number, name: NodeJS.Signals) => void,
): Promise<ProgramOutput> {
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

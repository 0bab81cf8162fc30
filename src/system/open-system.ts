import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hostname, uptime, userInfo } from 'node:os';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { systemCode } from '../errors.ts';
import { readProgram, runChild, withoutKeys } from './children.ts';
import type { DataStream, System } from './system.ts';

/** This process, which is handed in, so that only `main` names it. */
export function openSystem(node: NodeJS.Process): System {
  const { signal, forcedSignal, stop } = listenForSignals(node);
  const bootedBefore = uptime();
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
    account: () => `${userName(node)}@${hostname()}`,
    now: Date.now,
    running: () => Math.max(performance.now(), (uptime() - bootedBefore) * 1000),
    random: Math.random,
    wait: async (milliseconds, signal) =>
      (await import('node:timers/promises')).setTimeout(milliseconds, undefined, { signal }),
    saveMemory,
    keepFilesPrivate: () => void node.umask(0o077),
    spawn: (command, added) => {
      const environment = { ...withoutKeys(node.env), ...added };
      return runChild(command, { environment, platform: node.platform, signal });
    },
    openPager: async (command, environment) =>
      (await import('./terminal.ts')).startPager(command, {
        environment: { ...withoutKeys(node.env), ...environment },
        signal,
        holdInterrupts: () => holdInterrupts(node),
        onLeft: () => {
          if (!signal.aborted) stop('SIGPIPE');
        },
      }),
    readProgram: (command, how) =>
      readProgram(command, how, { platform: node.platform, endGroup: groupEnder(node) }),
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

/**
 * The first signal asks the program to stop, the second to stop now; the third one ends the process. One that was ignored
 * before, as after nohup, stays ignored.
 */
function listenForSignals(node: NodeJS.Process): Pick<System, 'signal' | 'forcedSignal'> & Stopping {
  const soon = new AbortController();
  const now = new AbortController();
  // Each request that is open listens, and Node would warn of an eleventh.
  setMaxListeners(100, soon.signal, now.signal);
  const ignored = findIgnoredSignals(node);
  for (const name of ignored) node.on(name, () => {});
  const names = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).filter((name) => !ignored.has(name));
  const stop = (name: NodeJS.Signals) => {
    if (!soon.signal.aborted) return soon.abort(name);
    now.abort(name);
    for (const one of names) node.off(one, stop);
  };
  for (const name of names) node.on(name, stop);
  return { signal: soon.signal, forcedSignal: now.signal, stop };
}

type Process = Pick<NodeJS.Process, 'env' | 'platform' | 'ppid'>;

/** Their numbers on Linux. */
const numbers = { SIGHUP: 1, SIGINT: 2 } as const;

const shells = new Set(['sh', 'ash', 'bash', 'busybox', 'dash', 'ksh', 'mksh', 'zsh']);

/**
 * Signals that were ignored when the program began. Node takes that back before any line of ours runs, so who started it
 * has to tell: a shell names nohup in the environment, and after `trap '' INT` ignores the signal itself. Other parents
 * may ignore one only while they wait, as system(3) does.
 */
function findIgnoredSignals({ env, platform, ppid }: Process): ReadonlySet<NodeJS.Signals> {
  const byShell = platform === 'linux' ? ignoredBy(ppid) : 0n;
  const ignored = new Set<NodeJS.Signals>();
  if (basename(env._ ?? '') === 'nohup' || isIn(byShell, numbers.SIGHUP)) ignored.add('SIGHUP');
  if (isIn(byShell, numbers.SIGINT)) ignored.add('SIGINT');
  return ignored;
}

function isIn(mask: bigint, signal: number): boolean {
  return ((mask >> BigInt(signal - 1)) & 1n) === 1n;
}

/** What a process ignores, a bit for each signal; none if it is no shell. */
function ignoredBy(pid: number): bigint {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const name = /^Name:\t(.*)$/m.exec(status)?.[1] ?? '';
    const mask = /^SigIgn:\t([0-9a-f]+)$/m.exec(status)?.[1];
    return shells.has(name) && mask !== undefined ? BigInt(`0x${mask}`) : 0n;
  } catch {
    // It has ended, or hides behind another user.
    return 0n;
  }
}

/** While a pager reads keys, Ctrl-C is one of them, however often it is pressed. */
function holdInterrupts(node: NodeJS.Process): () => void {
  const ignore = () => {};
  node.on('SIGINT', ignore);
  return () => node.off('SIGINT', ignore);
}

/**
 * V8 lets its room for young objects grow to 16 MiB and more, and what undici read stays in memory until that is full.
 * Kept at its first size it is cleared more often. Rows are soon let go; a deletion keeps what it reads of a list, and
 * would take a fifth longer. The room for old objects grows in smaller steps than V8's own: smaller ones save a few MiB,
 * and cost an eighth of the time.
 */
function saveMemory(reading: 'rows' | 'list'): void {
  if (reading === 'rows') setFlagsFromString('--semi-space-growth-factor=1');
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

/** A container may run under a number that has no name. */
function userName({ env, geteuid }: NodeJS.Process): string {
  try {
    return userInfo().username;
  } catch {
    return env.USER || env.USERNAME || `uid ${geteuid?.() ?? 'unknown'}`;
  }
}

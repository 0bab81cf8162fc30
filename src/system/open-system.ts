import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { systemCode } from '../errors.ts';
import { lateStdout } from './streams.ts';
import type { ChildExit, System } from './system.ts';

/** This process, which is handed in, so that only `main` names it. */
export function openSystem(node: NodeJS.Process, writeAtOnce: (bytes: Uint8Array) => Uint8Array): System {
  const { signal, forcedSignal } = listenForSignals(node);
  return {
    // Each stream is made when it is needed, which costs start-up.
    get stdin() {
      return node.stdin;
    },
    stdout: lateStdout({ make: () => node.stdout, isTerminal: () => isTerminal(node, 1), writeAtOnce }),
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
    signal,
    forcedSignal,
    now: Date.now,
    random: Math.random,
    wait,
    saveMemory,
    spawn: (command, environment) => runChild(command, { ...node.env, ...environment }, signal),
    capture: async (command, environment) =>
      (await import('./capture-child.ts')).captureChild(command, { ...node.env, ...environment }, signal),
    readProgram: async (command, how) => (await import('./capture-child.ts')).readProgram(command, how),
  };
}

/** What is no device is no terminal, and to ask `node:tty` loads it. Windows has handles that are not seen as devices. */
function isTerminal({ platform }: NodeJS.Process, descriptor: 1 | 2): boolean {
  const mayBe = platform === 'win32' || fstatSync(descriptor, { bigint: true }).isCharacterDevice();
  return mayBe && isatty(descriptor);
}

/** The first signal asks the program to stop, the second to stop now; the third one ends the process. */
function listenForSignals(node: NodeJS.Process): { signal: AbortSignal; forcedSignal: AbortSignal } {
  const soon = new AbortController();
  const now = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (name: NodeJS.Signals) => {
    if (!soon.signal.aborted) return soon.abort(name);
    now.abort(name);
    for (const one of names) node.off(one, stop);
  };
  for (const name of names) node.on(name, stop);
  return { signal: soon.signal, forcedSignal: now.signal };
}

/**
 * V8 lets its room for young objects grow to 16 MiB and more, and what undici read stays in memory until that is full.
 * Kept at its first size it is cleared more often. The room for old objects can grow in small steps, too, which costs a
 * twentieth of the time.
 */
function saveMemory({ alsoOld = false } = {}): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  if (alsoOld) setFlagsFromString('--heap-growing-percent=30');
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

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(Object.assign(new Error('the wait was broken off'), { name: 'AbortError' }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

async function runChild(
  [program, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ChildExit> {
  const [{ spawn }, { constants }, { usageError }, { systemReason }] = await Promise.all([
    import('node:child_process'),
    import('node:os'),
    import('../errors.ts'),
    import('./text.ts'),
  ]);
  const child = spawn(program, words, { stdio: 'inherit', env: environment });
  // A terminal sends Ctrl-C to the child by itself; a signal to only this process has to be passed on.
  const passOn = () => {
    if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
  };
  signal.addEventListener('abort', passOn, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(usageError(`${program} cannot be run: ${systemReason(cause)}`)));
    child.once('exit', (code, name) => resolve({ code: code ?? 128 + (name ? constants.signals[name] : 0) }));
  });
}

import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { lateStdout, writeAtOnce } from './cli/outside/late-stdout.ts';
import type { ChildExit, Outside } from './cli/outside/outside.ts';
import { VERSION } from './cli/version.ts';
import { systemCode } from './errors.ts';

/** Runs the program on this process's arguments; resolves to the exit code. The process is left to end by itself. */
export async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Answered before anything is loaded: scripts ask for it to see whether the tool is there.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return say(`${VERSION}\n`);
  if (argv[0] === '__complete') return answerTab(argv.slice(1));
  const [{ run }, { groups }] = await Promise.all([import('./cli/run.ts'), import('./commands/index.ts')]);
  return run(argv, processOutside(), groups);
}

/** What the shell asks at Tab. Nothing of the commands is loaded for it. */
async function answerTab(words: readonly string[]): Promise<number> {
  const { answerTab } = await import('./cli/completion/answer-tab.ts');
  return say(await answerTab(words, { environment: process.env, platform: process.platform }));
}

function say(text: string): number {
  try {
    const rest = writeAtOnce(Buffer.from(text));
    if (rest.length > 0) process.stdout.write(rest);
    return 0;
  } catch (failure) {
    return systemCode(failure) === 'EPIPE' ? 0 : sayUnwritten();
  }
}

function sayUnwritten(): number {
  process.stderr.write('error: cannot write to standard output\n');
  return 6;
}

function processOutside(): Outside {
  const { signal, forcedSignal } = listenForSignals();
  return {
    // Each stream is made when it is needed, which costs start-up.
    get stdin() {
      return process.stdin;
    },
    stdout: lateStdout(
      () => process.stdout,
      () => isatty(1),
    ),
    get stderr() {
      return process.stderr;
    },
    get attended() {
      return isatty(2);
    },
    environment: process.env,
    platform: process.platform,
    nodeVersion: process.versions.node,
    self: [process.execPath, process.argv[1] ?? ''],
    pid: process.pid,
    isAlive,
    signal,
    forcedSignal,
    now: Date.now,
    random: Math.random,
    wait,
    saveMemory,
    spawn: (command, environment) => runChild(command, environment, signal),
    capture: async (command, environment) =>
      (await import('./cli/outside/capture-child.ts')).captureChild(
        command,
        { ...process.env, ...environment },
        signal,
      ),
  };
}

/** The first signal asks the program to stop, the second to stop now; the third one ends the process. */
function listenForSignals(): { signal: AbortSignal; forcedSignal: AbortSignal } {
  const soon = new AbortController();
  const now = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (name: NodeJS.Signals) => {
    if (!soon.signal.aborted) return soon.abort(name);
    now.abort(name);
    for (const one of names) process.off(one, stop);
  };
  for (const name of names) process.on(name, stop);
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
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
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ChildExit> {
  const [{ spawn }, { constants }, { usageError }, { systemReason }] = await Promise.all([
    import('node:child_process'),
    import('node:os'),
    import('./errors.ts'),
    import('./cli/outside/system-reason.ts'),
  ]);
  const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, ...environment } });
  // A terminal sends Ctrl-C to the child by itself; a signal to this process alone has to be passed on.
  const passOn = () => {
    if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
  };
  signal.addEventListener('abort', passOn, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(usageError(`${program} cannot be run: ${systemReason(cause)}`)));
    child.once('exit', (code, name) => resolve({ code: code ?? 128 + (name ? constants.signals[name] : 0) }));
  });
}

import { Writable } from 'node:stream';
import { CliError, usageError } from '../errors.ts';
import { ClosedPipe, isCiJob, isInteractive, type Printer, type Stderr, streamPrinter } from './output.ts';
import type { Pager, System } from './system.ts';
import { messageText } from './text.ts';

/**
 * Asks one question on stderr and reads one line from the terminal, without echo if it is secret.
 * Throws `usage` without a terminal, `interrupted` on Ctrl-C, `cancelled` when the terminal closes.
 */
export async function ask(
  system: System,
  { text, secret = false }: { text: string; secret?: boolean },
): Promise<string> {
  if (!isInteractive(system)) throw usageError('cannot ask without a terminal');
  if (system.signal.aborted) throw interruption(system.signal);
  const { createInterface } = await import('node:readline');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const question = messageText(text, system.stderr);
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

/** What stands for the defaults of `less`: leave at once what fits the screen, keep colours, keep the text. */
const LESS = { LESS: 'FRX' } as const;

/**
 * The pager that the environment names, by the rules of git: `HOGCTL_PAGER`, else `PAGER`, else `less`; none if that is
 * empty or `cat`, in a job of CI, or on a terminal that cannot move its cursor.
 */
export function pagerWords({
  environment,
  platform,
}: Pick<System, 'environment' | 'platform'>): readonly [string, ...string[]] | undefined {
  const { HOGCTL_PAGER, PAGER, TERM } = environment;
  if (TERM === 'dumb' || isCiJob({ environment })) return undefined;
  const named = (HOGCTL_PAGER ?? PAGER ?? (platform === 'win32' ? '' : 'less')).trim();
  if (named === '' || named === 'cat') return undefined;
  const [program = named, ...words] = named.split(/\s+/);
  // Quotes, variables and pipes are for a shell.
  return /^[\w./ :+=,@\\-]+$/.test(named) ? [program, ...words] : ['sh', '-c', named];
}

/**
 * A printer that writes through a pager; undefined if there is none, or it cannot be started. Once the reader has left,
 * writing throws `ClosedPipe`.
 */
export async function pagerPrinter(
  system: System,
  { warn, hold }: Pick<Stderr, 'warn' | 'hold'>,
): Promise<Printer | undefined> {
  const words = pagerWords(system);
  if (words === undefined) return undefined;
  const { LESS: own, HOGCTL_PAGER, PAGER } = system.environment;
  const pager = await system.openPager(words, own === undefined ? LESS : {});
  if (pager === undefined) {
    if (HOGCTL_PAGER ?? PAGER) warn(`warning: the pager ${words.join(' ')} cannot be started`);
    return undefined;
  }
  const printer = streamPrinter(pager.stream);
  // What is said while it has the screen is shown when the reader has left it.
  const release = hold();
  const end = () => pager.end().finally(release);
  return {
    isPager: true,
    write: printer.write,
    finish: async () => {
      try {
        await printer.finish();
      } catch (failure) {
        if (!(failure instanceof ClosedPipe)) throw failure;
      } finally {
        await end();
      }
    },
    abandon: end,
  };
}

type Surroundings = {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Keeps Ctrl-C from ending this process, which the pager takes for a key; returns how to undo that. */
  holdInterrupts(): () => void;
  /** Called when the reader leaves the pager before all is written. */
  onLeft(): void;
};

/** Starts a pager on our terminal. Resolves to undefined if there is no such program. */
export async function startPager(
  [program, ...words]: readonly [string, ...string[]],
  { environment, signal, holdInterrupts, onLeft }: Surroundings,
): Promise<Pager | undefined> {
  const { spawn } = await import('node:child_process');
  const child = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'], env: environment });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!isStarted) return undefined;
  const release = holdInterrupts();
  const passOn = () => {
    if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
  };
  signal.addEventListener('abort', passOn, { once: true });
  // The reader may leave between two writes, and the next one may be far off.
  child.stdin.on('error', () => {});
  child.once('close', onLeft);
  return {
    stream: child.stdin,
    end: async () => {
      child.off('close', onLeft);
      child.stdin.end();
      await ended;
      signal.removeEventListener('abort', passOn);
      release();
    },
  };
}

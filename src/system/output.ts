import { CliError } from '../errors.ts';
import type { DataStream, OutputStream, Pager, System } from './system.ts';
import { messageText, systemReason } from './text.ts';

/** Where data goes: stdout, or the file of `--save`. */
export type Printer = {
  readonly isPager?: true;
  /** Resolves when the reader can take more. Throws `ClosedPipe` when the reader has gone. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Waits until everything has left the process, or makes the file complete. */
  finish(): Promise<void>;
  /** Leaves nothing half written behind. */
  abandon(): Promise<void>;
};

/** The reader of stdout has gone, as `head` does. For a read that is a success. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** A printer on a stream. A slow reader is waited for; one that goes away ends the command. */
export function streamPrinter(stream: DataStream): Printer {
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= isClosed(error)
      ? new ClosedPipe('the reader of standard output has gone')
      : cannotWrite(error);
    return failure;
  };
  stream.on('error', fail);
  const written = async (chunk: string | Uint8Array) => {
    if (failure) throw failure;
    const error = await new Promise<Error | null | undefined>((resolve) => stream.write(chunk, resolve));
    if (error) throw fail(error);
  };
  return { write: written, finish: () => written(''), abandon: async () => {} };
}

function isClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ECONNRESET';
}

function cannotWrite(cause: Error): CliError {
  return new CliError('unavailable', `cannot write to standard output: ${systemReason(cause)}`, { cause });
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
  const { HOGCTL_PAGER, PAGER, CI, TERM } = environment;
  if (TERM === 'dumb' || (CI && CI !== 'false')) return undefined;
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
  // It shows what it is given, and needs no key.
  const env = { ...environment, HOGCTL_API_KEY: undefined, POSTHOG_CLI_API_KEY: undefined };
  const { spawn } = await import('node:child_process');
  const child = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'], env });
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

type Redact = (text: string) => string;

/** Messages on stderr. Every line is redacted and holds no control character but its line breaks. */
export type Stderr = {
  note(text: string): void;
  warn(text: string): void;
  /** Adds a way to hide secrets that became known. */
  hide(redact: Redact): void;
  readonly redact: Redact;
  /** What takes away a bar that stands in the last line, before anything else is said there. */
  takeAway(bar: (() => void) | undefined): void;
  /** Keeps what is said until the returned function is called. */
  hold(): () => void;
};

/**
 * Notes are left out while `isQuiet`. The stream is made by the first message, since many commands print none; an error
 * of it has no place to be told.
 */
export function createStderr(system: Pick<System, 'stderr'>, isQuiet: () => boolean): Stderr {
  const redactors: Redact[] = [];
  let stream: OutputStream | undefined;
  let takeAway: (() => void) | undefined;
  let held: string[] | undefined;
  const open = () => {
    stream ??= system.stderr.on('error', () => {});
    return stream;
  };
  const redact: Redact = (text) => redactors.reduce((sofar, each) => each(sofar), text);
  const say = (text: string) => {
    if (held !== undefined) {
      held.push(text);
      return;
    }
    takeAway?.();
    open().write(`${messageText(redact(text), system.stderr)}\n`);
  };
  return {
    note: (text) => {
      if (!isQuiet()) say(text);
    },
    warn: say,
    hide: (redactor) => {
      redactors.push(redactor);
    },
    redact,
    takeAway: (bar) => {
      takeAway = bar;
    },
    hold: () => {
      held ??= [];
      return () => {
        const texts = held ?? [];
        held = undefined;
        for (const text of texts) say(text);
      };
    },
  };
}

/** Whether the terminal and its locale show more than ASCII. */
export function hasUnicode({ environment, platform }: Pick<System, 'environment' | 'platform'>): boolean {
  if (environment.TERM === 'dumb') return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return platform === 'win32' || !locale || /utf-?8/.test(locale.toLowerCase());
}

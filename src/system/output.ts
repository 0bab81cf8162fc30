import { type CliError, Unwritten } from '../errors.ts';
import type { DataStream, OutputStream, System } from './system.ts';
import { columnsOf, isCiLog, messageText, systemReason, withoutCommands } from './text.ts';

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
  return new Unwritten('unavailable', `cannot write to standard output: ${systemReason(cause)}`, { cause });
}

type Redact = (text: string) => string;

/** Messages on stderr. Every line is redacted and holds no control character but its line breaks. */
export type Stderr = {
  note(text: string): void;
  warn(text: string): void;
  /** A line that is a command to the service that runs the job. */
  command(line: string): void;
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
export function createStderr(system: Pick<System, 'stderr' | 'environment'>, isQuiet: () => boolean): Stderr {
  const redactors: Redact[] = [];
  let stream: OutputStream | undefined;
  let takeAway: (() => void) | undefined;
  let held: string[] | undefined;
  const open = () => {
    stream ??= system.stderr.on('error', () => {});
    return stream;
  };
  const redact: Redact = (text) => redactors.reduce((sofar, each) => each(sofar), text);
  const say = (said: string) => sayAsIs(isCiLog(system.environment) ? withoutCommands(said) : said);
  const sayAsIs = (text: string) => {
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
    command: sayAsIs,
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
        for (const text of texts) sayAsIs(text);
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

/** Whether a person can answer: questions are read from a terminal only, never from a pipe, nor from that of a CI job. */
export function isInteractive(system: System): boolean {
  return system.stdin.isTTY === true && system.stderr.isTTY === true && !isCiJob(system);
}

/** Whether a CI service runs this, which may give a job a terminal that nobody sits at. */
export function isCiJob({ environment: { CI } }: Pick<System, 'environment'>): boolean {
  return CI !== undefined && CI !== '' && CI.toLowerCase() !== 'false';
}

export type Progress = {
  /** How much of the whole is done, in the unit of the label. */
  update(done: number, detail?: Readonly<Record<string, number>>): void;
  /** How far something is that others do: what they tell of it, if anything. */
  follow(told: Told | undefined): void;
  /** Whether what is shown is drawn again, so that it can also say how time passes. */
  readonly isLive: boolean;
  /** Takes the bar away, or says the last figures. */
  end(): void;
};

export type Told = { readonly done: number; readonly total: number | undefined };

export type ProgressOptions = {
  /** What is counted: `ids`, `rows`. */
  readonly label: string;
  readonly total?: number | undefined;
  /** What to say while nothing can be counted: `waiting for the query`. */
  readonly waiting?: string | undefined;
  /** What to say until the first figures come, while the time goes on: `waiting for the first rows`. */
  readonly first?: string;
  /** Whether rows are printed meanwhile, which on one terminal leave no room for a bar. */
  readonly amidRows?: boolean;
};

type Situation = {
  readonly system: System;
  readonly options: { readonly quiet?: boolean | undefined; readonly save?: string | undefined };
  readonly stderr: Pick<Stderr, 'takeAway'>;
};

/** Milliseconds between two lines without a terminal, and two pictures of the bar at one. */
const LINE_EVERY = 10_000;

const BAR_EVERY = 100;

/** What is over sooner needs no progress. */
const QUIET_START = 2_000;

const SECOND = 1000;

/**
 * Progress on stderr: a bar on a terminal, a line every ten seconds elsewhere. A bar is
 * removed before any other message, and drawn again after it.
 */
export function startProgress(
  { amidRows, first, ...work }: ProgressOptions,
  { system, options, stderr }: Situation,
): Progress {
  const isInTheWay = amidRows === true && options.save === undefined && system.stdout.isTTY === true;
  if (options.quiet === true || (isInTheWay && system.stderr.isTTY === true))
    return { update: () => {}, follow: () => {}, end: () => {}, isLive: false };
  const { stderr: stream, now, environment } = system;
  const isLive = stream.isTTY === true && environment.TERM !== 'dumb';
  const every = isLive ? BAR_EVERY : LINE_EVERY;
  const start = now();
  let shown = start;
  let drawn = false;
  const show = ({ done, total }: Done, detail: Readonly<Record<string, number>> = {}) => {
    const waiting = first ?? work.waiting ?? work.label;
    const state = { label: work.label, waiting, done, total, detail, seconds: (now() - start) / 1000 };
    if (isLive) stream.write(`\r\u001b[K${barText(state, columnsOf(stream), hasUnicode(system))}`);
    else stream.write(`${partsOf(state).join(', ')}\n`);
    drawn = isLive;
    shown = now();
  };
  const isEarly = () => now() - start < QUIET_START;
  const follow = (told: Told | undefined) => {
    if (!isEarly() && now() - shown >= every) show(told ?? { done: undefined, total: undefined });
  };
  const end = () => {
    if (drawn) stream.write('\r\u001b[K');
  };
  const clock = first === undefined ? undefined : setInterval(follow, SECOND, undefined).unref();
  if (isLive) stderr.takeAway(end);
  return {
    update: (done, detail) => {
      clearInterval(clock);
      if (!isEarly() && now() - shown >= every) show({ done, total: work.total }, detail);
    },
    follow: (told) => {
      if (told !== undefined) clearInterval(clock);
      follow(told);
    },
    isLive,
    end: () => {
      clearInterval(clock);
      end();
      if (isLive) stderr.takeAway(undefined);
    },
  };
}

type Done = { readonly done: number | undefined; readonly total: number | undefined };

type State = Done & {
  readonly label: string;
  readonly waiting: string;
  readonly detail: Readonly<Record<string, number>>;
  readonly seconds: number;
};

function rate(done: number, seconds: number): number {
  return seconds > 0 ? Math.round(done / seconds) : 0;
}

function left(total: number | undefined, done: number, seconds: number): number | null {
  if (total === undefined || done === 0 || done > total) return null;
  return Math.round(((total - done) * seconds) / done);
}

/** What is said, the most important first. More than the total has come if others were added meanwhile. */
function partsOf({ label, total, done, detail, seconds, waiting }: State): readonly string[] {
  if (done === undefined) return [waiting, duration(seconds)];
  const whole = total === undefined || done > total ? '' : ` of ${total}`;
  const details = Object.entries(detail)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const remaining = left(total, done, seconds);
  const time = remaining === null ? [] : [`about ${duration(remaining)} left`];
  return [`${done}${whole} ${label}`, ...details, `${rate(done, seconds)} a second`, ...time];
}

/** As many whole parts as there is room for. */
function shortText(state: State, room: number): string {
  const [first = '', ...parts] = partsOf(state);
  const text = parts.reduce(
    (sum, part) => (sum.length + part.length + 2 > room ? sum : `${sum}, ${part}`),
    first,
  );
  return text.slice(0, room);
}

function barText(state: State, columns: number, unicode: boolean): string {
  const { total, done = 0 } = state;
  const text = shortText(state, columns - 1);
  const width = Math.min(30, columns - text.length - 4);
  if (total === undefined || total === 0 || width < 5) return text;
  const filled = Math.round((Math.min(done, total) / total) * width);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '.'];
  return `${full.repeat(filled)}${empty.repeat(width - filled)} ${text}`;
}

/** Seconds as people say them: `45 s`, `3 min`, `2 h 10 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

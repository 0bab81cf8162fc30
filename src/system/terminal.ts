import { Writable } from 'node:stream';
import { CliError, usageError } from '../errors.ts';
import { hasUnicode, type Stderr } from './output.ts';
import type { System } from './system.ts';
import { messageText } from './text.ts';

/** Whether somebody sits there: questions are read from a terminal only, never from a pipe. */
export function isInteractive(system: System): boolean {
  return system.stdin.isTTY === true && system.stderr.isTTY === true;
}

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

export type ProgressKind = 'auto' | 'json' | 'none';

export type ProgressOptions = {
  /** What is counted: `ids`, `rows`. */
  readonly label: string;
  readonly total?: number | undefined;
  /** What to say while nothing can be counted: `waiting for the query`. */
  readonly waiting?: string | undefined;
  /** What to say until the first figures come, while the time goes on: `waiting for the first rows`. */
  readonly first?: string;
  readonly kind?: ProgressKind | undefined;
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
 * Progress on stderr: a bar on a terminal, a line every ten seconds elsewhere, JSON lines if they are asked for. A bar
 * is removed before any other message, and drawn again after it.
 */
export function startProgress(
  { amidRows, first, kind = 'auto', ...work }: ProgressOptions,
  { system, options, stderr }: Situation,
): Progress {
  const isInTheWay = amidRows === true && options.save === undefined && system.stdout.isTTY === true;
  const isSilent = kind === 'none' || (kind === 'auto' && options.quiet === true);
  if (isSilent || (isInTheWay && system.stderr.isTTY === true))
    return { update: () => {}, follow: () => {}, end: () => {}, isLive: false };
  const { stderr: stream, now, environment } = system;
  const isJson = kind === 'json';
  const isLive = !isJson && stream.isTTY === true && environment.TERM !== 'dumb';
  const every = isLive ? BAR_EVERY : LINE_EVERY;
  const start = now();
  let shown = start;
  let drawn = false;
  const show = ({ done, total }: Done, detail: Readonly<Record<string, number>> = {}) => {
    const waiting = first ?? work.waiting ?? work.label;
    const state = { label: work.label, waiting, done, total, detail, seconds: (now() - start) / 1000 };
    if (isJson) stream.write(`${JSON.stringify(toJson(state))}\n`);
    else if (isLive) stream.write(`\r\u001b[K${barText(state, stream.columns ?? 80, hasUnicode(system))}`);
    else stream.write(`${partsOf(state).join(', ')}\n`);
    drawn = isLive;
    shown = now();
  };
  const isEarly = () => !isJson && now() - start < QUIET_START;
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
      const isDue = isJson ? now() - shown >= SECOND || done === work.total : now() - shown >= every;
      if (!isEarly() && isDue) show({ done, total: work.total }, detail);
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

function toJson({ label, total, done, detail, seconds }: State) {
  return {
    progress: {
      unit: label,
      done: done ?? null,
      total: total ?? null,
      ...detail,
      per_second: rate(done ?? 0, seconds),
      seconds_left: left(total, done ?? 0, seconds),
    },
  };
}

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

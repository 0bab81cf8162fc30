import { Writable } from 'node:stream';
import { CliError, usageError } from '../errors.ts';
import type { OutputStream, System } from './system.ts';
import { escapeControls, wrapWords } from './text.ts';

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
  if (!isInteractive(system)) throw usageError('there is no terminal to ask at');
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

/** A message as a stream shows it: without control characters but line breaks, and on a terminal broken at words. */
export function messageText(
  text: string,
  { isTTY, columns }: Pick<OutputStream, 'isTTY' | 'columns'>,
): string {
  const safe = escapeControls(text, { keepLineBreaks: true });
  return isTTY === true ? wrapWords(safe, Math.max(40, columns || 80)) : safe;
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
  /** Whether what is shown is drawn anew, so that it can also say how time passes. */
  readonly isLive: boolean;
  /** Takes the bar away, or says the last figures. */
  end(): void;
};

export type Told = { readonly done: number; readonly total: number | undefined };

export type ProgressKind = 'auto' | 'json' | 'none';

type Setting = {
  readonly stream: OutputStream;
  readonly kind: ProgressKind;
  readonly unicode: boolean;
  /** A terminal that cannot take back what it shows, on which a bar would be drawn over and over. */
  readonly dumb: boolean;
  /** What is counted: `ids`, `rows`. */
  readonly label: string;
  readonly total?: number | undefined;
  /** What to say while nothing is told: `waiting for the query`. */
  readonly waiting?: string | undefined;
  now(): number;
};

/** Between two lines where there is no terminal, and two pictures of the bar where there is one, in milliseconds. */
const LINE_EVERY = 10_000;

const BAR_EVERY = 100;

/** What is over sooner needs no progress. */
const QUIET_START = 2_000;

/** Progress on stderr: a bar on a terminal, a line every ten seconds elsewhere, JSON lines where they are asked for. */
export function createProgress(setting: Setting): Progress {
  const { stream, kind, now } = setting;
  if (kind === 'none') return { update: () => {}, follow: () => {}, end: () => {}, isLive: false };
  const bar = kind === 'auto' && stream.isTTY === true && !setting.dumb;
  const every = bar ? BAR_EVERY : LINE_EVERY;
  const start = now();
  let shown = start;
  let drawn = false;
  const show = ({ done, total }: Done, detail: Readonly<Record<string, number>> = {}) => {
    const state = { ...setting, done, total, detail, seconds: (now() - start) / 1000 };
    if (kind === 'json') stream.write(`${JSON.stringify(toJson(state))}\n`);
    else if (bar) stream.write(`\r\u001b[K${barText(state)}`);
    else stream.write(`${lineText(state)}\n`);
    drawn = bar;
    shown = now();
  };
  const isEarly = () => kind !== 'json' && now() - start < QUIET_START;
  return {
    update: (done, detail) => {
      const due = kind === 'json' ? now() - shown >= 1000 || done === setting.total : now() - shown >= every;
      if (!isEarly() && due) show({ done, total: setting.total }, detail);
    },
    follow: (told) => {
      if (!isEarly() && now() - shown >= every) show(told ?? { done: undefined, total: undefined });
    },
    isLive: bar,
    end: () => {
      if (drawn) stream.write('\r\u001b[K');
    },
  };
}

type Done = Told | { readonly done: undefined; readonly total: undefined };

type State = Setting & {
  readonly done: number | undefined;
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

function lineText(state: State): string {
  return partsOf(state).join(', ');
}

/** What is said, the most important first. More than the total has come where others were added meanwhile. */
function partsOf({ label, total, done, detail, seconds, waiting = label }: State): readonly string[] {
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

function barText(state: State): string {
  const { total, done = 0, unicode, stream } = state;
  const columns = stream.columns ?? 80;
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

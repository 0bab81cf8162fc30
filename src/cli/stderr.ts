import type { Note } from '../print/columns.ts';
import type { Redactor } from '../settings/redactor.ts';
import { createProgress, type Progress, type ProgressKind } from '../system/progress.ts';
import type { OutputStream, System } from '../system/system.ts';
import { escapeControls } from '../system/text.ts';
import type { GlobalOptions } from './command/options.ts';
import { hasUnicode } from './output-format.ts';

/** Messages on stderr. Every line is redacted and holds no control character but its line breaks. */
export type Stderr = {
  note(text: string): void;
  warn(text: string): void;
  /** Adds a way to hide secrets that became known. */
  hide(redact: Redactor): void;
  readonly redact: Redactor;
  /** What takes away a bar that stands in the last line, before anything else is said there. */
  takeAway(bar: (() => void) | undefined): void;
};

/**
 * Notes are left out while `isQuiet`. The stream is made by the first message, since many commands print none; an error
 * of it has no place to be told.
 */
export function createStderr(system: Pick<System, 'stderr'>, isQuiet: () => boolean): Stderr {
  const redactors: Redactor[] = [];
  let stream: OutputStream | undefined;
  let takeAway: (() => void) | undefined;
  const open = () => {
    stream ??= system.stderr.on('error', () => {});
    return stream;
  };
  const redact: Redactor = (text) => redactors.reduce((sofar, each) => each(sofar), text);
  const say = (text: string) => {
    takeAway?.();
    open().write(`${escapeControls(redact(text), { keepLineBreaks: true })}\n`);
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
  };
}

/** How the output half tells what it noticed. */
export function noteOn({ note, warn }: Stderr): Note {
  return (text, weight) => (weight === 'warning' ? warn(`warning: ${text}`) : note(text));
}

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

type Situation = { readonly system: System; readonly options: GlobalOptions; readonly stderr: Stderr };

const SECOND = 1000;

/** Shows progress. A bar is removed before any other message on stderr, and drawn again after it. */
export function startProgress(
  { amidRows, first, ...work }: ProgressOptions,
  { system, options, stderr }: Situation,
): Progress {
  const inTheWay = amidRows === true && isAmidRows(system, options);
  const progress = createProgress({
    ...work,
    waiting: first ?? work.waiting,
    kind: inTheWay ? 'none' : (work.kind ?? (options.quiet ? 'none' : 'auto')),
    stream: system.stderr,
    unicode: hasUnicode(system),
    dumb: system.environment.TERM === 'dumb',
    now: system.now,
  });
  if (progress.isLive) stderr.takeAway(progress.end);
  const clock = first === undefined ? undefined : setInterval(() => progress.follow(undefined), SECOND);
  clock?.unref();
  return {
    ...progress,
    update: (...figures) => {
      clearInterval(clock);
      progress.update(...figures);
    },
    follow: (told) => {
      if (told !== undefined) clearInterval(clock);
      progress.follow(told);
    },
    end: () => {
      clearInterval(clock);
      progress.end();
      if (progress.isLive) stderr.takeAway(undefined);
    },
  };
}

/** A bar on the terminal that the rows go to would stand in their way. */
function isAmidRows({ stdout, stderr }: System, { save }: GlobalOptions): boolean {
  return save === undefined && stdout.isTTY === true && stderr.isTTY === true;
}

import type { Redactor } from '../config/create-redactor.ts';
import { escapeControls } from '../system/escape-controls.ts';
import type { OutputStream, System } from '../system/system.ts';

/** What is said on stderr. Every line is redacted and holds no control character but its line breaks. */
export type Talk = {
  note(text: string): void;
  warn(text: string): void;
  /** Adds a way to hide secrets that became known. */
  hide(redact: Redactor): void;
  readonly redact: Redactor;
  /** What takes away a bar that stands in the last line, before anything else is said there. */
  takeAway(bar: (() => void) | undefined): void;
};

/**
 * Talk on stderr, without notes as long as it is to be quiet. A stream that has gone is nobody to talk to. The stream is
 * made by the first word, since many commands say none.
 */
export function createTalk(system: Pick<System, 'stderr'>, isQuiet: () => boolean): Talk {
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

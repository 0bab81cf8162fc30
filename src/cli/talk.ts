import type { Redactor } from '../config/create-redactor.ts';
import { escapeControls } from '../output/escape-controls.ts';
import type { OutputStream } from './outside/outside.ts';

/** What is said on stderr. Every line is redacted and holds no control character but its line breaks. */
export type Talk = {
  note(text: string): void;
  warn(text: string): void;
  /** Adds a way to hide secrets that became known. */
  hide(redact: Redactor): void;
  readonly redact: Redactor;
};

/** Talk on a stream, without notes as long as it is to be quiet. A stream that has gone is nobody to talk to. */
export function createTalk(stream: OutputStream, isQuiet: () => boolean): Talk {
  const redactors: Redactor[] = [];
  stream.on('error', () => {});
  const redact: Redactor = (text) => redactors.reduce((sofar, each) => each(sofar), text);
  const say = (text: string) => {
    stream.write(`${escapeControls(redact(text), { keepLineBreaks: true })}\n`);
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
  };
}

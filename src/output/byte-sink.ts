import { hasUnsafe } from './has-unsafe.ts';
import { indentJson } from './indent-json.ts';
import { escapeUnsafe } from './json-text.ts';

/** JSON text gathered in one buffer, which is used again after each `take`. */
export type ByteSink = {
  text(text: string): void;
  /** JSON in UTF-8, as it is. */
  bytes(json: Uint8Array): void;
  /** JSON without white space, its lines after the first indented from this level on. */
  indented(json: Uint8Array, level: number): void;
  isEmpty(): boolean;
  /** Whether there is enough for a write. */
  isFull(): boolean;
  /** What was gathered, with control characters as escapes; bytes stay so until the sink is written to again. */
  take(): string | Uint8Array;
};

const FULL = 64 * 1024;

/** Makes a sink that grows with the largest row. */
export function createByteSink(): ByteSink {
  let buffer = Buffer.allocUnsafeSlow(2 * FULL);
  let length = 0;
  const reserve = (more: number) => {
    if (length + more <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(length + more, 2 * buffer.length));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  };
  return {
    text(text) {
      reserve(text.length * 3);
      length += buffer.write(text, length);
    },
    bytes(json) {
      reserve(json.length);
      buffer.set(json, length);
      length += json.length;
    },
    indented(json, level) {
      let end = indentJson(json, { target: buffer, at: length, level });
      while (end < 0) {
        reserve(2 * (buffer.length - length));
        end = indentJson(json, { target: buffer, at: length, level });
      }
      length = end;
    },
    isEmpty: () => length === 0,
    isFull: () => length >= FULL,
    take() {
      const taken = buffer.subarray(0, length);
      length = 0;
      return hasUnsafe(taken) ? escapeUnsafe(taken.toString('utf8')) : taken;
    },
  };
}

import { COMMA, LINE_FEED } from '../api/json-bytes.ts';
import type { RowSlices } from '../api/row-slices.ts';
import { escapeUnsafe } from '../json/write.ts';
import { hasUnsafe } from './has-unsafe.ts';
import { indentJson } from './indent-json.ts';

/** JSON text gathered in one buffer, which is used again after each `take`. */
export type ByteSink = {
  text(text: string): void;
  /** As many rows from this one on as stand side by side and make the sink full, a line each; returns the next. */
  lines(rows: RowSlices, first: number): number;
  /** As many rows from this one on as make the sink full, a line each, with commas between; returns the next. */
  items(rows: RowSlices, first: number): number;
  /** One row, its lines after the first indented from this level on. */
  indented(rows: RowSlices, index: number, level: number): void;
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
    lines(rows, first) {
      const { bytes, starts, ends } = rows;
      const from = starts[first] ?? 0;
      const next = endOfRun(rows, first);
      const to = ends[next - 1] ?? from;
      reserve(to - from + 1);
      buffer.set(bytes.subarray(from, to), length);
      for (let index = first; index < next; index += 1) {
        buffer[length + (ends[index] ?? to) - from] = LINE_FEED;
      }
      length += to - from + 1;
      return next;
    },
    items({ bytes, starts, ends }, first) {
      let index = first;
      for (; index < starts.length && (index === first || length < FULL); index += 1) {
        const [from = 0, to = 0] = [starts[index], ends[index]];
        reserve(to - from + 2);
        if (index > first) {
          buffer[length] = COMMA;
          buffer[length + 1] = LINE_FEED;
          length += 2;
        }
        buffer.set(bytes.subarray(from, to), length);
        length += to - from;
      }
      return index;
    },
    indented({ bytes, starts, ends }, index, level) {
      const source = { bytes, from: starts[index] ?? 0, to: ends[index] ?? 0 };
      let end = indentJson(source, { target: buffer, at: length, level });
      while (end < 0) {
        reserve(2 * (buffer.length - length));
        end = indentJson(source, { target: buffer, at: length, level });
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

/** The row after those that only commas stand between, and that are together not much more than a write. */
function endOfRun({ bytes, starts, ends }: RowSlices, first: number): number {
  const from = starts[first] ?? 0;
  let next = first + 1;
  for (; next < starts.length; next += 1) {
    const end = ends[next - 1] ?? 0;
    if (end - from >= FULL || starts[next] !== end + 1 || bytes[end] !== COMMA) break;
  }
  return next;
}

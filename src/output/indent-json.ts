import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from './bytes.ts';

/** JSON without white space between two positions. */
type Source = { readonly bytes: Uint8Array; readonly from: number; readonly to: number };

/** Where indented text goes: from `at` on, its lines after the first `level` steps in. */
type Place = { readonly target: Uint8Array; readonly at: number; readonly level: number };

const STEP = 2;

/**
 * Writes JSON without white space the way JSON.stringify writes it with an indent of two, byte for byte. Returns the
 * position after it, or -1 where the target may be too small.
 */
export function indentJson({ bytes, from, to }: Source, place: Place): number {
  const { target } = place;
  let { at, level } = place;
  let index = from;
  while (index < to) {
    const byte = bytes[index] ?? 0;
    // What is left of the source fits once there is room for a line break more.
    if (target.length - at < to - index + (level + 2) * STEP + 3) return -1;
    index += 1;
    target[at] = byte;
    at += 1;
    if (byte === QUOTE) {
      const end = endOfString(bytes, index);
      for (; index < end; index += 1, at += 1) target[at] = bytes[index] ?? 0;
    } else if (byte === COMMA) at = breakLine(target, at, level);
    else if (byte === COLON) {
      target[at] = SPACE;
      at += 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      const next = bytes[index] ?? 0;
      if (next === CLOSE_OBJECT || next === CLOSE_LIST) {
        target[at] = next;
        at += 1;
        index += 1;
      } else {
        level += 1;
        at = breakLine(target, at, level);
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      level -= 1;
      at = breakLine(target, at - 1, level) + 1;
      target[at - 1] = byte;
    }
  }
  return at;
}

/** The position after the closing quote. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) at += byte === BACKSLASH ? 2 : 1;
  return at + 1;
}

function breakLine(target: Uint8Array, from: number, level: number): number {
  const end = from + 1 + level * STEP;
  target[from] = LINE_FEED;
  for (let at = from + 1; at < end; at += 1) target[at] = SPACE;
  return end;
}

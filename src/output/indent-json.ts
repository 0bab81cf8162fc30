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
  TO_CLOSING,
} from '../api/json-bytes.ts';

/** JSON without white space between two positions. */
type Source = { readonly bytes: Uint8Array; readonly from: number; readonly to: number };

/** Where indented text goes: from `at` on, its lines after the first `level` steps in. */
type Place = { readonly target: Uint8Array; readonly at: number; readonly level: number };

const STEP = 2;

/** 1 for the bytes of numbers and words. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(![QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT].includes(byte)),
);

/**
 * Writes JSON without white space the way JSON.stringify writes it with an indent of two, byte for byte. Returns the
 * position after it, or -1 where the target may be too small.
 */
export function indentJson({ bytes, from, to }: Source, place: Place): number {
  const { target } = place;
  let { at, level } = place;
  let index = from;
  if (target.length - at < to - from) return -1;
  while (index < to) {
    const byte = bytes[index] ?? 0;
    index += 1;
    target[at] = byte;
    at += 1;
    if (IS_PLAIN[byte] === 1) continue;
    if (byte === QUOTE) {
      const end = copyString(bytes, index, target, at);
      index += end - at;
      at = end;
      continue;
    }
    // What is left of the source fits once there is room for a line break more.
    if (target.length - at < to - index + (level + 2) * STEP + 3) return -1;
    if (byte === COMMA) at = breakLine(target, at, level);
    else if (byte === COLON) {
      target[at] = SPACE;
      at += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      level -= 1;
      at = breakLine(target, at - 1, level) + 1;
      target[at - 1] = byte;
    } else if (bytes[index] === byte + TO_CLOSING) {
      target[at] = byte + TO_CLOSING;
      at += 1;
      index += 1;
    } else {
      level += 1;
      at = breakLine(target, at, level);
    }
  }
  return at;
}

/** Copies a string from after its first quote to after its last one. */
function copyString(bytes: Uint8Array, from: number, target: Uint8Array, to: number): number {
  let index = from;
  let at = to;
  for (;;) {
    const byte = bytes[index] ?? 0;
    target[at] = byte;
    index += 1;
    at += 1;
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    target[at] = bytes[index] ?? 0;
    index += 1;
    at += 1;
  }
}

function breakLine(target: Uint8Array, from: number, level: number): number {
  const end = from + 1 + level * STEP;
  target[from] = LINE_FEED;
  for (let at = from + 1; at < end; at += 1) target[at] = SPACE;
  return end;
}

/** Where indented text goes: from `at` on, its lines after the first `level` steps in. */
type Place = { readonly target: Uint8Array; readonly at: number; readonly level: number };

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [LINE_FEED, SPACE] = [0x0a, 0x20];
const STEP = 2;

/**
 * Writes JSON without white space the way JSON.stringify writes it with an indent of two, byte for byte. Returns the
 * position after it, or -1 where the target may be too small.
 */
export function indentJson(source: Uint8Array, place: Place): number {
  const { target } = place;
  let { at, level } = place;
  let index = 0;
  while (index < source.length) {
    const byte = source[index] ?? 0;
    index += 1;
    // What is left of the source fits once there is room for a line break more.
    if (target.length - at < source.length - index + (level + 2) * STEP + 3) return -1;
    if (byte === QUOTE) {
      const end = endOfString(source, index);
      target[at++] = QUOTE;
      while (index < end) target[at++] = source[index++] ?? 0;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      target[at++] = byte;
      const next = source[index] ?? 0;
      if (next === CLOSE_OBJECT || next === CLOSE_LIST) {
        target[at++] = next;
        index += 1;
      } else {
        level += 1;
        at = breakLine(target, at, level);
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      level -= 1;
      at = breakLine(target, at, level);
      target[at++] = byte;
    } else {
      target[at++] = byte;
      if (byte === COMMA) at = breakLine(target, at, level);
      else if (byte === COLON) target[at++] = SPACE;
    }
  }
  return at;
}

/** The position after the closing quote. */
function endOfString(source: Uint8Array, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== QUOTE) at += source[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function breakLine(target: Uint8Array, from: number, level: number): number {
  let at = from;
  target[at++] = LINE_FEED;
  for (let spaces = level * STEP; spaces > 0; spaces -= 1) target[at++] = SPACE;
  return at;
}

import {
  BACKSLASH,
  COLON,
  COMMA,
  DELETE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TO_CLOSING,
} from '../api/json-bytes.ts';
import { DEEPEST } from './deepest.ts';
import { skipCharacter } from './skip-character.ts';
import { BROKEN, skipScalar, type Traits } from './skip-scalar.ts';

/** 1 for the bytes that stand for a character after a backslash. */
const ESCAPES = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('"\\/bfnrt'.includes(String.fromCharCode(byte))),
);

/** 1 for the bytes of a text that stand for themselves. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= SPACE && byte <= DELETE && byte !== QUOTE && byte !== BACKSLASH),
);

/** The brackets that are open around the value that is looked at. */
const around = new Uint8Array(DEEPEST);

/** Skips an item of a list or an object; `key` is where the quote of its key stands. */
export type Visit = (from: number, key: number) => number;

/** The position after the white space that begins here. */
export function skipSpace(bytes: Uint8Array, from: number, traits: Traits): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at])) at += 1;
  if (at > from) traits.spaced = true;
  return at;
}

/** The position after the JSON value that begins here, `BROKEN` where none does. */
export function skipValue(bytes: Uint8Array, from: number, traits: Traits): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return skipNested(bytes, from, traits);
  return skipScalar(bytes, from, traits);
}

/** The same for a list or an object whose items are skipped by `visit`. */
export function skipItems(
  bytes: Uint8Array,
  from: number,
  { traits, visit }: { readonly traits: Traits; readonly visit: Visit },
): number {
  const open = bytes[from] ?? 0;
  let at = afterSpace(bytes, from + 1, traits);
  if (bytes[at] === open + TO_CLOSING) return at + 1;
  for (;;) {
    const key = at;
    if (open === OPEN_OBJECT) at = skipKey(bytes, at, traits);
    if (at !== BROKEN) at = visit(at, key);
    if (at === BROKEN) return BROKEN;
    at = afterSpace(bytes, at, traits);
    const byte = bytes[at];
    if (byte === open + TO_CLOSING) return at + 1;
    if (byte !== COMMA) return BROKEN;
    at = afterSpace(bytes, at + 1, traits);
  }
}

/** A list or an object with all that is in it: in one loop, since calls cost more than what they would do here. */
function skipNested(bytes: Uint8Array, from: number, traits: Traits): number {
  let open = bytes[from] ?? 0;
  let depth = 0;
  let at = afterSpace(bytes, from + 1, traits);
  if (bytes[at] === open + TO_CLOSING) return at + 1;
  for (;;) {
    if (open === OPEN_OBJECT) at = skipKey(bytes, at, traits);
    if (at === BROKEN) return BROKEN;
    const first = bytes[at];
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      at = afterSpace(bytes, at + 1, traits);
      if (bytes[at] !== first + TO_CLOSING) {
        if (depth === DEEPEST) return BROKEN;
        around[depth] = open;
        depth += 1;
        open = first;
        continue;
      }
      at += 1;
    } else at = first === QUOTE ? skipString(bytes, at) : skipScalar(bytes, at, traits);
    for (;;) {
      if (at === BROKEN) return BROKEN;
      at = afterSpace(bytes, at, traits) + 1;
      const after = bytes[at - 1];
      if (after === COMMA) break;
      if (after !== open + TO_CLOSING) return BROKEN;
      if (depth === 0) return at;
      depth -= 1;
      open = around[depth] ?? 0;
    }
    at = afterSpace(bytes, at, traits);
  }
}

/** Most values have none before them: one look is enough for them. */
function afterSpace(bytes: Uint8Array, at: number, traits: Traits): number {
  return (bytes[at] ?? 0) > SPACE ? at : skipSpace(bytes, at, traits);
}

/** To the value that belongs to the key. */
function skipKey(bytes: Uint8Array, from: number, traits: Traits): number {
  const end = skipString(bytes, from);
  if (end === BROKEN) return BROKEN;
  const colon = afterSpace(bytes, end, traits);
  return bytes[colon] === COLON ? afterSpace(bytes, colon + 1, traits) : BROKEN;
}

function skipString(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return BROKEN;
  let at = from + 1;
  for (;;) {
    while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at = skipEscape(bytes, at + 1);
    else at = byte > DELETE ? skipCharacter(bytes, at) : BROKEN;
    if (at === BROKEN) return BROKEN;
  }
}

function skipEscape(bytes: Uint8Array, at: number): number {
  if (ESCAPES[bytes[at] ?? 0] === 1) return at + 1;
  const code = String.fromCharCode(...bytes.subarray(at, at + 5));
  return /^u[0-9a-f]{4}$/i.test(code) ? at + 5 : BROKEN;
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 10 || byte === 13 || byte === 9;
}

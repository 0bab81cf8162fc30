import { MINUS, NINE, POINT, ZERO } from '../api/json-bytes.ts';

/** Numbers with fewer digits than this keep them as JavaScript numbers. */
const SURE_DIGITS = 16;

/** Whether a JSON number between two positions is spelled as JavaScript spells it: `1.5`, but not `1.50`, `1E5`, `-0`. */
export function isCanonicalNumber(bytes: Uint8Array, from: number, to: number): boolean {
  const start = bytes[from] === MINUS ? from + 1 : from;
  if (to - start < SURE_DIGITS && bytes[start] !== ZERO) {
    let at = start;
    for (let byte = bytes[at] ?? 0; at < to && byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at += 1;
    if (at === to) return true;
    if (bytes[at] === POINT && endsInDigit(bytes, at + 1, to)) return true;
  }
  const text = String.fromCharCode(...bytes.subarray(from, to));
  return String(Number(text)) === text;
}

/** Whether there are digits only, the last of which is not zero. */
function endsInDigit(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return false;
  }
  return bytes[to - 1] !== ZERO;
}

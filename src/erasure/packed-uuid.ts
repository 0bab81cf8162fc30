import { hexDigits, hexValueAt } from './hex-digits.ts';

/** How many words of 32 bits a UUID takes whose text takes 36 bytes. */
export const uuidWords = 4;

const hyphen = 0x2d;
const textLength = 36;
const spelling = Buffer.alloc(textLength, hyphen);
/** Where in the text each pair of digits stands. */
const places = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);

/** Writes a UUID in lower case as words; false, with anything behind `offset`, for every other text. */
export function writeUuid(text: string, words: Int32Array, offset: number): boolean {
  if (text.length !== textLength || !isHyphenated(text)) return false;
  let seen = 0;
  for (let word = 0; word < uuidWords; word += 1) {
    let number = 0;
    for (let pair = word * 4; pair < word * 4 + 4; pair += 1) {
      const at = places[pair] ?? 0;
      const high = hexValueAt(text, at);
      const low = hexValueAt(text, at + 1);
      seen |= high | low;
      number = (number << 8) | (high << 4) | low;
    }
    words[offset + word] = number;
  }
  return seen < 16;
}

function isHyphenated(text: string): boolean {
  const isFirst = text.charCodeAt(8) === hyphen && text.charCodeAt(13) === hyphen;
  return isFirst && text.charCodeAt(18) === hyphen && text.charCodeAt(23) === hyphen;
}

/** The text of a UUID from its words. */
export function readUuid(words: Int32Array, offset: number): string {
  for (let pair = 0; pair < places.length; pair += 1) {
    const byte = ((words[offset + (pair >>> 2)] ?? 0) >>> (24 - (pair & 3) * 8)) & 0xff;
    const at = places[pair] ?? 0;
    spelling[at] = hexDigits[byte * 2] ?? 0;
    spelling[at + 1] = hexDigits[byte * 2 + 1] ?? 0;
  }
  return spelling.toString('latin1');
}

import { hexDigits, hexValueAt } from './hex-digits.ts';

/** How many words of 32 bits a UUID takes whose text takes 36 bytes. */
export const uuidWords = 4;

const hyphen = 0x2d;
const textLength = 36;
const spelling = Buffer.alloc(textLength, hyphen);
/** A bit for each pair of digits that a hyphen follows. */
const hyphens = 0b10_1010_1000;

/** Writes a UUID in lower case as words; false, with anything behind `offset`, for every other text. */
export function writeUuid(text: string, words: Int32Array, offset: number): boolean {
  if (text.length !== textLength || !isHyphenated(text)) return false;
  let seen = 0;
  let at = 0;
  for (let word = 0; word < uuidWords; word += 1) {
    let number = 0;
    for (let pair = word * 4; pair < word * 4 + 4; pair += 1) {
      const high = hexValueAt(text, at);
      const low = hexValueAt(text, at + 1);
      seen |= high | low;
      number = (number << 8) | (high << 4) | low;
      at += 2 + ((hyphens >> pair) & 1);
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
  let at = 0;
  for (let word = 0; word < uuidWords; word += 1) {
    const number = words[offset + word] ?? 0;
    for (let pair = word * 4; pair < word * 4 + 4; pair += 1) {
      const digits = hexDigits((number >>> (24 - (pair & 3) * 8)) & 0xff);
      spelling[at] = digits;
      spelling[at + 1] = digits >> 8;
      at += 2 + ((hyphens >> pair) & 1);
    }
  }
  return spelling.toString('latin1');
}

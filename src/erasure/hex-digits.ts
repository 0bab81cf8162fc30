/**
 * The character codes of the two digits of a byte, in lower case: the first in the low eight bits, the second above
 * them. Both at once and without a look-up, since this is done 32 times for every id.
 */
export function hexDigits(byte: number): number {
  const digits = (byte >> 4) | ((byte & 15) << 8);
  // Adding six carries from ten on, where letters begin: 0x27 further than they would follow the digit 9.
  const letters = ((digits + 0x0606) >> 4) & 0x0101;
  return digits + 0x3030 + letters * 0x27;
}

const none = 255;
/** The value of each digit in lower case by its character. */
const values = new Uint8Array(128).fill(none);
for (let value = 0; value < 16; value += 1) values[value.toString(16).charCodeAt(0)] = value;

/** The value of the hexadecimal digit in lower case at a place of a text, above 15 for any other character. */
export function hexValueAt(text: string, index: number): number {
  return values[text.charCodeAt(index)] ?? none;
}

/** The two digits of each byte, one behind the other. */
export const hexDigits: Readonly<Uint8Array> = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''),
);

const none = 255;
/** The value of each digit in lower case by its character. */
const values = new Uint8Array(128).fill(none);
for (let value = 0; value < 16; value += 1) values[value.toString(16).charCodeAt(0)] = value;

/** The value of the hexadecimal digit in lower case at a place of a text, above 15 for any other character. */
export function hexValueAt(text: string, index: number): number {
  return values[text.charCodeAt(index)] ?? none;
}

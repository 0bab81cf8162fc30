/** How many bytes a UUID takes whose text takes 36. */
export const uuidBytes = 16;

const hyphen = 0x2d;
const textLength = 36;
const spelling = Buffer.alloc(textLength);
/** The two digits of each byte, one behind the other. */
const digits = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''),
);
/** The value of each digit in lower case by its character, 255 for any other. */
const values = new Uint8Array(128).fill(255);
for (let value = 0; value < 16; value += 1) values[value.toString(16).charCodeAt(0)] = value;

/** Writes the bytes of a UUID in lower case; false, with anything behind `offset`, for every other text. */
export function writeUuid(text: string, bytes: Uint8Array, offset: number): boolean {
  if (text.length !== textLength) return false;
  let position = offset;
  for (let index = 0; index < textLength; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (text.charCodeAt(index) !== hyphen) return false;
      index += 1;
    }
    const high = values[text.charCodeAt(index)] ?? 255;
    const low = values[text.charCodeAt(index + 1)] ?? 255;
    if ((high | low) > 15) return false;
    bytes[position] = (high << 4) | low;
    position += 1;
  }
  return true;
}

/** The text of a UUID from its bytes. */
export function readUuid(bytes: Uint8Array, offset: number): string {
  let position = 0;
  for (let index = 0; index < uuidBytes; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) {
      spelling[position] = hyphen;
      position += 1;
    }
    const byte = (bytes[offset + index] ?? 0) * 2;
    spelling[position] = digits[byte] ?? 0;
    spelling[position + 1] = digits[byte + 1] ?? 0;
    position += 2;
  }
  return spelling.toString('latin1');
}

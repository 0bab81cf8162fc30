/** The bytes of JSON text. In a file of their own, since the build writes the numbers of such a file in their place. */
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const LETTER_A = 0x61;
export const LETTER_E = 0x65;
export const LETTER_F = 0x66;
export const LETTER_L = 0x6c;
export const LETTER_N = 0x6e;
export const LETTER_R = 0x72;
export const LETTER_S = 0x73;
export const LETTER_T = 0x74;
export const LETTER_U = 0x75;
export const OPEN_OBJECT = 0x7b;
export const DELETE = 0x7f;
/** From the bracket that opens a list or an object to the one that closes it. */
export const TO_CLOSING = 2;
/** Deeper values are left to the parser. */
export const DEEPEST = 64;

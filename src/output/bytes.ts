/** The bytes of JSON text. In a file of their own, since the build writes the numbers of such a file in their place. */
export const LINE_FEED = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const LETTER_N = 0x6e;
export const LETTER_U = 0x75;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const DELETE = 0x7f;
/** From the bracket that opens a list or an object to the one that closes it. */
export const TO_CLOSING = 2;

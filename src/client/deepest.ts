/** Deeper values are left to the parser. In a file of its own, as the bytes of JSON are. */
export const DEEPEST = 64;

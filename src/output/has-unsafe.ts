import { DELETE } from '../api/json-bytes.ts';

const [C1_LEAD, C1_LAST] = [0xc2, 0x9f];
/** U+061C, the one bidi control of two bytes. */
const ARABIC_LETTER_MARK = Buffer.from([0xd8, 0x9c]);
/** The first two bytes of U+2000 to U+203F and of U+2040 to U+207F. */
const GENERAL_PUNCTUATION = [Buffer.from([0xe2, 0x80]), Buffer.from([0xe2, 0x81])] as const;

/** Whether UTF-8 JSON text holds what `toJsonText` writes as an escape: DEL, C1, line separators, bidi controls. */
export function hasUnsafe(bytes: Buffer): boolean {
  if (bytes.includes(DELETE) || bytes.includes(ARABIC_LETTER_MARK)) return true;
  if (follows(bytes, Buffer.from([C1_LEAD]), (byte) => byte <= C1_LAST)) return true;
  const [lower, upper] = GENERAL_PUNCTUATION;
  return (
    follows(bytes, lower, (byte) => byte === 0x8e || byte === 0x8f || (byte >= 0xa8 && byte <= 0xae)) ||
    follows(bytes, upper, (byte) => byte >= 0xa6 && byte <= 0xa9)
  );
}

/** Whether one of the bytes after `lead` is such a one. */
function follows(bytes: Buffer, lead: Buffer, isSuch: (byte: number) => boolean): boolean {
  for (let at = bytes.indexOf(lead); at >= 0; at = bytes.indexOf(lead, at + lead.length)) {
    if (isSuch(bytes[at + lead.length] ?? 0)) return true;
  }
  return false;
}

/** Lead bytes after which the second byte must lie in a part of the usual range: no overlong forms, no surrogates. */
const NARROW: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** The position after the character of several bytes in UTF-8 that begins here, -1 where none does. */
export function skipCharacter(bytes: Uint8Array, from: number): number {
  const lead = bytes[from] ?? 0;
  if (lead >= 0xc2 && lead <= 0xdf) return ((bytes[from + 1] ?? 0) & 0xc0) === 0x80 ? from + 2 : -1;
  return skipLonger(bytes, from, lead);
}

function skipLonger(bytes: Uint8Array, from: number, lead: number): number {
  const length = lengthFor(lead);
  if (length === 0) return -1;
  const [least, most] = NARROW[lead] ?? [0x80, 0xbf];
  const second = bytes[from + 1] ?? 0;
  if (second < least || second > most) return -1;
  for (let at = from + 2; at < from + length; at += 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return -1;
  }
  return from + length;
}

function lengthFor(lead: number): number {
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

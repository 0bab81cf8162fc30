/** Longer words are no names of anything, but data. */
const LONGEST_WORD = 80;
const LONGEST_NAME = 60;

/**
 * Whether a word may be offered: letters, digits and a few marks that no shell reads as an end, a space or a command.
 * The one that shells do read, `$`, is in the service's own property keys, and the scripts quote it.
 */
export function isOfferable(word: string): boolean {
  if (word.length > LONGEST_WORD) return false;
  // Most words are ASCII, and the other pattern takes its time to compile.
  return /^[\w$][\w.:/+$-]*$/.test(word) || /^[\p{L}\p{N}_$][\p{L}\p{N}_.:/+$-]*$/u.test(word);
}

/** Whether a key is kept: not one that may be a person's id, address or number. An e-mail address is not offerable. */
export function isKept(key: string): boolean {
  return isOfferable(key) && !/[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}|\d{7}/i.test(key);
}

export function isShortId(text: string): boolean {
  return /^[\w-]{1,40}$/.test(text) && !text.startsWith('-');
}

/** A name as it stands beside a short id: one line, not too long, and nothing where it speaks of a person. */
export function plainName(name: string): string {
  const line = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  if (/\S@\S|\d{7}/.test(line)) return '';
  const letters = [...line];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : line;
}

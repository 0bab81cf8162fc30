const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** As many series as can be told apart in one drawing. */
export const MOST_SERIES = 12;

export function letterOf(index: number): string {
  return LETTERS[index] ?? '?';
}

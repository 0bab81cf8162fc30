import type { Note } from './look.ts';

/** Counts texts that UTF-8 cannot hold as they are. */
export type HalfCharacters = {
  watch(text: string): void;
  finish(): void;
};

/**
 * JSON can escape one half of a character, as where a text was cut in its midst. In a cell there is no way to write it,
 * so that U+FFFD stands there; one warning at the end says how often.
 */
export function countHalfCharacters(note: Note): HalfCharacters {
  let count = 0;
  return {
    watch(text) {
      if (!text.isWellFormed()) count += 1;
    },
    finish() {
      if (count === 0) return;
      const cells = count === 1 ? '1 text cell holds' : `${count} text cells hold`;
      note(`${cells} half of a character, written as U+FFFD; --output ndjson keeps it`, 'warning');
    },
  };
}

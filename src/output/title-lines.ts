import { displayWidth } from './fit-text.ts';

/** Titles are words, keys and paths: they break after a space, `_` or `.`. */
const breaks = /(?<=[ _.])/;

/** Display width of the part of a title that cannot be broken further. */
export function longestWord(title: string): number {
  return Math.max(0, ...title.split(breaks).map((word) => displayWidth(word.trimEnd())));
}

/** A title on as many lines as a column of this width needs; a word that is wider keeps a line of its own. */
export function titleLines(title: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of title.split(breaks)) {
    if (line !== '' && displayWidth((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}

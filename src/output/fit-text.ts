import stringWidth from 'string-width';
import type { Cell } from './cell-text.ts';
import type { Look } from './look.ts';

let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character. Most text is ASCII and needs no segmenter, which costs as much as a command. */
function graphemesOf(text: string): Iterable<string> {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Display cells a text takes on a terminal: two for CJK and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** The spaces that fill a text up to a display width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** A text cut to a display width, never inside a grapheme, with an ellipsis where something is missing. */
export function truncate(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const mark = displayWidth(ellipsis) <= width ? ellipsis : '';
  const [kept = ''] = split(text, width - displayWidth(mark));
  return kept + mark;
}

/** A text in pieces of at most a display width. Only a grapheme that is wider by itself makes a wider piece. */
export function wrap(text: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const segment of graphemesOf(text)) {
    const cells = displayWidth(segment);
    if (used + cells > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += cells;
  }
  return [...pieces, piece];
}

/** The longest beginning that fits, and what follows it. */
function split(text: string, width: number): [string, string] {
  let end = 0;
  let used = 0;
  for (const segment of graphemesOf(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return [text.slice(0, end), text.slice(end)];
}

/** A cell cut to a display width: a list by whole items, `a, b, …+3`, anything else like `truncate`. */
export function fitCell(cell: Cell, width: number, ellipsis: string): string {
  if (cell.items === undefined || cell.items.length < 2 || displayWidth(cell.text) <= width) {
    return truncate(cell.text, width, ellipsis);
  }
  const total = cell.items.length;
  let used = 0;
  let best: string | undefined;
  for (const [index, item] of cell.items.entries()) {
    used += displayWidth(item) + (index === 0 ? 0 : 2);
    if (used > width) break;
    const rest = `, ${ellipsis}+${total - index - 1}`;
    if (used + displayWidth(rest) <= width) best = cell.items.slice(0, index + 1).join(', ') + rest;
  }
  return best ?? shortenFirst(cell.items, width, ellipsis);
}

function shortenFirst(items: readonly string[], width: number, ellipsis: string): string {
  const rest = `, ${ellipsis}+${items.length - 1}`;
  const room = width - displayWidth(rest);
  return room < 4
    ? truncate(items.join(', '), width, ellipsis)
    : truncate(items[0] ?? '', room, ellipsis) + rest;
}

/** What stands for text that was left out on a terminal. */
export function ellipsisOf({ unicode }: Pick<Look, 'unicode'>): string {
  return unicode ? '…' : '...';
}

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

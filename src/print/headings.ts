import type { Column } from '../json/kinds.ts';
import { largest } from '../json/numbers.ts';
import { displayWidth } from '../system/text.ts';
import type { Cell, OutputFormat } from './rows.ts';

/** The title of a column, and its place in a row. */
type Titled = { readonly title: string; readonly place: number };

/** A value that all rows have, to stand above them. */
export type Heading = Titled & { readonly text: string };

/**
 * The columns that say the same in each of two rows or more. The first says what a row is, figures are what the others
 * are about, and what somebody asked for by name stays a column.
 */
export function sharedValues(
  fields: readonly (Titled & Pick<Column, 'kind'>)[],
  cells: readonly Cell[][],
  { columns, headers, width = 0 }: Pick<OutputFormat, 'columns' | 'headers' | 'width'>,
): readonly Heading[] {
  if (cells.length < 2 || columns !== undefined || !headers) return [];
  return fields.slice(1).flatMap(({ title, place, kind }) => {
    const text = cells[0]?.[place]?.text ?? '';
    const heading = { title, place, text };
    const fits = kind !== 'number' && text !== '' && displayWidth(headingText(heading)) <= width;
    return fits && isShared(heading, cells) ? [heading] : [];
  });
}

export function isShared({ place, text }: Heading, cells: readonly Cell[][]): boolean {
  return cells.every((row) => row[place]?.text === text);
}

export function headingText({ title, text }: Heading): string {
  return `${title}: ${text}`;
}

/** Titles are words and paths, which break after a space or a point. */
const words = /(?<=[ .])/;

/** A key breaks after `_`, where it must. */
const parts = /(?<=_)/;

/** Display width of the longest word of a title. */
export function longestWord(title: string): number {
  return widest(title.split(words));
}

/** Display width of the part of a title that cannot be broken further. */
export function longestPart(title: string): number {
  return widest(title.split(words).flatMap((word) => word.split(parts)));
}

function widest(pieces: readonly string[]): number {
  return largest(
    pieces.map((piece) => displayWidth(piece.trimEnd())),
    0,
  );
}

/** A title on as many lines as a column of this width needs; a part that is wider keeps a line of its own. */
export function titleLines(title: string, width: number): readonly string[] {
  const pieces = title
    .split(words)
    .flatMap((word) => (displayWidth(word.trimEnd()) > width ? word.split(parts) : [word]));
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && displayWidth((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

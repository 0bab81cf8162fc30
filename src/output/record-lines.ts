import type { ChalkInstance } from 'chalk';
import { isObject, type Json } from '../json/kinds.ts';
import { escapeControls } from '../system/text.ts';
import { type Cell, displayCell } from './cell-text.ts';
import { displayWidth, fitCell, padding, truncate, wrap } from './fit-text.ts';
import type { Column, Look } from './look.ts';
import { keysOf } from './read-path.ts';

/** One line of a record: what it is called and what it holds. */
export type Entry = { readonly key: string; readonly cell: Cell; readonly kind?: Column['kind'] };

/** A value on a terminal takes at most this many lines of a record, so that one long text does not bury the rest. */
const mostLines = 10;

/** The entries of a record, nested objects by dotted path; of each column if there are some. */
export function recordEntries(
  record: Json,
  columns: readonly Column[],
  cells: readonly (Json | undefined)[],
): Entry[] {
  if (columns.length === 0)
    return isObject(record) ? entriesOf('', record) : [{ key: 'value', cell: displayCell(record) }];
  return columns.flatMap(({ key, title }, index) => entriesOf(title ?? key, cells[index]));
}

function entriesOf(path: string, value: Json | undefined): Entry[] {
  if (!isObject(value) || (path !== '' && keysOf(value).length === 0)) {
    return [{ key: escapeControls(path), cell: displayCell(value) }];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    entriesOf(path === '' ? key : `${path}.${key}`, inner),
  );
}

type Shape = Pick<Look, 'headers' | 'width' | 'unicode'> & {
  readonly paint: ChalkInstance;
  /** `wrap` shows long values on several lines, `cut` shortens them to one; numbers and ids stay whole. */
  readonly long: 'wrap' | 'cut';
};

/** The lines of a record, keys on the left; without headers the values alone. */
export function recordLines(entries: readonly Entry[], shape: Shape): string[] {
  const keys = shape.headers ? entries.map(({ key }) => key) : [];
  const widest = Math.max(0, ...keys.map(displayWidth));
  const keyWidth = shape.width === undefined ? widest : Math.min(widest, Math.floor(shape.width / 2));
  const valueWidth = shape.width === undefined ? undefined : shape.width - (shape.headers ? keyWidth + 2 : 0);
  return entries.flatMap(({ key, cell, kind }) => {
    const long = kind === undefined ? shape.long : 'wrap';
    const [first = '', ...more] = valueLines(cell, valueWidth, { ...shape, long });
    if (!shape.headers) return [first, ...more];
    const name = truncate(key, keyWidth, ellipsisOf(shape));
    const gap = first === '' ? '' : padding(name, keyWidth + 2);
    const head = `${shape.paint.bold(name)}${gap}${first}`;
    return [head, ...more.map((line) => ' '.repeat(keyWidth + 2) + line)];
  });
}

function valueLines(cell: Cell, width: number | undefined, shape: Shape): readonly string[] {
  if (width === undefined) return [cell.text];
  if (shape.long === 'cut') return [fitCell(cell, width, ellipsisOf(shape))];
  const lines = wrap(cell.text, width);
  if (lines.length <= mostLines) return lines;
  const last = truncate(lines.slice(mostLines - 1).join(''), width, ellipsisOf(shape));
  return [...lines.slice(0, mostLines - 1), last];
}

/** What stands for text that was left out on a terminal. */
export function ellipsisOf({ unicode }: Pick<Look, 'unicode'>): string {
  return unicode ? '…' : '...';
}

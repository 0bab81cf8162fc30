import { largest } from '../json/numbers.ts';
import { displayWidth, truncate, wrap, wrapWords } from '../system/text.ts';
import type { Cell, OutputFormat } from './rows.ts';
import { ellipsisOf, type Layout } from './table-layout.ts';

/** Lines that a text takes in the last column before it is cut. */
const MOST_WRAPPED = 4;

/** Lines that a text may take beside others: what is still cut then stays on one. */
const MOST_BESIDE = 3;

/** A row cut to its columns; text goes on below itself, as long as need be where nothing stands beside it. */
export function fitRow(
  row: readonly Cell[],
  { limits = [], fields }: Layout,
  { unicode }: OutputFormat,
): readonly (readonly string[])[] {
  const ellipsis = ellipsisOf({ unicode });
  const columns = row.map((cell, index) => {
    const width = limits[index] ?? 0;
    const isLast = index === row.length - 1;
    const isText = fields[index]?.kind === undefined && isProse(cell) && displayWidth(cell.text) > width;
    const lines = isText ? proseLines(cell.text, { width, ellipsis, isLast }) : undefined;
    return lines ?? [fitCell(cell, width, ellipsis)];
  });
  const height = largest(
    columns.map((lines) => lines.length),
    1,
  );
  return Array.from({ length: height }, (_, at) => columns.map((lines) => lines[at] ?? ''));
}

function isProse({ text, items }: Cell): boolean {
  return items === undefined && /^[^[{].* /s.test(text);
}

type Shape = { readonly width: number; readonly ellipsis: string; readonly isLast: boolean };

/** Nothing for a text that cannot stand whole beside others. */
function proseLines(text: string, { width, ellipsis, isLast }: Shape): readonly string[] | undefined {
  const lines = wrapWords(text, width).split('\n');
  if (!isLast) {
    const isWhole = lines.length <= MOST_BESIDE && lines.every((line) => displayWidth(line) <= width);
    return isWhole ? lines : undefined;
  }
  const pieces = lines.flatMap((line) => wrap(line, width));
  return atMost(pieces, { most: MOST_WRAPPED, between: ' ', width, ellipsis });
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

type Height = {
  readonly most: number;
  readonly between: string;
  readonly width: number;
  readonly ellipsis: string;
};

/** The first lines of a text, the last of them cut if there are more. */
export function atMost(
  lines: readonly string[],
  { most, between, width, ellipsis }: Height,
): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), truncate(lines.slice(most - 1).join(between), width, ellipsis)];
}

import { displayWidth, truncate, wrap, wrapWords } from '../system/text.ts';
import type { Cell, OutputFormat } from './rows.ts';
import { ellipsisOf, type Layout } from './table-layout.ts';

/** Lines that a text takes in the last column before it is cut. */
const MOST_WRAPPED = 4;

/** A row cut to its columns; a text in the last one goes on below itself, where nothing stands beside it. */
export function fitRow(
  row: readonly Cell[],
  { limits = [], fields }: Layout,
  { unicode }: OutputFormat,
): readonly (readonly string[])[] {
  const ellipsis = ellipsisOf({ unicode });
  const last = row.length - 1;
  const { text = '', items } = row[last] ?? {};
  const width = limits[last] ?? 0;
  const fitted = row.map((cell, index) => fitCell(cell, limits[index] ?? 0, ellipsis));
  const isProse = fields[last]?.kind === undefined && items === undefined && /^[^[{].* /s.test(text);
  if (!isProse || displayWidth(text) <= width) return [fitted];
  const words = wrapWords(text, width).split('\n');
  const lines = atMost(
    words.flatMap((line) => wrap(line, width)),
    { most: MOST_WRAPPED, between: ' ', width, ellipsis },
  );
  return lines.map((line, at) =>
    at === 0 ? fitted.with(last, line) : fitted.map(() => '').with(last, line),
  );
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

import { type Column, isList, isNumber, isObject, type Json } from '../json/kinds.ts';
import { dataText, toJsonText } from '../json/write.ts';
import { displayWidth, escapeControls, truncate } from '../system/text.ts';
import type { OutputFormat } from './columns.ts';

/** A column before it is laid out, in display cells: what it would take, what it should have, and what it must have. */
type Measure = {
  readonly natural: number;
  readonly desired?: number | undefined;
  readonly floor: number;
  readonly kind: Column['kind'];
};

/** How the cells of a table stand on the lines. */
export type Layout = {
  readonly columns: readonly Column[];
  readonly titles: readonly string[];
  readonly measures: readonly Measure[];
  readonly width: number | undefined;
  /** Absent where the columns do not fit side by side. */
  readonly widths: readonly number[] | undefined;
  /** What a cell may take: its column, and in the last one all that is left of the line. */
  readonly limits: readonly number[] | undefined;
  /** Without lines between the columns, since they would not fit. */
  readonly isNarrow: boolean;
  readonly unicode: boolean;
};

/** The rows of a page, as they came and as they are shown. */
type Page = { readonly values: readonly (Json | undefined)[][]; readonly cells: readonly Cell[][] };

/**
 * The layout that the first page asks for. Where the titles leave too little room they are broken over several lines,
 * and where that is not enough the lines between the columns go.
 */
export function firstLayout(columns: readonly Column[], page: Page, outputFormat: OutputFormat): Layout {
  const titles = columns.map(({ key, title }, index) =>
    escapeControls(title ?? outputFormat.columns?.[index] ?? key),
  );
  const measure = (titleWidth: (title: string) => number): readonly Measure[] =>
    columns.map(({ kind, prominent }, index) => {
      const title = outputFormat.headers ? titleWidth(titles[index] ?? '') : 0;
      const natural = Math.max(1, title, widest(page.cells, index));
      const known = kind ?? (isNumeric(page.values, index) ? ('number' as const) : undefined);
      const floor =
        known === undefined
          ? squeezed(natural, title)
          : Math.max(1, title, least(page.cells, index, outputFormat));
      const desired = prominent && Math.min(natural, PROMINENT);
      return { natural, desired, kind: known, floor: known === 'id' ? natural : floor };
    });
  const { width, unicode } = outputFormat;
  const whole = measure(displayWidth);
  const total = whole.reduce(
    (sum, { natural }) => sum + natural,
    gapWidth({ isNarrow: false }) * (whole.length - 1),
  );
  const measures = width === undefined || total <= width ? whole : measure(longestWord);
  return arrange({ columns, titles, measures, width, unicode });
}

/** Later pages may need more room: no id and no digit before a point is ever cut, and without a terminal nothing is. */
export function grow(layout: Layout, cells: readonly Cell[][]): Layout {
  const measures = layout.measures.map((measure, index) => {
    const fixed = layout.width !== undefined && measure.kind === undefined;
    if (fixed) return measure;
    const natural = Math.max(measure.natural, widest(cells, index));
    if (measure.kind === 'id') return { ...measure, natural, floor: natural };
    return { ...measure, natural, floor: Math.max(measure.floor, least(cells, index, layout)) };
  });
  const same = measures.every(({ natural }, index) => natural === layout.measures[index]?.natural);
  return same ? layout : arrange({ ...layout, measures });
}

function arrange(parts: Omit<Layout, 'widths' | 'limits' | 'isNarrow'>): Layout {
  const { measures, width } = parts;
  if (width === undefined) {
    const widths = measures.map(({ natural }) => natural);
    return { ...parts, widths, limits: undefined, isNarrow: true };
  }
  for (const isNarrow of [false, true]) {
    const gap = gapWidth({ isNarrow });
    // The lines between the columns go before a prominent column gives way, and then it gives way as little as it can.
    const spare = isNarrow ? width - floorsOf(measures, gap) : Number.POSITIVE_INFINITY;
    const widths = fitWidths(prominentFirst(measures, spare), width, gap);
    if (widths === undefined) continue;
    const free = width - gap * (widths.length - 1) - widths.reduce((total, cells) => total + cells, 0);
    const limits = widths.map((cells, index) => (index === widths.length - 1 ? cells + free : cells));
    return { ...parts, widths, limits, isNarrow };
  }
  return { ...parts, widths: undefined, limits: undefined, isNarrow: true };
}

function floorsOf(measures: readonly Measure[], gap: number): number {
  return measures.reduce((total, { floor }) => total + floor, gap * (measures.length - 1));
}

function prominentFirst(measures: readonly Measure[], spare: number): readonly Measure[] {
  return measures.map((measure) => {
    const { floor, desired = floor } = measure;
    return { ...measure, floor: Math.max(floor, Math.min(desired, floor + spare)) };
  });
}

/** Where a prominent column needs more than this it gives way like others. */
const PROMINENT = 24;

/** A text column may shrink to eight cells, or to its title while that is not long itself. */
function squeezed(natural: number, title: number): number {
  return Math.min(natural, Math.max(8, Math.min(title, 14)));
}

function widest(cells: readonly Cell[][], index: number): number {
  return cells.reduce((most, row) => Math.max(most, displayWidth(row[index]?.text ?? '')), 0);
}

/** What a column of numbers needs: all digits before the point, and two after it with an ellipsis. */
function least(cells: readonly Cell[][], index: number, outputFormat: Pick<OutputFormat, 'unicode'>): number {
  return cells.reduce((most, row) => {
    const text = row[index]?.text ?? '';
    const point = /^-?\d+\.\d{2}/.exec(text)?.[0];
    const short = point === undefined || /e/i.test(text) ? text : point + ellipsisOf(outputFormat);
    return Math.max(most, Math.min(displayWidth(text), displayWidth(short)));
  }, 0);
}

function isNumeric(rows: Page['values'], index: number): boolean {
  const present = rows.map((row) => row[index]).filter((value) => value !== undefined && value !== null);
  return present.length > 0 && present.every(isNumber);
}

/** Display cells between two columns. */
function gapWidth({ isNarrow }: Pick<Layout, 'isNarrow'>): number {
  return isNarrow ? 2 : 3;
}

/**
 * Display widths that together with `gap` between the columns fit into `width`: the widest give way first, none below
 * its floor. Undefined if there is no such layout.
 */
function fitWidths(measures: readonly Measure[], width: number, gap: number): readonly number[] | undefined {
  const room = width - gap * (measures.length - 1);
  if (sum(measures.map(({ floor }) => floor)) > room) return undefined;
  const limited = (limit: number) =>
    measures.map(({ natural, floor }) => Math.min(natural, Math.max(floor, limit)));
  let low = 0;
  let high = Math.max(0, ...measures.map(({ natural }) => natural));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(limited(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return shareRest(limited(low), measures, room);
}

/** One limit for all leaves less than a cell for each shortened column. */
function shareRest(widths: readonly number[], measures: readonly Measure[], room: number): readonly number[] {
  let rest = room - sum(widths);
  return widths.map((width, index) => {
    if (rest <= 0 || width >= (measures[index]?.natural ?? 0)) return width;
    rest -= 1;
    return width + 1;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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
export function ellipsisOf({ unicode }: Pick<OutputFormat, 'unicode'>): string {
  return unicode ? '…' : '...';
}

/** Titles are words, keys and paths: they break after a space, `_` or `.`. */
const breaks = /(?<=[ _.])/;

/** Display width of the part of a title that cannot be broken further. */
function longestWord(title: string): number {
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

/** A value as tables show it. `items` are the parts of a list, so that a long one can be shortened by whole items. */
export type Cell = { readonly text: string; readonly items?: readonly string[] };

/** Text of a value for people: no control character, lists of plain values as `a, b`, nothing for null. */
export function displayCell(value: Json | undefined): Cell {
  if (isList(value) && value.length > 0 && !value.some((item) => isList(item) || isObject(item))) {
    const items = value.map(itemText);
    return { text: items.join(', '), items };
  }
  return { text: escapeControls(dataText(value) ?? '') };
}

/** An item that could be taken for two, or for none, is quoted. */
function itemText(item: Json): string {
  const ambiguous = typeof item !== 'string' || item === '' || /[,"]|^\s|\s$/.test(item);
  return escapeControls(ambiguous ? toJsonText(item) : item);
}

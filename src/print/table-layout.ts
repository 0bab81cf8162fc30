import { type Column, isNumber, type Json } from '../json/kinds.ts';
import { displayWidth, escapeControls } from '../system/text.ts';
import type { Cell, OutputFormat } from './rows.ts';

/** A column before it is laid out, in display cells: what it would take, what it should have, and what it must have. */
type Measure = {
  readonly natural: number;
  readonly desired?: number | undefined;
  readonly floor: number;
  readonly kind: Column['kind'];
};

/** What a column gives up first: the end of its UUIDs, or the hours of its times. */
type Short = 'uuid' | 'day';

/** A column as the first page has it, and its place in a row. */
type Field = {
  readonly place: number;
  readonly title: string;
  readonly kind: Column['kind'];
  readonly isProminent: boolean;
  readonly isMinor: boolean;
  readonly short: Short | undefined;
};

/** How the cells of a table stand on the lines. */
export type Layout = {
  /** Those that are shown. */
  readonly fields: readonly Field[];
  readonly all: readonly Field[];
  /** What is shortened. */
  readonly given: readonly Short[];
  readonly measures: readonly Measure[];
  readonly width: number | undefined;
  /** Absent if the columns do not fit side by side. */
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
 * The layout that the first page asks for. What does not fit gives way in this order: titles are broken over several
 * lines, UUIDs and then times become short, minor columns go, the last one first, other text shrinks further, the lines
 * between the columns go; names and addresses shrink last of all.
 */
export function firstLayout(columns: readonly Column[], page: Page, outputFormat: OutputFormat): Layout {
  const { width, unicode, headers } = outputFormat;
  const all = columns.map((column, place) => fieldOf(column, place, page, outputFormat));
  const parts = { all, width, unicode };
  const most = Math.min(PROMINENT, Math.floor((width ?? PROMINENT * 2) / 2));
  const measureAll = (
    fields: readonly Field[],
    given: readonly Short[],
    how: Pick<Measuring, 'titleWidth' | 'isRoomy'>,
  ) => {
    const shown = page.cells.map((row) => pickCells({ fields, given, unicode }, row));
    return fields.map((field, index) => measure(field, shown, index, { ...how, unicode, most }));
  };
  const titleWidth = headers ? displayWidth : () => 0;
  const measures = measureAll(all, [], { titleWidth, isRoomy: true });
  if (width === undefined || naturalWidth(measures) <= width)
    return arrange({ ...parts, fields: all, given: [], measures }, { gives: false });
  const broken = headers ? longestWord : () => 0;
  for (const { fields, given, isRoomy, gives } of attempts(all)) {
    const tried = {
      ...parts,
      fields,
      given,
      measures: measureAll(fields, given, { titleWidth: broken, isRoomy }),
    };
    const layout = arrange(tried, { gives });
    const isWanted = !isRoomy || !layout.isNarrow;
    if (layout.widths !== undefined && isWanted) return layout;
  }
  return inBlocks({ ...parts, fields: all, given: [], measures });
}

type Attempt = Pick<Layout, 'fields' | 'given'> & {
  /** Whether text columns keep enough to be read. */
  readonly isRoomy: boolean;
  /** Whether prominent columns give way. */
  readonly gives: boolean;
};

function* attempts(all: readonly Field[]): Generator<Attempt> {
  const given = ['uuid', 'day'] as const;
  yield { fields: all, given: [], isRoomy: true, gives: false };
  yield { fields: all, given: ['uuid'], isRoomy: true, gives: false };
  let fields = all;
  for (;;) {
    yield { fields, given, isRoomy: true, gives: false };
    const last = fields.findLast(({ isMinor }) => isMinor);
    if (last === undefined) break;
    fields = fields.filter((field) => field !== last);
  }
  yield { fields, given, isRoomy: false, gives: false };
  yield { fields, given, isRoomy: false, gives: true };
}

function fieldOf(
  { key, title, kind, prominent, minor }: Column,
  place: number,
  { values, cells }: Page,
  { columns }: OutputFormat,
): Field {
  const texts = cells.map((row) => row[place]?.text ?? '').filter((text) => text !== '');
  const isProminent = prominent ?? /(^|[._])(name|email)$/.test(key);
  return {
    place,
    title: escapeControls(title ?? columns?.[place] ?? key),
    kind: kind ?? (isNumeric(values, place) ? 'number' : undefined),
    isProminent,
    // What somebody asked for by name stays.
    isMinor: minor === true && columns === undefined,
    short: isProminent ? undefined : shortOf(texts),
  };
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** UUIDs are shortened only if their beginnings still tell them apart. */
function shortOf(texts: readonly string[]): Short | undefined {
  if (texts.length === 0) return undefined;
  if (texts.every((text) => TIME.test(text))) return 'day';
  if (!texts.every((text) => UUID.test(text))) return undefined;
  const isClear = new Set(texts.map((text) => text.slice(0, 8))).size === new Set(texts).size;
  return isClear ? 'uuid' : undefined;
}

/** The cells of a row that the layout shows, as short as it asks for. */
export function pickCells(
  { fields, given, unicode }: Pick<Layout, 'fields' | 'given' | 'unicode'>,
  row: readonly Cell[],
): Cell[] {
  return fields.map(({ place, short }) => {
    const cell = row[place] ?? { text: '' };
    if (short === undefined || !given.includes(short)) return cell;
    if (short === 'day') return TIME.test(cell.text) ? { text: cell.text.slice(0, 10) } : cell;
    return UUID.test(cell.text) ? { text: cell.text.slice(0, 8) + ellipsisOf({ unicode }) } : cell;
  });
}

/** What the layout keeps back, as a sentence; undefined if it is nothing. */
export function omissions({ all, fields, given, width, widths }: Layout): string | undefined {
  if (width === undefined || widths === undefined) return undefined;
  const parts = [
    verb(
      fields.filter(({ short }) => short === 'uuid' && given.includes(short)),
      'shortened',
    ),
    verb(
      all.filter((field) => !fields.includes(field)),
      'left out',
    ),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return `To fit ${width} columns, ${parts.join('; ')}; see --columns or -o csv.`;
}

function verb(fields: readonly Field[], what: string): string | undefined {
  if (fields.length === 0) return undefined;
  const names = new Intl.ListFormat('en').format(fields.map(({ title }) => title));
  return `${names} ${fields.length === 1 ? 'is' : 'are'} ${what}`;
}

type Measuring = {
  readonly titleWidth: (title: string) => number;
  readonly isRoomy: boolean;
  readonly unicode: boolean;
  /** What a prominent column may ask for. */
  readonly most: number;
};

function measure(
  { title, kind, isProminent, short }: Field,
  cells: readonly Cell[][],
  index: number,
  { titleWidth, isRoomy, unicode, most }: Measuring,
): Measure {
  const titled = titleWidth(title);
  const natural = Math.max(1, titled, widest(cells, index));
  const desired = isProminent ? Math.min(natural, most) : undefined;
  if (kind === 'id' || (short !== undefined && kind === undefined))
    return { natural, desired, kind, floor: natural };
  if (kind === 'number')
    return { natural, desired, kind, floor: Math.max(1, titled, least(cells, index, { unicode })) };
  const floor = squeezed(natural, titled);
  return { natural, desired, kind, floor: isRoomy ? Math.max(floor, Math.min(natural, ROOMY)) : floor };
}

/** Later pages may need more room: no id and no digit before a point is ever cut, and without a terminal nothing is. */
export function grow(layout: Layout, page: readonly Cell[][]): Layout {
  const cells = page.map((row) => pickCells(layout, row));
  const measures = layout.measures.map((measure, index) => {
    const fixed = layout.width !== undefined && measure.kind === undefined;
    if (fixed) return measure;
    const natural = Math.max(measure.natural, widest(cells, index));
    if (measure.kind === 'id') return { ...measure, natural, floor: natural };
    return { ...measure, natural, floor: Math.max(measure.floor, least(cells, index, layout)) };
  });
  const same = measures.every(({ natural }, index) => natural === layout.measures[index]?.natural);
  if (same || layout.widths === undefined) return layout;
  const grown = arrange({ ...layout, measures }, { gives: true });
  return grown.widths === undefined ? inBlocks({ ...layout, fields: layout.all, given: [] }) : grown;
}

type Parts = Omit<Layout, 'widths' | 'limits' | 'isNarrow'>;

function inBlocks(parts: Parts): Layout {
  return { ...parts, widths: undefined, limits: undefined, isNarrow: true };
}

function arrange(parts: Parts, { gives }: Pick<Attempt, 'gives'>): Layout {
  const { measures, width } = parts;
  if (width === undefined) {
    const widths = measures.map(({ natural }) => natural);
    return { ...parts, widths, limits: undefined, isNarrow: true };
  }
  for (const isNarrow of [false, true]) {
    const gap = gapWidth({ isNarrow });
    // A prominent column gives way without lines between the columns only, and then as little as it can.
    const spare = isNarrow && gives ? width - floorsOf(measures, gap) : Number.POSITIVE_INFINITY;
    const widths = fitWidths(prominentFirst(measures, spare), width, gap);
    if (widths === undefined) continue;
    const free = width - gap * (widths.length - 1) - widths.reduce((total, cells) => total + cells, 0);
    const limits = widths.map((cells, index) => (index === widths.length - 1 ? cells + free : cells));
    return { ...parts, widths, limits, isNarrow };
  }
  return inBlocks(parts);
}

function naturalWidth(measures: readonly Measure[]): number {
  return sum(measures.map(({ natural }) => natural)) + gapWidth({ isNarrow: false }) * (measures.length - 1);
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

/** Where a prominent column needs more than this it gives way like others. Few addresses are longer. */
const PROMINENT = 36;

/** So much of a text is worth the end of an id or the hours of a time. */
const ROOMY = 16;

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

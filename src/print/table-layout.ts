import { type Column, isNumber, type Json } from '../json/kinds.ts';
import { largest } from '../json/numbers.ts';
import { displayWidth, escapeControls } from '../system/text.ts';
import { type Heading, longestPart, longestWord, sharedValues } from './headings.ts';
import type { Cell, OutputFormat } from './rows.ts';

/** A column before it is laid out, in display cells: what it would take, what it should have, and what it must have. */
type Measure = {
  readonly natural: number;
  readonly desired?: number | undefined;
  readonly floor: number;
  /** What its title takes unbroken, but for spaces. */
  readonly titled: number;
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
  /** What all rows have, and what therefore is no column. */
  readonly shared: readonly Heading[];
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
 * The layout that the first page asks for. What does not fit gives way in this order: a column that is the same in all
 * rows becomes a line above them, titles are broken at spaces, UUIDs and then times become short, minor columns go, the
 * last one first, titles are broken at `_`, other text shrinks further, the lines between the columns go; names and
 * addresses shrink last of all.
 */
export function firstLayout(columns: readonly Column[], page: Page, outputFormat: OutputFormat): Layout {
  const { width, unicode, headers } = outputFormat;
  const every = columns.map((column, place) => fieldOf(column, place, page, outputFormat));
  const most = Math.min(PROMINENT, Math.floor((width ?? PROMINENT * 2) / 2));
  const measureAll = ({ fields, given, isRoomy, title }: Omit<Attempt, 'gives'>) => {
    const shown = page.cells.map((row) => pickCells({ fields, given, unicode }, row));
    const titleWidth = headers ? titleWidths[title] : () => 0;
    // A title is broken at `_` before text is cut.
    const roomy = title === 'parts' ? ROOMY : most;
    const how = { titleWidth, most, text: isRoomy ? roomy : NARROW };
    return fields.map((field, index) => measure(field, shown, index, how));
  };
  const natural = (fields: readonly Field[], title: Attempt['title'] = 'whole') =>
    measureAll({ fields, given: [], isRoomy: true, title });
  const whole = { all: every, fields: every, shared: [], given: [], width, unicode };
  const fits = (measures: readonly Measure[]) => width === undefined || naturalWidth(measures) <= width;
  if (fits(natural(every))) return arrange({ ...whole, measures: natural(every) }, { gives: false });
  const shared = fits(natural(every, 'words')) ? [] : sharedValues(every, page.cells, outputFormat);
  const all = every.filter((field) => !shared.some(({ place }) => place === field.place));
  const parts = { ...whole, all, fields: all, shared, measures: natural(all) };
  if (fits(parts.measures)) return arrange(parts, { gives: false });
  for (const attempt of attempts(all)) {
    const { fields, given, isRoomy, gives } = attempt;
    const layout = arrange({ ...parts, fields, given, measures: measureAll(attempt) }, { gives });
    const isWanted = !isRoomy || !layout.isNarrow;
    if (layout.widths !== undefined && isWanted) return layout;
  }
  return inBlocks(parts);
}

/** What a title asks for that may be broken: nowhere, at spaces, and at `_` too. */
const titleWidths = { whole: displayWidth, words: longestWord, parts: longestPart };

type Attempt = Pick<Layout, 'fields' | 'given'> & {
  readonly title: keyof typeof titleWidths;
  /** Whether text columns keep enough to be read. */
  readonly isRoomy: boolean;
  /** Whether prominent columns give way. */
  readonly gives: boolean;
};

function* attempts(all: readonly Field[]): Generator<Attempt> {
  const given = ['uuid', 'day'] as const;
  let fields = all;
  for (const title of ['words', 'parts'] as const) {
    const shape = { title, isRoomy: true, gives: false };
    fields = all;
    yield { ...shape, fields, given: [] };
    yield { ...shape, fields, given: ['uuid'] };
    for (;;) {
      yield { ...shape, fields, given };
      const last = fields.findLast(({ isMinor }) => isMinor);
      if (last === undefined) break;
      fields = fields.filter((field) => field !== last);
    }
  }
  yield { fields, given, title: 'parts', isRoomy: false, gives: false };
  yield { fields, given, title: 'parts', isRoomy: false, gives: true };
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
  /** What a text column keeps. */
  readonly text: number;
  /** What a prominent column may ask for. */
  readonly most: number;
};

function measure(
  { title, kind, isProminent, short }: Field,
  cells: readonly Cell[][],
  index: number,
  { titleWidth, text, most }: Measuring,
): Measure {
  const titled = titleWidth(title);
  const natural = Math.max(1, titled, widest(cells, index));
  const desired = isProminent ? Math.min(natural, most) : undefined;
  const all = { natural, desired, kind, titled: longestWord(title) };
  if (kind !== undefined || short !== undefined) return { ...all, floor: natural };
  return { ...all, floor: Math.min(natural, Math.max(text, titled)) };
}

/** Later pages may need more room: no id and no digit before a point is ever cut, and text only if there is no room. */
export function grow(layout: Layout, page: readonly Cell[][]): Layout {
  const cells = page.map((row) => pickCells(layout, row));
  const wider = layout.measures.map((measure, index) => Math.max(measure.natural, widest(cells, index)));
  const isFree =
    layout.width === undefined ||
    sum(wider) + gapWidth({ isNarrow: false }) * (wider.length - 1) <= layout.width;
  const measures = layout.measures.map((measure, index) => {
    if (!isFree && measure.kind === undefined) return measure;
    const natural = wider[index] ?? measure.natural;
    return measure.kind === undefined ? { ...measure, natural } : { ...measure, natural, floor: natural };
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
    const fitted = fitWidths(prominentFirst(measures, spare), width, gap);
    if (fitted === undefined) continue;
    const widths = wholeTitles(fitted, measures, width - gap * (fitted.length - 1));
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

/** Less of a text says nothing. */
const NARROW = 8;

function widest(cells: readonly Cell[][], index: number): number {
  return cells.reduce((most, row) => Math.max(most, displayWidth(row[index]?.text ?? '')), 0);
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
  let high = largest(
    measures.map(({ natural }) => natural),
    0,
  );
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

/** Where there is room left, a title is not broken after all. */
function wholeTitles(
  widths: readonly number[],
  measures: readonly Measure[],
  room: number,
): readonly number[] {
  let rest = room - sum(widths);
  return widths.map((width, index) => {
    const more = (measures[index]?.titled ?? 0) - width;
    if (more <= 0 || more > rest) return width;
    rest -= more;
    return width + more;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** What stands for text that was left out on a terminal. */
export function ellipsisOf({ unicode }: Pick<OutputFormat, 'unicode'>): string {
  return unicode ? '…' : '...';
}

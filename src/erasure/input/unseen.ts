import { firstOf, usageError } from '../../errors.ts';
import { createMerged } from './places.ts';

type Attributes = Readonly<Record<string, string>>;

/** Whether an attribute says yes, in any spelling. */
export function isTrue(value: string | undefined): boolean {
  return /^\s*(?:1|true|on)\s*$/i.test(value ?? '');
}

/** Points of a character, in which widths are given. */
const CHARACTER = 5.25;

/** Whether a size is given that nobody can see: less than one point. */
const isTiny = (size: string | undefined, unit = 1) => size !== undefined && !(Number(size) * unit >= 1);

const filters = ['filters', 'customFilters', 'top10', 'dynamicFilter', 'colorFilter', 'iconFilter'];

export type Unseen = Readonly<ReturnType<typeof createUnseen>>;

/**
 * What a sheet holds and does not show, or shows as struck out: its author may have meant that it does not belong to the
 * list any more.
 */
export function createUnseen() {
  const merged = createMerged();
  const covered: number[] = [];
  const rows: number[] = [];
  const values: number[] = [];
  const struck: number[] = [];
  const columns: string[] = [];
  const others = new Set<string>();
  return {
    /** Takes note of an element that says how rows and columns are shown. */
    open(tag: string, attributes: Attributes): void {
      if (tag === 'col' && (isTrue(attributes.hidden) || isTiny(attributes.width, CHARACTER)))
        columns.push(columnsOf(attributes));
      if (tag === 'sheetFormatPr') {
        if (isTrue(attributes.zeroHeight) || isTiny(attributes.defaultRowHeight))
          others.add('each row without a height of its own');
        if (isTiny(attributes.defaultColWidth, CHARACTER))
          others.add('each column without a width of its own');
      }
      if (tag === 'mergeCell') merged.add(attributes.ref);
      if (filters.includes(tag)) others.add('rows by a filter');
    },
    /** Whether cells are shown as one, of which all but the first are covered. */
    hasMerged: () => merged.isAny(),
    /** Takes note of a row if it holds what merged cells cover. Rows come in order. */
    cover(line: number, cells: readonly unknown[]): void {
      if (merged.covers(line, cells)) covered.push(line);
    },
    isHiddenRow: (attributes: Attributes) => isTrue(attributes.hidden) || isTiny(attributes.ht),
    row: (line: number) => void rows.push(line),
    /** A cell whose format shows nothing of it. */
    value: (line: number) => void values.push(line),
    strike: (line: number) => void struck.push(line),
    /** Throws a usage error that names the places. */
    refuse(sheet: string): void {
      const places = [
        rows.length > 0 ? rowsOf(rows) : [],
        columns.length > 0 ? `columns ${firstOf(columns, MOST_PLACES)}` : [],
        values.length > 0 ? `what stands in ${rowsOf(values)}` : [],
        covered.length > 0 ? `what merged cells cover in ${rowsOf(covered)}` : [],
        [...others],
      ].flat();
      if (places.length > 0)
        throw usageError(
          `sheet "${sheet}" hides ${places.join(' and ')}`,
          'show and check them, or copy the rows you mean into a new sheet',
        );
      if (struck.length > 0)
        throw usageError(
          `sheet "${sheet}" strikes out what stands in ${rowsOf(struck)}`,
          'remove these rows, or the line through them',
        );
    },
  };
}

function rowsOf(lines: readonly number[]): string {
  const numbers = [...new Set(lines)].map(String);
  return `${numbers.length === 1 ? 'row' : 'rows'} ${firstOf(numbers, MOST_PLACES)}`;
}

function columnsOf({ min, max }: Attributes): string {
  const [first, last] = [letterOf(Number(min)), letterOf(Number(max))];
  return first === last ? first : `${first} to ${last}`;
}

/** The letters of a column, from 1. */
export function letterOf(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest > 0 ? letterOf(rest) : '') + String.fromCharCode(65 + ((column - 1) % 26));
}

const MOST_PLACES = 20;

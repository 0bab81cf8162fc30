import { SAVE_AGAIN, unreadable } from './zip-parts.ts';

const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;

/** Where the reader of a sheet stands. Throws a usage error for a cell at no place, or at one that was read before. */
export function createPlace() {
  let line = 0;
  let column = -1;
  let hasBegun = false;
  const misplaced = () => unreadable(`a cell of row ${line} has no place of its own`, SAVE_AGAIN);
  return {
    line: () => line,
    /** From 0. */
    column: () => column,
    begin(): void {
      if (hasBegun) throw unreadable('a sheet of it has its cells twice', SAVE_AGAIN);
      hasBegun = true;
    },
    row({ r }: Readonly<Record<string, string>>): void {
      if (r !== undefined && !/^[1-9]\d{0,6}$/.test(r))
        throw unreadable('it has a row without a number', SAVE_AGAIN);
      const next = r === undefined ? line + 1 : Number(r);
      if (next <= line) throw unreadable(`row ${next} stands behind row ${line}`, SAVE_AGAIN);
      if (next > MOST_ROWS) throw unreadable(`it has more than ${MOST_ROWS} rows`, SAVE_AGAIN);
      line = next;
      column = -1;
    },
    cell({ r }: Readonly<Record<string, string>>): void {
      const [at, row] = r === undefined ? [column + 1, line] : placeOf(r);
      if (at <= column || at >= MOST_COLUMNS || row !== line) throw misplaced();
      column = at;
    },
  };
}

/** Column, from 0, and row of a reference such as `AB12`. */
function placeOf(reference: string): readonly [column: number, row: number] {
  const [, letters = '', row = ''] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference) ?? [];
  if (letters === '') return [MOST_COLUMNS, 0];
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return [column, Number(row)];
}

/** The cells from one to another, such as `B2:C9`. */
type Span = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;

/** Nothing for what is no span. */
export function spanOf(reference = ''): Span | undefined {
  const [from = '', to = from] = reference.split(':');
  const [[left, top], [right, bottom]] = [placeOf(from), placeOf(to)];
  return top === 0 || bottom === 0 ? undefined : { left, top, right, bottom };
}

/** The merged cells of a sheet. */
export function createMerged() {
  const all: Span[] = [];
  /** Those below the last row, the highest last; and those that reach it, from left to right. */
  let waiting: Span[] | undefined;
  let open: Span[] = [];
  return {
    add(reference: string | undefined): void {
      const span = spanOf(reference);
      if (span !== undefined) all.push(span);
    },
    isAny: () => all.length > 0,
    /** Whether a cell of a row is covered and holds something. Rows have to come in order. */
    covers(line: number, cells: readonly unknown[]): boolean {
      waiting ??= all.toSorted((one, other) => other.top - one.top);
      const begun: Span[] = [];
      for (let next = waiting.at(-1); next && next.top <= line; next = waiting.at(-1)) {
        if (next.bottom >= line) begun.push(next);
        waiting.pop();
      }
      if (open.some(({ bottom }) => bottom < line)) open = open.filter(({ bottom }) => bottom >= line);
      if (begun.length > 0) open = [...open, ...begun].sort(fromLeft);
      if (open.length > MOST_COLUMNS) throw unreadable('its merged cells overlap', SAVE_AGAIN);
      return isCovered(line, cells, open);
    },
  };
}

/** Of two that begin in one column the one that began in a row above. */
function fromLeft(one: Span, other: Span): number {
  return one.left - other.left || one.top - other.top;
}

function isCovered(line: number, cells: readonly unknown[], spans: readonly Span[]): boolean {
  let next = 0;
  let end = -1;
  return cells.some((cell, column) => {
    for (let span = spans[next]; span !== undefined; span = spans[next]) {
      // The first cell of all is seen.
      if (span.left + (line > span.top ? 0 : 1) > column) break;
      end = Math.max(end, span.right);
      next += 1;
    }
    return cell !== undefined && column <= end;
  });
}

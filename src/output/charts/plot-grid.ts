import type { Canvas, Span, Tone } from './picture.ts';

/** A point in cells from the lower left, in fractions of a cell. */
export type Point = { readonly x: number; readonly y: number };

type Cell = { dots: number; mark: string | undefined; tone: Tone | undefined };

/** A field of characters in which lines are drawn: fine ones of braille dots, coarse ones in ASCII. */
export type PlotGrid = {
  /** Joins two points; the same point twice is a dot. */
  readonly join: (from: Point, to: Point, tone: Tone | undefined) => void;
  /** Puts a letter or sign on a point; two different ones at one place become `+`. Tells whether they did. */
  readonly mark: (at: Point, sign: string, tone: Tone | undefined) => boolean;
  /** Fills what is still empty. */
  readonly fill: (column: number, row: number, sign: string) => void;
  /** One row of cells, 0 the lowest; empty cells hold `empty`. */
  readonly spans: (row: number, empty: string) => readonly Span[];
};

/** Bits of a braille character, from the lowest dot up. */
const LEFT = [0x40, 0x04, 0x02, 0x01];
const RIGHT = [0x80, 0x20, 0x10, 0x08];

export const COLLISION = '+';

export function createPlotGrid(
  size: { readonly columns: number; readonly rows: number },
  canvas: Canvas,
): PlotGrid {
  const cells: Cell[] = Array.from({ length: size.columns * size.rows }, () => ({
    dots: 0,
    mark: undefined,
    tone: undefined,
  }));
  const cellAt = (column: number, row: number) =>
    column >= 0 && column < size.columns && row >= 0 && row < size.rows
      ? cells[row * size.columns + column]
      : undefined;
  const [across, up] = canvas.unicode ? [2, 4] : [1, 1];
  const dot = (x: number, y: number, tone: Tone | undefined) => {
    const cell = cellAt(Math.floor(x / across), Math.floor(y / up));
    if (cell === undefined) return;
    cell.dots |= ((x % across === 0 ? LEFT : RIGHT)[y % up] ?? 0) || 1;
    cell.tone = tone;
  };
  return {
    join: (from, to, tone) => {
      const [x, y] = [Math.floor(from.x * across), Math.floor(from.y * up)];
      const [dx, dy] = [Math.floor(to.x * across) - x, Math.floor(to.y * up) - y];
      const steps = Math.max(Math.abs(dx), Math.abs(dy), 1);
      for (let step = 0; step <= steps; step += 1) {
        dot(Math.round(x + (dx * step) / steps), Math.round(y + (dy * step) / steps), tone);
      }
    },
    mark: (at, sign, tone) => {
      const cell = cellAt(Math.floor(at.x), Math.floor(at.y));
      if (cell === undefined) return false;
      const collides = cell.mark !== undefined && cell.mark !== sign;
      cell.mark = collides ? COLLISION : sign;
      cell.tone = collides ? undefined : tone;
      return collides;
    },
    fill: (column, row, sign) => {
      const cell = cellAt(column, row);
      if (cell !== undefined && cell.dots === 0) cell.mark ??= sign;
    },
    spans: (row, empty) =>
      cells.slice(row * size.columns, (row + 1) * size.columns).map((cell) => ({
        text: textOf(cell, empty, canvas),
        tone: cell.dots === 0 && cell.mark === undefined ? 'faint' : cell.tone,
      })),
  };
}

function textOf({ dots, mark }: Cell, empty: string, { unicode }: Canvas): string {
  if (mark !== undefined) return mark;
  if (dots === 0) return empty;
  return unicode ? String.fromCharCode(0x2800 + dots) : '.';
}

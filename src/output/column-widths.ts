import type { Column } from './look.ts';

/** A column before it is laid out, in display cells: what it would take, what it should have, and what it must have. */
export type Measure = {
  readonly natural: number;
  readonly wish?: number | undefined;
  readonly floor: number;
  readonly kind: Column['kind'];
};

/**
 * Display widths that together with `gap` between the columns fit into `width`: the widest give way first, none below
 * its floor. Undefined if there is no such layout.
 */
export function fitWidths(
  measures: readonly Measure[],
  width: number,
  gap: number,
): readonly number[] | undefined {
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

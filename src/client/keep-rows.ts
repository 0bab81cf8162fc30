import type { RowSlices } from '../api/row-slices.ts';
import { asObject, type Json } from '../json/kinds.ts';
import type { ParsedPage } from './parse-page.ts';
import type { SeenRows } from './remember-rows.ts';

/** `moved`: the page was found elsewhere than it was asked for, so that what was read before may come again. */
export type Fetched = ParsedPage & { readonly bytes: Buffer; readonly moved?: true };

/** How far a list has been read: rows shown, rows that came again, pages handled, and how long nothing new has come. */
export type Progress = { rows: number; repeats: number; index: number; idle: number };

type Keeping = {
  readonly paging: { readonly limit: number | undefined; readonly flatten: boolean };
  readonly isSeen: SeenRows;
  readonly progress: Progress;
};

/** The rows of a page that are shown, as `Page` has them. `cut`: rows beyond the limit were left out. */
export type Kept = {
  readonly rows: () => readonly Json[];
  readonly batches: () => Iterable<readonly Json[]>;
  readonly slices: () => RowSlices | undefined;
  readonly size: number;
  readonly dropped: number;
  readonly cut: boolean;
};

/** Leaves out rows that came before and rows beyond the limit, and counts both. */
export function keepRows(fetched: Fetched, keeping: Keeping): Kept {
  const { paging, isSeen, progress } = keeping;
  const { map, bytes } = fetched;
  if (paging.flatten || map === undefined) {
    const rows = paging.flatten ? fetched.rows().flatMap((row) => peopleOf(row)) : fetched.rows();
    const kept = choose(rows.length, (index) => isSeen.row(rows[index] ?? null), keeping);
    const shown = kept.pick(rows);
    return { ...kept, rows: () => shown, batches: () => [shown], slices: () => undefined };
  }
  const { nameStarts, nameEnds } = map;
  const isRepeat = (index: number) => isSeen.name(bytes, nameStarts[index] ?? 0, nameEnds[index] ?? 0);
  const kept = choose(nameStarts.length, isRepeat, keeping);
  const guard = guardBytes(progress);
  const rows = once(() => guard(() => kept.pick(fetched.rows())));
  const slices = (): RowSlices => {
    const [starts, ends] = [kept.pickPositions(map.starts), kept.pickPositions(map.ends)];
    const parse = (index: number) => map.parse(starts[index] ?? 0, ends[index] ?? 0);
    const { valueEnds } = map;
    const firstValues = kept.pickPositions(map.firstValues);
    return { bytes, starts, ends, valueEnds, firstValues, parse: (index) => guard(() => parse(index)) };
  };
  return {
    ...kept,
    rows,
    batches: () => (kept.dropped === 0 ? guard(fetched.batches) : [rows()]),
    slices: () => (map.compact ? guard(slices) : undefined),
  };
}

/** The bytes of a page make room for those of the next but one: what is read from them then would be wrong. */
function guardBytes(progress: Progress) {
  const ended = progress.index + 1;
  return <Value>(read: () => Value): Value => {
    if (progress.index > ended) throw new Error('the rows of a page were asked for after the next page');
    return read();
  };
}

/** Which of so many rows to show, and how to pick these of them. */
function choose(total: number, isSeen: (index: number) => boolean, { paging, progress }: Keeping) {
  const room = (paging.limit ?? Number.POSITIVE_INFINITY) - progress.rows;
  const repeats: number[] = [];
  for (let index = 0; index < total; index += 1) if (isSeen(index)) repeats.push(index);
  const fresh = total - repeats.length;
  const size = Math.min(fresh, room);
  progress.repeats += repeats.length;
  progress.rows += size;
  const left = new Set(repeats);
  const isFresh = (_: unknown, index: number) => !left.has(index);
  const pick = <Item>(items: readonly Item[]): readonly Item[] =>
    size === total ? items : items.filter(isFresh).slice(0, size);
  const pickPositions = (positions: Int32Array): Int32Array =>
    size === total ? positions : positions.filter(isFresh).slice(0, size);
  return { pick, pickPositions, size, dropped: total - size, cut: size < fresh };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The lists of persons behind an analysis nest them in groups. */
function peopleOf(row: Json): readonly Json[] {
  const people = asObject(row)?.people;
  return Array.isArray(people) ? people : [row];
}

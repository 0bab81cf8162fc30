import { CliError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { rowName } from '../service/endpoint.ts';

/** How pages of a list that is read by offsets are held together. */
export type Overlap = {
  /** Rows before the place that are asked for again with each page. */
  readonly rows: number;
  /** Uuids or ids of the last rows before the first page, in their order; empty at the start of the list. */
  readonly after: readonly string[];
};

export type Joint = ReturnType<typeof createJoint>;

/** So many rows are known by name: if as many come at the front of the list, the place is still found. */
const KNOWN_ROWS = 1000;

/** Pages smaller than so many times the overlap are read as they come. */
const LEAST_PAGE = 10;

/**
 * Pages that share rows. A row that is removed shifts all later rows by one place, so reading on at an offset skips
 * rows unseen. If a page begins with rows of the one before, nothing is missing between them.
 */
export function createJoint({ rows: shared, after }: Overlap) {
  let known: readonly string[] = after;
  let isFirst = true;
  const joined = new Set<string>();
  return {
    /** The address of the next page, as many rows earlier as pages share. */
    earlier: (target: string): string => {
      const url = new URL(target, 'http://host');
      const [offset, limit] = [url.searchParams.get('offset') ?? '', url.searchParams.get('limit')];
      if (!/^\d+$/.test(offset) || Number(offset) < shared || Number(limit) < LEAST_PAGE * shared)
        return target;
      url.searchParams.set('offset', String(Number(offset) - shared));
      const earlier = `${url.pathname}${url.search}`;
      joined.add(earlier);
      return earlier;
    },
    /** The rows of a page that come after those it shares. Throws a `partial` error if it shares none. */
    fresh: (rows: readonly Json[], target: string): readonly Json[] => {
      const names = rows.map(rowName);
      const mustJoin = known.length > 0 && (isFirst || joined.has(target));
      isFirst = false;
      const before = new Set(known);
      const last = mustJoin ? names.findLastIndex((name) => name !== undefined && before.has(name)) : -1;
      if (mustJoin && last < 0) throw moved(known.length);
      const own = names.slice(last + 1).filter((name) => name !== undefined);
      known = [...known, ...own].slice(-KNOWN_ROWS);
      return last < 0 ? rows : rows.slice(last + 1);
    },
  };
}

function moved(rows: number): CliError {
  const last = rows === 1 ? 'the last row' : `the last ${rows} rows`;
  const message = `the list changed while it was read: ${last} moved, so rows may be missing`;
  return new CliError('partial', message, {
    hint: 'run the command again to start over',
    outcome: 'not-done',
  });
}

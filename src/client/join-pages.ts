import { CliError } from '../errors.ts';
import { isExactNumber, type Json } from '../json/kinds.ts';
import type { Load } from './flights.ts';
import type { Fetched } from './keep-rows.ts';
import { identityOf } from './remember-rows.ts';
import { searchPages } from './search-pages.ts';

/** How pages of a list that is read by offsets are held together. */
export type Overlap = {
  /** Rows before the place that are asked for again with each page. */
  readonly rows: number;
  /** Uuids or ids of the last rows before the first page, in their order; empty at the start of the list. */
  readonly after: readonly string[];
};

type Joining = {
  readonly load: Load;
  /** A `next` link as path and query. */
  readonly reduce: (link: string, current: string) => string;
  readonly overlap: Overlap;
  readonly note: (text: string) => void;
};

type Joined = Pick<Joining, 'load' | 'reduce'>;

/** As many of the last rows are known by name: so many may go at once without the place being lost. */
const KNOWN_ROWS = 1000;
/** Smaller pages than so many times the overlap are read as they come. */
const LEAST_PAGE = 10;

/**
 * Pages that overlap. Whoever goes from a list shifts all rows behind by one place, so that reading on at an offset
 * skips rows unseen. Where a page begins with rows of the one before, nothing is missing between them; these rows are
 * left out. Where it does not, the place is searched for. Throws a `partial` error where it is not to be found.
 */
export function joinPages({ load, reduce, overlap, note }: Joining): Joined {
  let known: readonly string[] = overlap.after;
  let size = 0;
  let joint: string | undefined;
  let told = false;
  return {
    load: async (target, loading) => {
      const isFirst = loading.index === 0;
      const mustJoin = known.length > 0 && (isFirst || target === joint);
      // The link is heeded when the page is there: what comes next depends on its rows.
      const ask = (address: string) => load(address, { ...loading, onLink: () => undefined });
      let page = await ask(target);
      const names = new Set(known);
      const isWanted = (one: Fetched) => one.rows().some((row) => isIn(names, row));
      if (mustJoin && !isWanted(page)) {
        const found = await searchPages({ target, beyond: page, ask, isWanted });
        if (found === undefined) throw lost(known.length);
        // Once: a list that moves so far goes on to do so.
        if (!told)
          note(
            `the list has moved by about ${Math.abs(found.moved)} rows meanwhile, and is read on where it was left`,
          );
        told = true;
        page = { ...found.page, moved: true };
      }
      const rows = page.rows();
      size = rows.length;
      const fresh = mustJoin ? rows.slice(rows.findLastIndex((row) => isIn(names, row)) + 1) : rows;
      known = [...known, ...fresh.flatMap((row) => nameOf(row) ?? [])].slice(-KNOWN_ROWS);
      return fresh.length === size ? page : withRows(page, fresh);
    },
    reduce: (link, current) => {
      const next = reduce(link, current);
      joint = size < LEAST_PAGE * overlap.rows ? undefined : earlier(next, overlap.rows);
      return joint ?? next;
    },
  };
}

function isIn(names: ReadonlySet<string>, row: Json): boolean {
  const name = nameOf(row);
  return name !== undefined && names.has(name);
}

function nameOf(row: Json): string | undefined {
  const identity = identityOf(row);
  if (typeof identity === 'string') return identity;
  if (typeof identity === 'number') return String(identity);
  return isExactNumber(identity) ? identity.value : undefined;
}

/** The rows of a page without those that were left out; where they stand in its bytes is not said. */
function withRows({ map: _, ...page }: Fetched, rows: readonly Json[]): Fetched {
  return { ...page, size: rows.length, rows: () => rows, batches: () => [rows] };
}

/** The address of so many rows before; undefined for one without an offset, or with too small a one. */
function earlier(target: string, rows: number): string | undefined {
  const url = new URL(target, 'http://host');
  const offset = url.searchParams.get('offset') ?? '';
  if (!/^\d+$/.test(offset) || Number(offset) < rows) return undefined;
  url.searchParams.set('offset', String(Number(offset) - rows));
  return `${url.pathname}${url.search}`;
}

function lost(rows: number): CliError {
  return new CliError(
    'partial',
    `the list has moved: the last ${rows === 1 ? 'row' : `${rows} rows`} that came are not in it any more`,
    { hint: 'rows would be missing from here on, so begin anew', outcome: 'not-done' },
  );
}

import type { RowSlices } from '../api/row-slices.ts';
import { CliError, changed } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import type { Flight, Load } from './flights.ts';
import { type Fetched, type Kept, keepRows, type Progress } from './keep-rows.ts';
import { rememberRows } from './remember-rows.ts';
import { countIdle, createRoute, type Onward } from './route.ts';

/** One page of a list. `bytes` are the answer as it came, and stay so only until the next page is asked for. */
export type Page = {
  readonly bytes: Uint8Array;
  /**
   * The rows without those of earlier pages, at most as many as were asked for. They are parsed when they are first
   * asked for, which must be before the next page is.
   */
  readonly rows: () => readonly Json[];
  /** The same rows in parts, parsed part by part. */
  readonly batches: () => Iterable<readonly Json[]>;
  /** How many rows that are. */
  readonly size: number;
  /**
   * The same rows as their own part of `bytes`, as JSON without white space; undefined where the service did not send
   * them so. They stay so only until the next page is asked for.
   */
  readonly slices: () => RowSlices | undefined;
  /** Path and query of the next page null at the end of the list. */
  readonly next: string | null;
  /** The total, where the service tells it. */
  readonly count?: number;
  /** Rows of this page that were left out: seen before, or beyond the limit. `bytes` still hold them. */
  readonly dropped: number;
  /** Whether the service has more rows than were yielded so far. */
  readonly more: boolean;
};

export type Paging = {
  /** Path and query of the first page. */
  readonly first: string;
  /** Fetches one page. */
  readonly load: Load;
  /** A `next` link as path and query; throws where it must not be followed. */
  readonly reduce: (link: string, current: string) => string;
  /** Rows to yield at most. */
  readonly limit: number | undefined;
  /** Whether rows are nested in groups of people. */
  readonly flatten: boolean;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal | undefined;
};

/**
 * The pages of a list. The next one is asked for as soon as its address is known, which may be while the present one
 * still comes in, and not before the reader is done with the one before: two are in flight at most. The end is decided
 * by `next` alone. Throws an `unavailable` error, with the number of rows so far, when `next` names an address that was
 * read before.
 */
export async function* readPages(paging: Paging): AsyncGenerator<Page, void, undefined> {
  const isSeen = rememberRows();
  const progress: Progress = { rows: 0, repeats: 0, index: 0, idle: 0 };
  const route = createRoute(paging, progress);
  const abort = (): void => route.close();
  paging.signal?.addEventListener('abort', abort, { once: true });
  try {
    let flight: Flight | undefined = route.start(paging.first);
    while (flight !== undefined) {
      route.lookAhead(flight);
      const fetched: Fetched = await withProgress(flight.pending, progress);
      const kept = keepRows(fetched, { paging, isSeen, progress });
      countIdle(progress, kept);
      const onward = route.onwardFrom(fetched, flight.target);
      const page = toPage(fetched, kept, onward);
      progress.index += 1;
      const ended = page.more && isFull(paging, progress);
      flight = route.goOn(ended ? undefined : onward.target);
      yield page;
      // Told after the page that names the wrong address, since its own rows are good.
      if (!ended && onward.problem !== undefined) throw afterRows(onward.problem, progress);
    }
  } finally {
    paging.signal?.removeEventListener('abort', abort);
    abort();
    if (progress.repeats > 0) paging.note(repeatsText(progress.repeats));
  }
}

function isFull(paging: Paging, progress: Progress): boolean {
  return paging.limit !== undefined && progress.rows >= paging.limit;
}

function toPage(fetched: Fetched, { cut, ...kept }: Kept, onward: Onward): Page {
  const count = countOf(fetched);
  return {
    bytes: fetched.bytes,
    rows: kept.rows,
    batches: kept.batches,
    slices: kept.slices,
    size: kept.size,
    next: onward.target ?? null,
    ...(count === undefined ? {} : { count }),
    dropped: kept.dropped,
    more: onward.target !== undefined || onward.problem !== undefined || cut,
  };
}

function countOf({ envelope }: Fetched): number | undefined {
  return [envelope.count, envelope.total_count].find((count) => typeof count === 'number');
}

async function withProgress(pending: Promise<Fetched>, progress: Progress): Promise<Fetched> {
  try {
    return await pending;
  } catch (error) {
    if (!(error instanceof CliError) || progress.index === 0) throw error;
    throw changed(error, {
      message: `${error.message}, on page ${progress.index + 1} after ${rowsText(progress.rows)}`,
    });
  }
}

function afterRows(error: CliError, { index, rows }: Progress): CliError {
  return changed(error, { message: `${error.message} (page ${index}, after ${rowsText(rows)})` });
}

function repeatsText(count: number): string {
  return `${rowsText(count)} came more than once and ${count === 1 ? 'was' : 'were'} shown once`;
}

function rowsText(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}

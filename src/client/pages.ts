import type { Json } from '../api/json.ts';
import { CliError } from '../errors.ts';
import { type Fetched, type Kept, keepRows, type Progress, type RowSlices } from './keep-rows.ts';
import { rememberRows } from './remember-rows.ts';
import { changed } from './send.ts';

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
  /** Fetches one page; `index` counts from 0. */
  readonly load: (
    target: string,
    loading: { readonly index: number; readonly signal: AbortSignal },
  ) => Promise<Fetched>;
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
 * The pages of a list, the next one in flight while the present one is handled. The end is decided by `next` alone.
 * Throws an `unavailable` error, with the number of rows so far, when `next` names an address that was read before.
 */
export async function* readPages(paging: Paging): AsyncGenerator<Page, void, undefined> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  paging.signal?.addEventListener('abort', abort, { once: true });
  const isSeen = rememberRows();
  const asked = new Set<string>();
  const progress: Progress = { rows: 0, repeats: 0, index: 0 };
  const start = (target: string, index: number): Promise<Fetched> => {
    asked.add(target);
    const pending = paging.load(target, { index, signal: stop.signal });
    // Where the reader leaves early nobody waits for this page; else its failure is met below.
    pending.catch(() => undefined);
    return pending;
  };
  try {
    let target: string | undefined = paging.first;
    let pending = start(target, 0);
    while (target !== undefined) {
      const fetched = await withProgress(pending, progress);
      const kept = keepRows(fetched, { paging, isSeen, progress });
      const onward = onwardFrom(fetched, { paging, asked, target });
      const page = toPage(fetched, kept, onward);
      progress.index += 1;
      const ended = page.more && isFull(paging, progress);
      target = ended ? undefined : onward.target;
      if (target !== undefined) pending = start(target, progress.index);
      yield page;
      // Told after the page that names the wrong address, since its own rows are good.
      if (!ended && onward.problem !== undefined) throw afterRows(onward.problem, progress);
    }
  } finally {
    paging.signal?.removeEventListener('abort', abort);
    abort();
    if (progress.repeats > 0) paging.note(`${progress.repeats} rows came more than once and were shown once`);
  }
}

function isFull(paging: Paging, progress: Progress): boolean {
  return paging.limit !== undefined && progress.rows >= paging.limit;
}

type Onward = {
  readonly target: string | undefined;
  /** Why the page after this one must not be asked for, though the service names one. */
  readonly problem?: CliError;
};

type Reading = {
  readonly paging: Paging;
  readonly asked: ReadonlySet<string>;
  readonly target: string;
};

function onwardFrom({ envelope }: Fetched, { paging, asked, target }: Reading): Onward {
  const link = envelope.next ?? null;
  if (link === null) return { target: undefined };
  if (typeof link !== 'string')
    return { target: undefined, problem: problem('the link to the next page is not text') };
  try {
    const next = paging.reduce(link, target);
    if (!asked.has(next)) return { target: next };
    return {
      target: undefined,
      problem: problem('pagination did not advance: the next page is one that was read before'),
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { target: undefined, problem: error };
  }
}

function problem(message: string): CliError {
  return new CliError('unavailable', message, {
    hint: 'the service or a gateway before it builds wrong links: the list is not complete',
    outcome: 'not-done',
  });
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
      message: `${error.message}, on page ${progress.index + 1} after ${progress.rows} rows`,
    });
  }
}

function afterRows(error: CliError, { index, rows }: Progress): CliError {
  return changed(error, { message: `${error.message} (page ${index}, after ${rows} rows)` });
}

import { CliError } from '../errors.ts';
import { asObject, isExactNumber, type Json, type JsonObject } from '../json/kinds.ts';

/** A page taken apart: its rows, and everything beside them. */
export type FetchedPage = {
  readonly envelope: JsonObject;
  readonly rows: readonly Json[];
  /** What rows are called that were left out because they are nested too deeply. */
  readonly tooDeep: readonly string[];
};

export type LoadPage = (
  target: string,
  loading: {
    /** Counts pages from 0. */
    readonly index: number;
    readonly signal: AbortSignal;
    /** Called when the link to the next page was read, which may be before the page has ended. */
    readonly onLink: (link: string) => void;
  },
) => Promise<FetchedPage>;

/** A page that was asked for. */
export type PrefetchedPage = {
  readonly target: string;
  readonly pending: Promise<FetchedPage>;
  /** Calls back with the link to the page after it as soon as that is known. */
  readonly onLink: (heed: (link: string) => void) => void;
  readonly drop: () => void;
};

/** Asks for a page. */
function prefetch(target: string, index: number, load: LoadPage): PrefetchedPage {
  const stop = new AbortController();
  let known: string | undefined;
  let heeded: ((link: string) => void) | undefined;
  const onLink = (link: string): void => {
    known = link;
    heeded?.(link);
  };
  const pending = load(target, { index, signal: stop.signal, onLink });
  // If the reader leaves early, its failure concerns no one.
  pending.catch(() => undefined);
  return {
    target,
    pending,
    onLink: (heed) => {
      heeded = heed;
      if (known !== undefined) heed(known);
    },
    drop: () => stop.abort(),
  };
}

/**
 * A service whose persons were deleted a while ago may send page after page without rows. A page whose rows all came
 * before counts as ten of these.
 */
const MOST_UNUSED = 100;

const REPEATED = 10;

type Options = {
  readonly load: LoadPage;
  /** A `next` link as path and query; throws if it must not be followed. */
  readonly reduce: (link: string, current: string) => string;
};

export type Next = {
  readonly target: string | undefined;
  /** Why the next page must not be asked for, though the service names one. */
  readonly problem?: CliError;
};

/** The page that is read, and the one that is asked for ahead of it. */
type PageQueue = {
  readonly start: (target: string) => PrefetchedPage;
  /** Asks for the page after this one as soon as its address is known, if `isNeeded`. */
  readonly lookAhead: (page: PrefetchedPage, isNeeded: boolean) => void;
  /** Where a page that has come says to go on. */
  readonly nextOf: (page: FetchedPage, current: string) => Next;
  /** Counts pages that bring no new row. */
  readonly count: (page: { readonly rows: number; readonly dropped: number }) => void;
  /** Goes on there, with what was asked for already if it is the same. */
  readonly goOn: (target: string | undefined) => PrefetchedPage | undefined;
  readonly close: () => void;
};

export function createPageQueue({ load, reduce }: Options): PageQueue {
  const asked = new Set<string>();
  let index = 0;
  let unused = 0;
  let present: PrefetchedPage | undefined;
  let ahead: PrefetchedPage | undefined;
  const ask = (target: string, at: number): PrefetchedPage => {
    asked.add(target);
    return prefetch(target, at, load);
  };
  const follow = (link: string, current: string): Next => {
    try {
      const next = reduce(link, current);
      if (next === ahead?.target || !asked.has(next)) return { target: next };
      return stop('pagination did not advance: the next page is one that was read before');
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { target: undefined, problem: error };
    }
  };
  return {
    start: (target) => {
      present = ask(target, index);
      return present;
    },
    lookAhead: (page, isNeeded) =>
      page.onLink((link) => {
        if (page !== present || ahead !== undefined || !isNeeded) return;
        const { target } = follow(link, page.target);
        if (target !== undefined) ahead = ask(target, index + 1);
      }),
    nextOf: ({ envelope }, current) => {
      const link = envelope.next ?? null;
      if (link === null) return { target: undefined };
      if (unused >= MOST_UNUSED)
        return stop('pagination did not advance: page after page brings nothing new');
      return typeof link === 'string' ? follow(link, current) : stop('the link to the next page is not text');
    },
    count: ({ rows, dropped }) => {
      if (rows > 0) unused = 0;
      else unused += dropped > 0 ? REPEATED : 1;
    },
    goOn: (target) => {
      if (ahead !== undefined && ahead.target !== target) {
        ahead.drop();
        asked.delete(ahead.target);
        ahead = undefined;
      }
      index += 1;
      present = target === undefined ? undefined : (ahead ?? ask(target, index));
      ahead = undefined;
      return present;
    },
    close: () => {
      present?.drop();
      ahead?.drop();
      present = undefined;
    },
  };
}

function stop(message: string): Next {
  const problem = new CliError('unavailable', message, {
    hint: 'the service or a gateway before it builds wrong links: the list is not complete',
    outcome: 'not-done',
  });
  return { target: undefined, problem };
}

/** How pages of a list that is read by offsets are held together. */
export type Overlap = {
  /** Rows before the place that are asked for again with each page. */
  readonly rows: number;
  /** Uuids or ids of the last rows before the first page, in their order; empty at the start of the list. */
  readonly after: readonly string[];
};

export type Joint = {
  /** The address of the next page, as many rows earlier as pages share. */
  readonly earlier: (target: string) => string;
  /** The rows of a page that come after those it shares. Throws a `partial` error if it shares none. */
  readonly fresh: (rows: readonly Json[], target: string) => readonly Json[];
};

/** So many rows are known by name: if as many come at the front of the list, the place is still found. */
const KNOWN_ROWS = 1000;

/** Pages smaller than so many times the overlap are read as they come. */
const LEAST_PAGE = 10;

/**
 * Pages that share rows. A row that is removed shifts all later rows by one place, so reading on at an offset skips
 * rows unseen. If a page begins with rows of the one before, nothing is missing between them.
 */
export function createJoint({ rows: shared, after }: Overlap): Joint {
  let known: readonly string[] = after;
  let isFirst = true;
  const joined = new Set<string>();
  return {
    earlier: (target) => {
      const url = new URL(target, 'http://host');
      const [offset, limit] = [url.searchParams.get('offset') ?? '', url.searchParams.get('limit')];
      if (!/^\d+$/.test(offset) || Number(offset) < shared || Number(limit) < LEAST_PAGE * shared)
        return target;
      url.searchParams.set('offset', String(Number(offset) - shared));
      const earlier = `${url.pathname}${url.search}`;
      joined.add(earlier);
      return earlier;
    },
    fresh: (rows, target) => {
      const names = rows.map(nameOf);
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

/** What a row is known by: its uuid if that is text, else its id. */
export function identityOf(row: Json): Json | undefined {
  const { uuid, id } = asObject(row) ?? {};
  return typeof uuid === 'string' ? uuid : id;
}

function nameOf(row: Json): string | undefined {
  const identity = identityOf(row);
  if (typeof identity === 'string') return identity;
  if (typeof identity === 'number') return String(identity);
  return isExactNumber(identity) ? identity.value : undefined;
}

function moved(rows: number): CliError {
  const last = rows === 1 ? 'the last row' : `the last ${rows} rows`;
  return new CliError('partial', `the list has moved: ${last} did not come again, so others may be missing`, {
    hint: 'begin anew',
    outcome: 'not-done',
  });
}

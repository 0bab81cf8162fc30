import { CliError, changed, counted } from '../errors.ts';
import { asObject, isExactNumber, type Json, type JsonObject } from '../json/kinds.ts';
import { identityOf } from '../service/answer.ts';
import { createJoint, type Joint, type Overlap } from './overlap.ts';

/** One page of a list. */
export type Page = {
  /** The rows without those of earlier pages, at most as many as were asked for. */
  readonly rows: readonly Json[];
  /** Path and query of the next page; null at the end of the list. */
  readonly next: string | null;
  /** The total, if the service tells it. */
  readonly count?: number;
  /** How many rows of this page were left out: seen before, or beyond the limit. */
  readonly dropped: number;
  /** Whether the service has more rows than were yielded so far. */
  readonly more: boolean;
};

export type Paging = {
  /** Path and query of the first page. */
  readonly first: string;
  readonly load: LoadPage;
  /** A `next` link as path and query; throws if it must not be followed. */
  readonly reduce: (link: string, current: string) => string;
  /** Rows to yield at most. */
  readonly limit: number | undefined;
  /** Whether rows are nested in groups of people. */
  readonly flatten: boolean;
  readonly overlap: Overlap | undefined;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal | undefined;
};

/** How far a list has been read. */
type Progress = { rows: number; repeats: number; pages: number; readonly tooDeep: string[] };

/**
 * The pages of a list. The next one is asked for as soon as its address is known, and not before the reader is done
 * with the one before: two are in flight at most. The end is decided by `next` only. Throws an `unavailable` error,
 * with the number of rows so far, if `next` names an address that was read before, and at the end a `partial` error if
 * rows had to be left out.
 */
export async function* readPages(paging: Paging): AsyncGenerator<Page, void, undefined> {
  const { overlap, limit } = paging;
  const isSeen = rememberRows();
  const joint = overlap === undefined ? undefined : createJoint(overlap);
  const progress: Progress = { rows: 0, repeats: 0, pages: 0, tooDeep: [] };
  const queue = createPageQueue({ load: paging.load, reduce: reducing(paging, joint) });
  const abort = (): void => queue.close();
  paging.signal?.addEventListener('abort', abort, { once: true });
  try {
    let asked: PrefetchedPage | undefined = queue.start(paging.first);
    while (asked !== undefined) {
      queue.lookAhead(asked, mayNeedMore(asked.target, limit, progress));
      const { target, pending } = asked;
      const fetched = await telling(progress, async () => joined(await pending, target, joint));
      const kept = keepRows(fetched, { paging, isSeen, progress });
      queue.count({ rows: kept.rows.length, dropped: kept.dropped });
      const next = queue.nextOf(fetched, target);
      const page = toPage(fetched, kept, next);
      progress.pages += 1;
      const isEnd = page.more && limit !== undefined && progress.rows >= limit;
      asked = queue.goOn(isEnd ? undefined : next.target);
      yield page;
      // Thrown after the page that names the wrong address, since its own rows are good.
      if (!isEnd && next.problem !== undefined) throw afterRows(next.problem, progress);
    }
    if (progress.tooDeep.length > 0) throw tooDeep(progress.tooDeep);
  } finally {
    paging.signal?.removeEventListener('abort', abort);
    abort();
    if (progress.repeats > 0) paging.note(repeatsText(progress.repeats));
  }
}

function reducing({ reduce }: Paging, joint: Joint | undefined): Paging['reduce'] {
  return joint === undefined ? reduce : (link, current) => joint.earlier(reduce(link, current));
}

function joined(page: FetchedPage, target: string, joint: Joint | undefined): FetchedPage {
  return joint === undefined ? page : { ...page, rows: joint.fresh(page.rows, target) };
}

/** Whether the page after this one is wanted however many rows this one brings, which are no more than it asks for. */
function mayNeedMore(target: string, limit: number | undefined, { rows }: Progress): boolean {
  if (limit === undefined) return true;
  const size = new URL(target, 'http://host').searchParams.get('limit');
  return size !== null && rows + Number(size) < limit;
}

type Kept = Pick<Page, 'rows' | 'dropped'> & { readonly cut: boolean };

type Keeping = {
  readonly paging: Paging;
  readonly isSeen: (row: Json) => boolean;
  readonly progress: Progress;
};

/** Leaves out rows that came before and rows beyond the limit, and counts both. */
function keepRows(page: FetchedPage, { paging, isSeen, progress }: Keeping): Kept {
  const all = paging.flatten ? page.rows.flatMap(peopleOf) : page.rows;
  const fresh = all.filter((row) => !isSeen(row));
  const rows = fresh.slice(0, (paging.limit ?? Number.POSITIVE_INFINITY) - progress.rows);
  progress.repeats += all.length - fresh.length;
  progress.rows += rows.length;
  progress.tooDeep.push(...page.tooDeep);
  return { rows, dropped: all.length - rows.length, cut: rows.length < fresh.length };
}

/** The lists of persons behind an analysis nest them in groups. */
function peopleOf(row: Json): readonly Json[] {
  const people = asObject(row)?.people;
  return Array.isArray(people) ? people : [row];
}

/** Rows move by a few places while pages are read, so only near ones matter, and memory stays bounded. */
const GENERATION = 50_000;

const PAST_GENERATIONS = 4;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Tells whether a row came before, by its uuid, else its id. It remembers the last 200,000 rows and up to as many more
 * as a generation has. A row with neither never came before.
 */
export function rememberRows(generation = GENERATION): (row: Json) => boolean {
  let present = new Set<string | number>();
  let past: readonly ReadonlySet<string | number>[] = [];
  return (row) => {
    const name = keyOf(identityOf(row));
    if (name === undefined) return false;
    if (present.has(name) || past.some((names) => names.has(name))) return true;
    if (present.size >= generation) {
      past = [present, ...past].slice(0, PAST_GENERATIONS);
      present = new Set();
    }
    present.add(name);
    return false;
  };
}

/** A number is known by its digits: as a JavaScript number it might be taken for its neighbour. */
function keyOf(identity: Json | undefined): string | number | undefined {
  if (typeof identity === 'string') return UUID.test(identity) ? identity.toLowerCase() : identity;
  if (typeof identity === 'number') return identity;
  return isExactNumber(identity) ? `number ${identity.value}` : undefined;
}

function toPage(fetched: FetchedPage, { rows, dropped, cut }: Kept, next: Next): Page {
  const { count, total_count: total } = fetched.envelope;
  const known = [count, total].find((one) => typeof one === 'number');
  return {
    rows,
    next: next.target ?? null,
    ...(known === undefined ? {} : { count: known }),
    dropped,
    more: next.target !== undefined || next.problem !== undefined || cut,
  };
}

async function telling(progress: Progress, read: () => Promise<FetchedPage>): Promise<FetchedPage> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CliError) || progress.pages === 0) throw error;
    throw changed(error, {
      message: `${error.message}, on page ${progress.pages + 1} after ${counted(progress.rows, 'row')}`,
    });
  }
}

function afterRows(error: CliError, { pages, rows }: Progress): CliError {
  return changed(error, { message: `${error.message} (page ${pages}, after ${counted(rows, 'row')})` });
}

const MOST_NAMES = 5;

function tooDeep(names: readonly string[]): CliError {
  const some = names.slice(0, MOST_NAMES).join(', ');
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return new CliError(
    'partial',
    `${counted(names.length, 'row')} nested more than 1,000 levels deep ${names.length === 1 ? 'was' : 'were'} left out: ${some}${more}`,
    { hint: 'everything else was read', outcome: 'not-done' },
  );
}

function repeatsText(count: number): string {
  return `${counted(count, 'row')} came more than once, and ${count === 1 ? 'is' : 'are'} shown once`;
}

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
  // If the reader leaves early, its failure does not matter.
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

function createPageQueue({ load, reduce }: Pick<Paging, 'load' | 'reduce'>): PageQueue {
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
      return stop('the list does not end: the next page was already read');
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
      if (unused >= MOST_UNUSED) return stop('the list does not end: page after page has nothing new');
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
    hint: 'the list is incomplete: check the links that the service, or a gateway before it, sends',
    outcome: 'not-done',
  });
  return { target: undefined, problem };
}

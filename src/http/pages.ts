import { CliError, changed, counted, firstOf } from '../errors.ts';
import { asObject, isExactNumber, type Json, type JsonObject } from '../json/kinds.ts';
import { identityOf, isUuid } from '../service/endpoint.ts';
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
  const { first, overlap, limit, signal } = paging;
  const isSeen = rememberRows();
  const joint = overlap && createJoint(overlap);
  const progress: Progress = { rows: 0, repeats: 0, pages: 0, tooDeep: [] };
  const queue = createPageQueue(paging, {
    joint,
    mayNeedMore: (target) => mayNeedMore(target, limit, progress),
  });
  signal?.addEventListener('abort', queue.close, { once: true });
  try {
    queue.expect(first);
    for (let asked = queue.advance(); asked !== undefined; asked = queue.advance()) {
      const { target, pending } = asked;
      const { rows: all, ...fetched } = await telling(progress, async () => {
        const page = await pending;
        return { ...page, rows: joint?.fresh(page.rows, target) ?? page.rows };
      });
      for (const one of fetched.tooDeep) progress.tooDeep.push(one);
      const kept = keepRows(all, { paging, isSeen, progress });
      const next = queue.nextOf(fetched.envelope, kept, target);
      const page = toPage(fetched.envelope, kept, next);
      progress.pages += 1;
      const isEnd = page.more && limit !== undefined && progress.rows >= limit;
      queue.expect(isEnd ? undefined : next.target);
      yield page;
      // Thrown after the page that names the wrong address, since its own rows are good.
      if (!isEnd && next.problem !== undefined) throw afterRows(next.problem, progress);
    }
    if (progress.tooDeep.length > 0) throw tooDeep(progress.tooDeep);
  } finally {
    signal?.removeEventListener('abort', queue.close);
    queue.close();
    if (progress.repeats > 0) paging.note(repeatsText(progress.repeats));
  }
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
function keepRows(found: readonly Json[], { paging, isSeen, progress }: Keeping): Kept {
  const all = paging.flatten ? found.flatMap(peopleOf) : found;
  const fresh = all.filter((row) => !isSeen(row));
  const rows = fresh.slice(0, (paging.limit ?? Number.POSITIVE_INFINITY) - progress.rows);
  progress.repeats += all.length - fresh.length;
  progress.rows += rows.length;
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
  if (typeof identity === 'string') return isUuid(identity) ? identity.toLowerCase() : identity;
  if (typeof identity === 'number') return identity;
  return isExactNumber(identity) ? `number ${identity.value}` : undefined;
}

function toPage({ count, total_count: total }: JsonObject, { rows, dropped, cut }: Kept, next: Next): Page {
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
  return new CliError(
    'partial',
    `${counted(names.length, 'row')} nested more than 1,000 levels deep ${names.length === 1 ? 'was' : 'were'} left out: ${firstOf(names, MOST_NAMES)}`,
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
    readonly signal: AbortSignal;
    /** Called when the link to the next page was read, which may be before the page has ended. */
    readonly onLink: (link: string) => void;
  },
) => Promise<FetchedPage>;

/**
 * A service whose persons were deleted a while ago may send page after page without rows. A page whose rows all came
 * before counts as ten of these.
 */
const MOST_UNUSED = 100;

const REPEATED = 10;

type Next = {
  readonly target: string | undefined;
  /** Why the next page must not be asked for, though the service names one. */
  readonly problem?: CliError;
};

/** A page that was asked for; `link` leads to the one after it, as soon as that is known. */
type AskedPage = {
  readonly target: string;
  readonly pending: Promise<FetchedPage>;
  readonly drop: () => void;
  link?: string;
};

type Queueing = {
  readonly joint: Joint | undefined;
  readonly mayNeedMore: (target: string) => boolean;
};

/** The page that is read, and the one that is asked for ahead of it. */
function createPageQueue({ load, reduce }: Paging, { joint, mayNeedMore }: Queueing) {
  const asked = new Set<string>();
  let unused = 0;
  let present: AskedPage | undefined;
  let ahead: AskedPage | undefined;
  const ask = (target: string): AskedPage => {
    asked.add(target);
    const aborting = new AbortController();
    const onLink = (link: string): void => {
      page.link = link;
      lookAhead();
    };
    const pending = load(target, { signal: aborting.signal, onLink });
    // If the reader leaves early, its failure does not matter.
    pending.catch(() => undefined);
    const page: AskedPage = { target, pending, drop: () => aborting.abort() };
    return page;
  };
  const follow = (link: string, current: string): Next => {
    try {
      const next = reduce(link, current);
      const target = joint?.earlier(next) ?? next;
      if (target === ahead?.target || !asked.has(target)) return { target };
      return stop('the list does not end: the next page was already read');
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { target: undefined, problem: error };
    }
  };
  const lookAhead = (): void => {
    if (present?.link === undefined || ahead !== undefined || !mayNeedMore(present.target)) return;
    const { target } = follow(present.link, present.target);
    if (target !== undefined) ahead = ask(target);
  };
  return {
    /** Where the page that is read says to go on, now that it has come. */
    nextOf: ({ next: link = null }: JsonObject, { rows, dropped }: Kept, current: string): Next => {
      if (rows.length > 0) unused = 0;
      else unused += dropped > 0 ? REPEATED : 1;
      if (link === null) return { target: undefined };
      if (unused >= MOST_UNUSED) return stop('the list does not end: page after page has nothing new');
      return typeof link === 'string' ? follow(link, current) : stop('the link to the next page is not text');
    },
    /** Asks for the page that is read next, if it is not what was asked for already. */
    expect: (target: string | undefined): void => {
      if (ahead !== undefined && ahead.target !== target) {
        ahead.drop();
        asked.delete(ahead.target);
        ahead = undefined;
      }
      if (target !== undefined) ahead ??= ask(target);
    },
    /** The page that is expected, and the one after it as soon as its address is known. */
    advance: (): AskedPage | undefined => {
      [present, ahead] = [ahead, undefined];
      lookAhead();
      return present;
    },
    close: (): void => {
      for (const page of [present, ahead]) page?.drop();
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

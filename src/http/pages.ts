import { CliError, changed } from '../errors.ts';
import { asObject, isExactNumber, type Json } from '../json/kinds.ts';
import {
  createJoint,
  createPageQueue,
  type FetchedPage,
  identityOf,
  type Joint,
  type LoadPage,
  type Next,
  type Overlap,
  type PrefetchedPage,
} from './page-queue.ts';

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
const GENERATION = 100_000;

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
      past = [present, ...past].slice(0, 2);
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
      message: `${error.message}, on page ${progress.pages + 1} after ${rowsText(progress.rows)}`,
    });
  }
}

function afterRows(error: CliError, { pages, rows }: Progress): CliError {
  return changed(error, { message: `${error.message} (page ${pages}, after ${rowsText(rows)})` });
}

const MOST_NAMES = 5;

function tooDeep(names: readonly string[]): CliError {
  const some = names.slice(0, MOST_NAMES).join(', ');
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return new CliError(
    'partial',
    `${rowsText(names.length)} nested more than 1,000 levels deep ${names.length === 1 ? 'was' : 'were'} left out: ${some}${more}`,
    { hint: 'everything else was read', outcome: 'not-done' },
  );
}

function repeatsText(count: number): string {
  return `${rowsText(count)} came more than once and ${count === 1 ? 'was' : 'were'} shown once`;
}

function rowsText(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}

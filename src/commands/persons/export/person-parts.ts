import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { RowPage } from '../../../output/row-page.ts';
import { begun } from './begun.ts';
import type { ListPlace, Section } from './exported-row.ts';
import { readByList } from './read-by-list.ts';
import { readByQuery } from './read-by-query.ts';

export type Way = 'query' | 'list';

/** How far an export is: the way it goes, the id of its last row, how many rows it has, and its place in the list. */
export type Place = {
  readonly way: Way;
  readonly after: string | null;
  readonly rows: number;
  readonly list?: ListPlace;
};
/** `settled`: the answers that the rows up to here came in were seen to their ends, so it can be gone on from here. */
export type Part = {
  readonly page: RowPage;
  readonly place: Place;
  readonly settled: boolean;
  /** How many persons there are, where that is known. */
  readonly total: number | undefined;
};

/**
 * All persons, part by part, from a place on. Without a place the way is chosen: SQL, or with `auto` the list where
 * the service refuses SQL. A note says which.
 */
export async function* personParts(
  { via, from }: { readonly via: 'auto' | Way; readonly from: Place | undefined },
  context: Context,
): AsyncGenerator<Part> {
  const wanted = from?.way ?? (via === 'list' ? 'list' : 'query');
  const { way, sections } = await open(
    wanted,
    { from, mayChange: from === undefined && via === 'auto' },
    context,
  );
  context.note(
    way === 'query'
      ? 'Reading persons through SQL, in the order of their ids.'
      : 'Reading persons from the list, newest first.',
  );
  let { after, rows } = from ?? { after: null, rows: 0 };
  for await (const { page, size, settled, list, total } of sections) {
    rows += size;
    after = settled ?? after;
    const place = { way, after, rows, ...(list === undefined ? {} : { list }) };
    yield { page, place, settled: settled !== undefined, total };
  }
}

type Opened = { readonly way: Way; readonly sections: AsyncIterable<Section> };
type Opening = { readonly from: Place | undefined; readonly mayChange: boolean };

async function open(way: Way, { from, mayChange }: Opening, context: Context): Promise<Opened> {
  if (way === 'list') return { way, sections: readByList(from?.list, context) };
  try {
    return { way, sections: await begun(readByQuery(from?.after ?? undefined, context)) };
  } catch (failure) {
    if (!mayChange || !isRefusal(failure)) throw failure;
    context.note(`SQL is not to be had for this: ${failure.message}.`);
    return { way: 'list', sections: readByList(undefined, context) };
  }
}

const BAD_KEY = ['authentication_failed', 'not_authenticated'];
const REFUSED = [400, 403, 404, 405, 501];

/** A key that is wrong is wrong for the list as well. */
function isRefusal(failure: unknown): failure is CliError {
  if (!(failure instanceof CliError) || failure.status === undefined) return false;
  return REFUSED.includes(failure.status) && !BAD_KEY.includes(failure.code ?? '');
}

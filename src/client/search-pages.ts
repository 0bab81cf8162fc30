import type { Fetched } from './keep-rows.ts';

type Search = {
  /** The address around which to search, and the page that it gave. */
  readonly target: string;
  readonly beyond: Fetched;
  readonly ask: (target: string) => Promise<Fetched>;
  readonly isWanted: (page: Fetched) => boolean;
};

type Place = { readonly page: Fetched; readonly moved: number };

/** Pages on either side that are looked at before a search is given up. */
const MOST_PAGES = 500;

/**
 * Searches for a page of a list that is read by offsets, page by page, on either side of a place in turns: before it
 * while rows have gone, behind it while others have come. Undefined where there is none.
 */
export async function searchPages({ target, beyond, ask, isWanted }: Search): Promise<Place | undefined> {
  const url = new URL(target, 'http://host');
  const place = Number(url.searchParams.get('offset') ?? 0);
  let goesOn = hasNext(beyond);
  // A service may answer fewer rows than it is asked for.
  const step = goesOn ? beyond.size : Number(url.searchParams.get('limit') ?? 0);
  if (!(step > 0)) return undefined;
  const at = (offset: number): Promise<Fetched> => {
    url.searchParams.set('offset', String(offset));
    return ask(`${url.pathname}${url.search}`);
  };
  for (let count = 1; count <= MOST_PAGES; count += 1) {
    const before = place - count * step;
    if (before > -step) {
      const offset = Math.max(0, before);
      const page = await at(offset);
      if (isWanted(page)) return { page, moved: offset - place };
    } else if (!goesOn) return undefined;
    if (!goesOn) continue;
    const behind = place + count * step;
    const page = await at(behind);
    if (isWanted(page)) return { page, moved: behind - place };
    goesOn = hasNext(page);
  }
  return undefined;
}

function hasNext({ envelope, size }: Fetched): boolean {
  return size > 0 && typeof envelope.next === 'string';
}

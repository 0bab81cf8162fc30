import { invalid } from './refusal.ts';

/** Where a page of a list stands. */
export type Part = { readonly limit: number; readonly offset: number };

const DEFAULT_LIMIT = 100;
const DEFAULT_ACTIVITY_LIMIT = 10;

/** Limit and offset with the service's default. */
export function readPart(input: {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}): Part {
  return { limit: input.limit ?? DEFAULT_LIMIT, offset: input.offset ?? 0 };
}

/** The addresses around a page of a list that counts rows, absolute, null where there is none. */
export function neighbours(
  address: URL,
  part: Part,
  hasMore: boolean,
): { readonly next: string | null; readonly previous: string | null } {
  const { limit, offset } = part;
  return {
    next: hasMore ? withQuery(address, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? withQuery(address, { limit, offset: Math.max(0, offset - limit) }) : null,
  };
}

/** Limit and page number, from 1, of an activity list. */
export function readActivityPart(input: {
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
}): Part & { readonly page: number } {
  const limit = input.limit ?? DEFAULT_ACTIVITY_LIMIT;
  const page = input.page ?? 1;
  if (!Number.isSafeInteger(limit * page)) throw invalid('page', 'Invalid page.');
  return { limit, page, offset: (page - 1) * limit };
}

/** The addresses around a page of an activity list, absolute, null where there is none. */
export function activityNeighbours(
  address: URL,
  part: Part & { readonly page: number },
  total: number,
): { readonly next: string | null; readonly previous: string | null } {
  const { limit, page, offset } = part;
  return {
    next: offset + limit < total ? withQuery(address, { limit, page: page + 1 }) : null,
    previous: page > 1 ? withQuery(address, { limit, page: page - 1 }) : null,
  };
}

function withQuery(address: URL, values: Readonly<Record<string, number>>): string {
  const copy = new URL(address);
  for (const [name, value] of Object.entries(values)) copy.searchParams.set(name, String(value));
  return copy.href;
}

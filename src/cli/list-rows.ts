import type { Endpoint, InputOf } from '../api/endpoint.ts';
import type { Client } from '../client/client.ts';
import type { Page } from '../client/pages.ts';

/** `all`: to the end, with `limit` as the page size; otherwise `limit` rows, 100 without it. */
export type ListWish = { readonly all?: boolean | undefined };

type Listing<Row extends Endpoint> = {
  readonly client: Client;
  readonly row: Row;
  readonly input: InputOf<Row> & { readonly limit?: number | undefined };
  readonly wish: ListWish;
  warn(text: string): void;
};

/** The largest page that the service is asked for; beyond it the live service loses `next` (docs/service.md). */
const LARGEST_PAGE = 1000;
const DEFAULT_ROWS = 100;

/** The pages of a list; says at the end when the service has more rows than were shown. */
export async function* listRows<Row extends Endpoint>(listing: Listing<Row>): AsyncGenerator<Page> {
  const { client, row, input, wish, warn } = listing;
  const rows = wish.all ? undefined : (input.limit ?? DEFAULT_ROWS);
  const pageSize = Math.min(input.limit ?? rows ?? LARGEST_PAGE, LARGEST_PAGE);
  let shown = 0;
  let more = false;
  for await (const page of client.pages(row, input, { limit: rows, pageSize })) {
    shown += page.rows().length;
    more = page.more;
    yield page;
  }
  if (more)
    warn(`warning: these are the first ${shown} rows, and the service has more; --all reads all of them`);
}

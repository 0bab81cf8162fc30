import { counted } from '../errors.ts';
import type { Client } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import type { JsonObject } from '../json/kinds.ts';
import { type Endpoint, type InputOf, LARGEST_PAGE } from '../service/endpoint.ts';
import type { Progress } from '../system/progress.ts';

/** `all`: to the end, with `limit` as the page size; otherwise `limit` rows, 100 without it. */
export type ListOptions = {
  readonly all?: boolean | undefined;
  /** The whole body of the request, in place of the one made from the input. */
  readonly body?: JsonObject | undefined;
};

type Start = {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
};

type Listing<Row extends Endpoint> = {
  readonly client: Client;
  readonly row: Row;
  readonly input: InputOf<Row> & Start;
  readonly options: ListOptions;
} & ListMessages;

/** What is said beside a list. */
export type ListMessages = {
  warn(text: string): void;
  /** Shows how far the reading of the whole list is. */
  progress?(work: { readonly label: string; readonly total: number | undefined }): Progress;
};

const DEFAULT_ROWS = 100;

/** Rows in all, undefined for every row, and rows to ask for at a time. */
export function sizesOf(limit: number | undefined, { all }: ListOptions) {
  const rows = all ? undefined : (limit ?? DEFAULT_ROWS);
  return { rows, pageSize: Math.min(limit ?? rows ?? LARGEST_PAGE, LARGEST_PAGE) };
}

/** What is said at the end of a list that goes on. */
export function moreRowsText(shown: number): string {
  return `warning: these are the first ${shown} rows, and the service has more; --all reads all of them`;
}

/** The pages of a list; says at the end when the service has more rows than were shown. */
export async function* listRows<Row extends Endpoint>(listing: Listing<Row>): AsyncGenerator<Page> {
  const { client, row, input, options, warn } = listing;
  const { rows, pageSize } = sizesOf(input.limit, options);
  const body = options.body && { ...options.body, limit: pageSize };
  let shown = 0;
  let more = false;
  let expected: number | undefined;
  let progress: Progress | undefined;
  try {
    for await (const page of client.pages(row, input, { limit: rows, pageSize, body })) {
      expected = expectedOf(page, input);
      if (options.all) progress ??= listing.progress?.({ label: 'rows', total: expected });
      shown += page.rows.length;
      more = page.more;
      yield page;
      progress?.update(shown);
    }
  } finally {
    progress?.end();
  }
  if (more)
    warn(
      `warning: ${shown === 1 ? 'this is the first row' : `these are the first ${shown} rows`}, and the service has more; --all reads all of them`,
    );
  else if (options.all && expected !== undefined) warnOfMissing({ shown, expected }, warn);
}

/** How many rows there are from the first one that was asked for, if the service tells it. */
function expectedOf({ count }: Page, { page, offset = 0 }: Start): number | undefined {
  return count === undefined || page !== undefined ? undefined : Math.max(0, count - offset);
}

/** If rows are deleted during paging, later rows shift and can be skipped. Only `count` reveals it. */
function warnOfMissing(
  { shown, expected }: { readonly shown: number; readonly expected: number },
  warn: ListMessages['warn'],
): void {
  if (shown < expected)
    warn(
      `warning: the service counts ${counted(expected, 'row')}, and ${shown} came: some went while the list was read, or were missed`,
    );
}

import type { Client } from '../client/client.ts';
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { runQuery } from './call-or-query.ts';
import { counted } from './counted.ts';

type Paging = {
  readonly client: Client;
  /** An ActorsQuery whose first column is the row to show. */
  readonly query: JsonObject;
  /** Rows in all; undefined for every row. */
  readonly rows: number | undefined;
  readonly pageSize: number;
  readonly offset: number | undefined;
  warnOfMore(shown: number): void;
};

/** The first column of a query's rows, page by page, until the service says that there are no more. */
export async function* queryPages(paging: Paging): AsyncGenerator<readonly Json[]> {
  const { client, query, rows, pageSize, warnOfMore } = paging;
  let offset = paging.offset ?? 0;
  let shown = 0;
  let before: string | undefined;
  for (;;) {
    const limit = Math.min(pageSize, rows === undefined ? pageSize : rows - shown);
    const answer = await runQuery(client, { ...query, limit, offset });
    const page = firstColumn(answer.results);
    // A service that heeds no offset would go on for ever.
    const text = JSON.stringify(page);
    if (text === before || (page.length === 0 && answer.hasMore === true)) throw stuck(shown);
    before = text;
    shown += page.length;
    offset += page.length;
    yield page;
    if (answer.hasMore !== true) return;
    if (rows !== undefined && shown >= rows) {
      warnOfMore(shown);
      return;
    }
  }
}

function firstColumn(results: Json | undefined): readonly Json[] {
  if (Array.isArray(results)) return results.map((row: Json) => (Array.isArray(row) ? row[0] : row));
  throw new CliError('unavailable', 'the query answered without a list of results', {
    hint: 'it may still run: try again later',
  });
}

function stuck(rows: number): CliError {
  return new CliError('unavailable', `the query did not advance after ${counted(rows, 'row')}`, {
    hint: 'the service says that there are more, and does not send them: the list is not complete',
  });
}

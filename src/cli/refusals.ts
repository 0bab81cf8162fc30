import type { AnswerOf, Endpoint, InputOf } from '../api/endpoint.ts';
import type { Client } from '../client/client.ts';
import type { Settings } from '../config/resolve-settings.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import type { Answered, Via } from './call-or-query.ts';
import { type ListTalk, type ListWish, listRows, moreRowsText, sizesOf } from './list-rows.ts';
import type { Talk } from './talk.ts';

export type Replacement = {
  readonly via?: Via | undefined;
  /** The whole body, in place of the one made from the input. */
  readonly body?: JsonObject | undefined;
} & ({ readonly query: () => JsonObject } | { readonly call: (client: Client) => Promise<Json | undefined> });

export type PeopleWish = ListWish & {
  readonly via?: Via | undefined;
  /** Builds the ActorsQuery, whose first column is shown. */
  readonly query: () => JsonObject;
};

type Paged = { readonly limit?: number | undefined; readonly offset?: number | undefined };

/** How commands ask for what the live service refuses to keys. */
export type Refusals = {
  callOrQuery<Row extends Endpoint>(
    row: Row,
    input: InputOf<Row>,
    replacement: Replacement,
  ): Promise<Answered<AnswerOf<Row> | Json | undefined>>;
  listOrQuery<Row extends Endpoint>(
    row: Row,
    input: InputOf<Row> & Paged,
    wish: PeopleWish,
  ): Promise<AsyncIterable<readonly Json[]>>;
};

type Parts = {
  client(): Promise<Client>;
  settings(): Promise<Settings>;
  readonly talk: Talk;
  readonly listTalk: ListTalk;
};

/** Loads its means when it is first asked. */
export function createRefusals({ client: connect, settings, talk, listTalk }: Parts): Refusals {
  const asker = { dialect: async () => (await settings()).dialect, note: talk.note };
  return {
    callOrQuery: async (row, input, replacement) => {
      const { callOrReplace, runQuery } = await import('./call-or-query.ts');
      const client = await connect();
      return callOrReplace<AnswerOf<typeof row>, Json | undefined>(asker, {
        row,
        via: replacement.via,
        call: () => client.call(row, input, { body: replacement.body }),
        replace: async () =>
          'call' in replacement ? replacement.call(client) : runQuery(client, replacement.query()),
      });
    },
    listOrQuery: async (row, input, wish) => {
      const { listOrReplace } = await import('./call-or-query.ts');
      const client = await connect();
      return listOrReplace<Json>(asker, {
        row,
        via: wish.via,
        pages: () => rowsOf(listRows({ client, row, input, wish, ...listTalk })),
        replacement: () => rowsByQuery({ client, input, wish, ...listTalk }),
      });
    },
  };
}

async function* rowsOf(pages: AsyncIterable<{ rows(): readonly Json[] }>): AsyncGenerator<readonly Json[]> {
  for await (const page of pages) yield page.rows();
}

async function* rowsByQuery({
  client,
  input,
  wish,
  warn,
  progress,
}: ListTalk & {
  readonly client: Client;
  readonly input: Paged;
  readonly wish: PeopleWish;
}): AsyncGenerator<readonly Json[]> {
  const { queryPages } = await import('./query-pages.ts');
  const shown = wish.all ? progress?.({ label: 'rows', total: undefined }) : undefined;
  let rows = 0;
  try {
    for await (const page of queryPages({
      client,
      query: wish.query(),
      ...sizesOf(input.limit, wish),
      offset: input.offset,
      warnOfMore: (count) => warn(moreRowsText(count)),
    })) {
      yield page;
      rows += page.length;
      shown?.update(rows);
    }
  } finally {
    shown?.end();
  }
}

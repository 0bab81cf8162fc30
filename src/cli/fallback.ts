import { CliError, counted } from '../errors.ts';
import type { Client } from '../http/client.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { readState } from '../service/answer.ts';
import type { AnswerOf, Dialect, Endpoint, InputOf } from '../service/endpoint.ts';
import { platform } from '../service/platform.ts';
import type { QueryAnswer } from '../service/schemas.ts';
import type { Settings } from '../settings/resolve-settings.ts';
import type { Stderr } from '../system/output.ts';
import { type ListMessages, type ListOptions, listRows, moreRowsText, sizesOf } from './client.ts';
import type { Option } from './command/options.ts';

export type Replacement = {
  readonly via?: Via | undefined;
  /** The whole body, in place of the one made from the input. */
  readonly body?: JsonObject | undefined;
} & ({ readonly query: () => JsonObject } | { readonly call: (client: Client) => Promise<Json | undefined> });

export type PeopleOptions = ListOptions & {
  readonly via?: Via | undefined;
  /** Builds the ActorsQuery, whose first column is shown. */
  readonly query: () => JsonObject;
};

type Paged = { readonly limit?: number | undefined; readonly offset?: number | undefined };

/** How commands ask for what the live service refuses to keys. */
export type Fallback = {
  callOrQuery<Row extends Endpoint>(
    row: Row,
    input: InputOf<Row>,
    replacement: Replacement,
  ): Promise<Answered<AnswerOf<Row> | Json | undefined>>;
  listOrQuery<Row extends Endpoint>(
    row: Row,
    input: InputOf<Row> & Paged,
    options: PeopleOptions,
  ): Promise<AsyncIterable<readonly Json[]>>;
};

type Parts = {
  client(): Promise<Client>;
  settings(): Promise<Settings>;
  readonly stderr: Stderr;
  readonly listMessages: ListMessages;
};

export function createFallback({ client: connect, settings, stderr, listMessages }: Parts): Fallback {
  const asker = { dialect: async () => (await settings()).dialect, note: stderr.note };
  return {
    callOrQuery: async (row, input, replacement) => {
      const client = await connect();
      return callOrReplace<AnswerOf<typeof row>, Json | undefined>(asker, {
        row,
        via: replacement.via,
        call: () => client.call(row, input, { body: replacement.body }),
        replace: async () =>
          'call' in replacement ? replacement.call(client) : runQuery(client, replacement.query()),
      });
    },
    listOrQuery: async (row, input, options) => {
      const client = await connect();
      return listOrReplace<Json>(asker, {
        row,
        via: options.via,
        pages: () => rowsOf(listRows({ client, row, input, options, ...listMessages })),
        replacement: () => rowsByQuery({ client, input, options, ...listMessages }),
      });
    },
  };
}

async function* rowsOf(
  pages: AsyncIterable<{ readonly rows: readonly Json[] }>,
): AsyncGenerator<readonly Json[]> {
  for await (const page of pages) yield page.rows;
}

async function* rowsByQuery({
  client,
  input,
  options,
  warn,
  progress,
}: ListMessages & {
  readonly client: Client;
  readonly input: Paged;
  readonly options: PeopleOptions;
}): AsyncGenerator<readonly Json[]> {
  const shown = options.all ? progress?.({ label: 'rows', total: undefined }) : undefined;
  let rows = 0;
  try {
    for await (const page of queryPages({
      client,
      query: options.query(),
      ...sizesOf(input.limit, options),
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

/** How a refused operation is asked: it, what replaces it, or the one after the other. */
export const viaOption = {
  type: 'text',
  choices: ['auto', 'endpoint', 'query'],
  placeholder: 'way',
  description: 'endpoint, query or auto: what the key may ask',
} as const satisfies Option;
export type Via = (typeof viaOption.choices)[number];

/** The service's dialect, and a line on stderr. */
type Asker = { dialect(): Promise<Dialect>; note(text: string): void };

type Ways<Asked, Replaced> = {
  readonly row: Endpoint;
  readonly via: Via | undefined;
  readonly call: () => Promise<Asked>;
  readonly replace: () => Promise<Replaced>;
};

export type Answered<Answer> = { readonly answer: Answer; readonly replaced: boolean };

/**
 * Asks an operation, and what replaces it if the service refuses the operation to keys; a note says so. If the
 * replacement fails too, the first failure is thrown. `via` decides by hand.
 */
async function callOrReplace<Asked, Replaced>(
  asker: Asker,
  { row, via = 'auto', call, replace }: Ways<Asked, Replaced>,
): Promise<Answered<Asked | Replaced>> {
  if (via === 'query') return { answer: await replace(), replaced: true };
  try {
    return { answer: await call(), replaced: false };
  } catch (failure) {
    if (via === 'endpoint' || !isRefusal(failure, row, await asker.dialect())) throw failure;
    const answer = await replaceAfter(failure, { asker, row, replace });
    return { answer, replaced: true };
  }
}

/** The same for a list: what was refused is known before its first rows. */
async function* listOrReplace<Row>(
  asker: Asker,
  { row, via, pages, replacement }: ListWays<Row>,
): AsyncGenerator<readonly Row[]> {
  const first = async (rows: AsyncIterable<readonly Row[]>) => {
    const reader = rows[Symbol.asyncIterator]();
    return { reader, start: await reader.next() };
  };
  const { answer } = await callOrReplace(asker, {
    row,
    via,
    call: () => first(pages()),
    replace: () => first(replacement()),
  });
  const { reader } = answer;
  try {
    for (let next = answer.start; !next.done; next = await reader.next()) yield next.value;
  } finally {
    await reader.return?.();
  }
}

type ListWays<Row> = Pick<Ways<never, never>, 'row' | 'via'> & {
  readonly pages: () => AsyncIterable<readonly Row[]>;
  readonly replacement: () => AsyncIterable<readonly Row[]>;
};

/** A key that is wrong is wrong everywhere, so such a 401 or 403 leads nowhere else. */
const BAD_KEY = ['authentication_failed', 'not_authenticated'];

/**
 * Whether the service refuses the operation itself. The live service may route what it removed to another operation,
 * which then calls the last word of the path a bad id or method.
 */
function isRefusal(failure: unknown, row: Endpoint, dialect: Dialect): failure is CliError {
  if (!(failure instanceof CliError) || row.replacement === undefined) return false;
  const { status, code } = failure;
  if (status === undefined || BAD_KEY.includes(code ?? '')) return false;
  if (status === 403) return true;
  if (row.keyAccess === undefined) return false;
  if (status === 404) return true;
  return row.keyAccess === 'removed' && dialect === 'live' && (status === 400 || status === 405);
}

async function replaceAfter<Replaced>(
  refusal: CliError,
  { asker, row, replace }: { asker: Asker; row: Endpoint; replace: () => Promise<Replaced> },
): Promise<Replaced> {
  try {
    const answer = await replace();
    const differs = row.replacement?.differs;
    asker.note(
      `The service does not answer this key directly (${refusal.status}), so ${nameOf(row)} stood in${differs ? `: it ${differs}` : ''}.`,
    );
    return answer;
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    asker.note(`What stands in for it, ${nameOf(row)}, failed too: ${failure.message}.`);
    throw refusal;
  }
}

function nameOf({ replacement }: Endpoint): string {
  if (replacement?.query === undefined) return 'another operation';
  return replacement.source === undefined
    ? `a query (${replacement.query})`
    : `a query (${replacement.query} over ${replacement.source})`;
}

/** Runs a query and waits for it. Throws if the service answers that it failed. */
async function runQuery(client: Client, query: JsonObject): Promise<QueryAnswer> {
  const answer = await client.call(platform.query, { query });
  const { failure } = readState(answer);
  if (failure === undefined) return answer;
  throw new CliError('unavailable', `the query failed${failure}`, {
    hint: 'try again later, or with fewer events or a shorter period',
  });
}

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
async function* queryPages(paging: Paging): AsyncGenerator<readonly Json[]> {
  const { client, query, rows, pageSize, warnOfMore } = paging;
  let offset = paging.offset ?? 0;
  let shown = 0;
  let before: string | undefined;
  for (;;) {
    const limit = Math.min(pageSize, rows === undefined ? pageSize : rows - shown);
    const answer = await runQuery(client, { ...query, limit, offset });
    const page = firstColumn(answer.results);
    // A service that ignores the offset would go on for ever.
    const text = JSON.stringify(page);
    if (text === before || (page.length === 0 && readState(answer).hasMore)) throw stuck(shown);
    before = text;
    shown += page.length;
    offset += page.length;
    yield page;
    const { hasMore } = readState(answer);
    // A full page may not be the last one where the service does not say.
    if (!(hasMore ?? page.length >= limit)) return;
    if (rows !== undefined && shown >= rows) {
      if (hasMore === undefined) return;
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

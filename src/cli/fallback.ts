import { CliError, counted, foreseen } from '../errors.ts';
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
  /** Called with the service's time. */
  readonly onTime?: (time: string) => void;
} & ({ readonly query: () => JsonObject } | { readonly call: (client: Client) => Promise<Json | undefined> });

export type PeopleOptions = ListOptions & {
  readonly via?: Via | undefined;
  /** Builds the ActorsQuery, whose first column is shown. */
  readonly query: () => JsonObject;
};

type Paged = { readonly limit?: number | undefined; readonly offset?: number | undefined };

/** How commands ask for what the live service refuses to keys. */
export type Fallback = ReturnType<typeof createFallback>;

type Parts = {
  client(): Promise<Client>;
  settings(): Promise<Settings>;
  readonly stderr: Stderr;
  readonly listMessages: ListMessages;
};

type Ways<Asked, Replaced> = {
  readonly row: Endpoint;
  readonly via: Via | undefined;
  readonly call: () => Promise<Asked>;
  readonly replace: () => Promise<Replaced>;
};

export function createFallback({ client: connect, settings, stderr: { note }, listMessages }: Parts) {
  /**
   * Asks an operation, and what replaces it if the service refuses the operation to keys; a note says so. If the
   * replacement fails too, the first failure is thrown. `via` decides by hand.
   */
  async function callOrReplace<Asked, Replaced>({ row, via = 'auto', call, replace }: Ways<Asked, Replaced>) {
    if (via === 'query') return { answer: await replace(), replaced: true };
    try {
      return { answer: await call(), replaced: false };
    } catch (refusal) {
      const { dialect } = await settings();
      if (via === 'endpoint' || !isRefusal(refusal, row, dialect)) throw refusal;
      const answer = await replace().catch((failure: unknown) => {
        note(`The replacement, ${nameOf(row)}, failed too: ${foreseen(failure).message}.`);
        throw refusal;
      });
      const differs = row.replacement?.differs;
      note(
        `The service does not answer this key directly (${refusal.status}), so ${nameOf(row)} was used instead${differs ? `: it ${differs}` : ''}.`,
      );
      return { answer, replaced: true };
    }
  }
  return {
    async callOrQuery<Row extends Endpoint>(row: Row, input: InputOf<Row>, replacement: Replacement) {
      const client = await connect();
      return callOrReplace<AnswerOf<Row>, Json | undefined>({
        row,
        via: replacement.via,
        call: () => client.call(row, input, { body: replacement.body, onTime: replacement.onTime }),
        replace: async () =>
          'call' in replacement
            ? replacement.call(client)
            : runQuery(client, replacement.query(), replacement),
      });
    },
    async listOrQuery<Row extends Endpoint>(row: Row, input: InputOf<Row> & Paged, options: PeopleOptions) {
      const client = await connect();
      const read = async function* () {
        const { answer } = await callOrReplace({
          row,
          via: options.via,
          call: () => started(rowsOf(listRows({ client, row, input, options, ...listMessages }))),
          replace: () => started(rowsByQuery({ client, input, options, ...listMessages })),
        });
        yield* answer();
      };
      return read();
    },
  };
}

async function* rowsOf(
  pages: AsyncIterable<{ readonly rows: readonly Json[] }>,
): AsyncGenerator<readonly Json[]> {
  for await (const page of pages) yield page.rows;
}

/** A list whose first page has come: what the service refuses is known by then. */
async function started<Row>(pages: AsyncGenerator<Row>): Promise<() => AsyncGenerator<Row>> {
  const first = await pages.next();
  return async function* () {
    try {
      if (!first.done) yield first.value;
      yield* pages;
    } finally {
      await pages.return(undefined);
    }
  };
}

type QueryListing = ListMessages & {
  readonly client: Client;
  readonly input: Paged;
  readonly options: PeopleOptions;
};

/** The first column of a query's rows, page by page, until the service says that there are no more. */
async function* rowsByQuery({
  client,
  input,
  options,
  warn,
  progress,
}: QueryListing): AsyncGenerator<readonly Json[]> {
  const { rows, pageSize } = sizesOf(input.limit, options);
  const { offset = 0 } = input;
  const query = options.query();
  const bar = options.all ? progress?.({ label: 'rows', total: undefined }) : undefined;
  let shown = 0;
  let before: string | undefined;
  try {
    for (;;) {
      const limit = Math.min(pageSize, rows === undefined ? pageSize : rows - shown);
      const answer = await runQuery(client, { ...query, limit, offset: offset + shown });
      const { hasMore } = readState(answer);
      const page = firstColumn(answer.results);
      // A service that ignores the offset would go on for ever.
      const text = JSON.stringify(page);
      if (text === before || (page.length === 0 && hasMore)) throw stuck(shown);
      before = text;
      shown += page.length;
      yield page;
      bar?.update(shown);
      const isCut = rows !== undefined && shown >= rows;
      if (isCut && hasMore) warn(moreRowsText(shown));
      // If the service does not say, a full page may not be the last one.
      if (isCut || !(hasMore ?? page.length >= limit)) return;
    }
  } finally {
    bar?.end();
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

function nameOf({ replacement }: Endpoint): string {
  if (replacement?.query === undefined) return 'another operation';
  return replacement.source === undefined
    ? `a query (${replacement.query})`
    : `a query (${replacement.query} over ${replacement.source})`;
}

/** Runs a query and waits for it. Throws if the service answers that it failed. */
async function runQuery(
  client: Client,
  query: JsonObject,
  { onTime }: Pick<Replacement, 'onTime'> = {},
): Promise<QueryAnswer> {
  const answer = await client.call(platform.query, { query }, { onTime });
  const { failure } = readState(answer);
  if (failure === undefined) return answer;
  throw new CliError('unavailable', `the query failed${failure}`, {
    hint: 'try again later, or with fewer events or a shorter period',
  });
}

function firstColumn(results: Json | undefined): readonly Json[] {
  if (Array.isArray(results)) return results.map((row: Json) => (Array.isArray(row) ? row[0] : row));
  throw new CliError('unavailable', 'the query answered without a list of results', {
    hint: 'it may still be running: try again later',
  });
}

function stuck(rows: number): CliError {
  return new CliError('unavailable', `the query sent no new rows after ${counted(rows, 'row')}`, {
    hint: 'the list is incomplete: try again later, since the service says that it has more rows',
  });
}

import { CliError, counted, foreseen, isRefusal } from '../errors.ts';
import type { Client } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { begun } from '../print/rows.ts';
import { readState } from '../semantics/answer.ts';
import {
  type AnswerOf,
  type Dialect,
  type Endpoint,
  type InputOf,
  LARGEST_PAGE,
} from '../service/endpoint.ts';
import type { QueryAnswer } from '../service/schemas.ts';
import type { Settings } from '../settings/resolve-settings.ts';
import type { Progress, Stderr } from '../system/output.ts';
import type { Option } from './command/options.ts';

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
  /** Calls back when the rows were printed, with their number: a command may have left some of those that were read. */
  whenPrinted(tell: (rows: number) => void): void;
  /** The file that the rows are saved to, if they are. */
  readonly save?: string | undefined;
  /** Shows how far the reading of the whole list is. */
  progress?(work: { readonly label: string; readonly total: number | undefined }): Progress;
};

const DEFAULT_ROWS = 100;

/** Rows in all, undefined for every row, and rows to ask for at a time. */
function sizesOf(limit: number | undefined, { all }: ListOptions) {
  const rows = all ? undefined : (limit ?? DEFAULT_ROWS);
  return { rows, pageSize: Math.min(limit ?? rows ?? LARGEST_PAGE, LARGEST_PAGE) };
}

/** Rows that were read, and those of them that were printed. */
type Counts = { readonly read: number; readonly printed: number };

/**
 * What is said after a list that goes on. Throws `partial` for rows that are saved: a file that looks whole must
 * be whole, unless the number of rows was written.
 */
function tellMore({ read, printed }: Counts, { input, save, warn }: Telling): void {
  const isEnough = save === undefined || input.limit !== undefined || input.page !== undefined;
  const first = read === 1 ? 'the first row' : `the first ${read} rows`;
  const rows = printed < read ? `${printed} of ${first}` : first;
  const all = '--all reads all of them';
  if (isEnough) {
    const these = printed === 1 ? 'this is' : 'these are';
    warn(`warning: ${these} ${rows}, and the service has more; ${all}`);
    return;
  }
  throw new CliError('partial', `${save} was not written: these would be ${rows}, and the service has more`, {
    hint: `${all}, and --limit ${read} says that these are enough`,
    outcome: 'not-done',
  });
}

/** The pages of a list; says once they are printed if the service has more rows than were read. */
export function listRows<Row extends Endpoint>(listing: Listing<Row>): AsyncGenerator<Page> {
  const { client, row, input, options } = listing;
  const { rows, pageSize } = sizesOf(input.limit, options);
  const body = options.body && { ...options.body, limit: pageSize };
  return withMessages(client.pages(row, input, { limit: rows, pageSize, body }), listing);
}

type Answered = Pick<Page, 'rows' | 'more' | 'count'>;
type Telling = ListMessages & { readonly input: Start; readonly options: ListOptions };

/** The same pages, with what is said beside them. */
async function* withMessages<One extends Answered>(
  pages: AsyncIterable<One>,
  telling: Telling,
): AsyncGenerator<One> {
  const { input, options, warn, whenPrinted, progress: startProgress } = telling;
  let read = 0;
  let more = false;
  let expected: number | undefined;
  let progress: Progress | undefined;
  try {
    for await (const page of pages) {
      expected = expectedOf(page, input);
      if (options.all) progress ??= startProgress?.({ label: 'rows', total: expected });
      read += page.rows.length;
      more = page.more;
      yield page;
      progress?.update(read);
    }
  } finally {
    progress?.end();
  }
  if (more) whenPrinted((printed) => tellMore({ read, printed }, telling));
  else if (options.all && expected !== undefined) warnOfMissing({ read, expected }, warn);
}

/** How many rows there are from the first one that was asked for, if the service tells it. */
function expectedOf({ count }: Answered, { page, offset = 0 }: Start): number | undefined {
  return count === undefined || page !== undefined ? undefined : Math.max(0, count - offset);
}

/** If rows are deleted during paging, later rows shift and can be skipped. Only `count` reveals it. */
function warnOfMissing(
  { read, expected }: { readonly read: number; readonly expected: number },
  warn: ListMessages['warn'],
): void {
  if (read < expected)
    warn(
      `warning: the service counts ${counted(expected, 'row')}, but ${read} came: the others were deleted during the read, or missed`,
    );
}

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

/** How commands ask for what the live service refuses to keys. */
export type Fallback = ReturnType<typeof createFallback>;

type Parts = {
  client(): Promise<Client>;
  settings(): Promise<Settings>;
  readonly stderr: Stderr;
  /** Says what only who looks for it wants to know. */
  debug(text: string): void;
  readonly listMessages: ListMessages;
};

type Ways<Asked, Replaced> = {
  readonly row: Endpoint;
  readonly via: Via | undefined;
  readonly call: () => Promise<Asked>;
  readonly replace: () => Promise<Replaced>;
};

export function createFallback({ client: connect, settings, stderr: { note }, debug, listMessages }: Parts) {
  let isTold = false;
  /** Once a command; if it is the same job, only to those who look for it. */
  function tellReplaced(row: Endpoint, status: number | undefined): void {
    if (isTold) return;
    isTold = true;
    const used = `The service does not answer this key directly (${status}), so ${nameOf(row)} was used instead`;
    const differs = row.replacement?.differs;
    if (differs === undefined) debug(`${used}.`);
    else note(`${used}: it ${differs}.`);
  }
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
      if (via === 'endpoint' || !isRefusal(refusal, refusalsOf(row, dialect))) throw refusal;
      const answer = await replace().catch((failure: unknown) => {
        note(`The replacement, ${nameOf(row)}, failed too: ${foreseen(failure).message}.`);
        throw refusal;
      });
      tellReplaced(row, refusal.status);
      return { answer, replaced: true };
    }
  }
  return {
    async call<Row extends Endpoint>(row: Row, input: InputOf<Row>, replacement: Replacement) {
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
    async list<Row extends Endpoint>(row: Row, input: InputOf<Row> & Start, options: PeopleOptions) {
      const listing = { client: await connect(), row, input, options, ...listMessages };
      const read = async function* () {
        const { answer } = await callOrReplace<Pages, Pages>({
          row,
          via: options.via,
          call: () => begun(listRows(listing)),
          replace: () => begun(withMessages(pagesByQuery(listing), listing)),
        });
        yield* answer;
      };
      return read();
    },
  };
}

type Pages = AsyncGenerator<Answered>;

type QueryListing = { readonly client: Client; readonly input: Start; readonly options: PeopleOptions };

/** The first column of a query's rows, page by page, until the service says that there are no more. */
async function* pagesByQuery({ client, input, options }: QueryListing): AsyncGenerator<Answered> {
  const { rows, pageSize } = sizesOf(input.limit, options);
  const { offset = 0 } = input;
  const query = options.query();
  let read = 0;
  let before: string | undefined;
  for (;;) {
    const limit = Math.min(pageSize, rows === undefined ? pageSize : rows - read);
    const answer = await runQuery(client, { ...query, limit, offset: offset + read });
    const { hasMore } = readState(answer);
    const page = firstColumn(answer.results);
    // A service that ignores the offset would go on for ever.
    const text = JSON.stringify(page);
    if (text === before || (page.length === 0 && hasMore)) throw stuck(read);
    before = text;
    read += page.length;
    yield { rows: page, more: hasMore === true };
    // If the service does not say, a full page may not be the last one.
    if ((rows !== undefined && read >= rows) || !(hasMore ?? page.length >= limit)) return;
  }
}

/** Whether a list is read to its end. */
export const allOption = {
  type: 'flag',
  needsRows: true,
  description: 'Read every page; --limit is then the page size',
} as const satisfies Option;

/** How a refused operation is asked: it, what replaces it, or the one after the other. */
export const viaOption = {
  type: 'text',
  choices: ['auto', 'endpoint', 'query'],
  placeholder: 'way',
  description: 'endpoint, query or auto: what the key may ask',
} as const satisfies Option;
export type Via = (typeof viaOption.choices)[number];

/**
 * The statuses by which the service refuses an operation that something replaces. The live service may route what it
 * removed to another operation, which then calls the last word of the path a bad id or method.
 */
function refusalsOf({ replacement, keyAccess }: Endpoint, dialect: Dialect): readonly number[] {
  if (replacement === undefined) return [];
  if (keyAccess === undefined) return [403];
  return keyAccess === 'removed' && dialect === 'live' ? [400, 403, 404, 405] : [403, 404];
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
  const answer = await client.query({ query }, { onTime });
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

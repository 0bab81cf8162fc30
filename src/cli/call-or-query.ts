import type { Dialect, Endpoint } from '../api/endpoint.ts';
import { platform } from '../api/endpoints/platform.ts';
import type { QueryAnswer } from '../api/schemas.ts';
import type { Client } from '../client/client.ts';
import { CliError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import type { Option } from './command/options.ts';

/** How a refused operation is asked: it, what replaces it, or the one after the other. */
export const viaOption = {
  type: 'text',
  choices: ['auto', 'endpoint', 'query'],
  placeholder: 'way',
  description: 'auto, endpoint or query: auto asks the endpoint, and its replacement where keys are refused',
} as const satisfies Option;
export type Via = (typeof viaOption.choices)[number];

/** Whoever asks: the service's dialect, and a line on stderr. */
export type Asker = { dialect(): Promise<Dialect>; note(text: string): void };

export type Ways<Asked, Replaced> = {
  readonly row: Endpoint;
  readonly via: Via | undefined;
  readonly call: () => Promise<Asked>;
  readonly replace: () => Promise<Replaced>;
};

export type Answered<Answer> = { readonly answer: Answer; readonly replaced: boolean };

/**
 * Asks an operation, and what replaces it where the service refuses the operation to keys; a note says so. Where the
 * replacement fails too, the first failure is thrown. `via` decides by hand.
 */
export async function callOrReplace<Asked, Replaced>(
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
export async function* listOrReplace<Row>(
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
  if (row.keyAccess === 'accepted') return false;
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
      `The service does not run ${row.id} for this key (${refusal.status}), so ${nameOf(row)} did its job${differs ? `: it ${differs}` : ''}.`,
    );
    return answer;
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    asker.note(`What replaces ${row.id} failed too: ${failure.message}.`);
    throw refusal;
  }
}

function nameOf({ replacement }: Endpoint): string {
  if (replacement?.query === undefined) return 'another operation';
  return replacement.source === undefined
    ? `a query (${replacement.query})`
    : `a query (${replacement.query} over ${replacement.source})`;
}

/** Runs a query and waits for it. Throws where the service answers that it failed. */
export async function runQuery(client: Client, query: JsonObject): Promise<QueryAnswer> {
  const answer = await client.call(platform.query, { query });
  const { error, error_message: message } = answer.query_status ?? {};
  if (error !== true) return answer;
  throw new CliError('unavailable', `the query failed${message ? `: ${message}` : ''}`, {
    hint: 'try again later, or with fewer events or a shorter period',
  });
}

import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import { toJsonText } from '../../json/write.ts';

type Client = Awaited<ReturnType<Context['client']>>;
export type Request = Parameters<Client['api']['raw']>[0];

type Given = {
  readonly method: string;
  readonly path: string;
  readonly field: JsonObject | undefined;
  readonly input: string | undefined;
  readonly paginate: boolean | undefined;
  readonly include: boolean | undefined;
};

const READS = ['GET', 'HEAD'];

/** Whether a request changes nothing. */
export function isRead({ method }: Request): boolean {
  return READS.includes(method);
}

/** The request that was asked for. Throws a usage error for what does not go together, and for a body that is not JSON. */
export async function makeRequest(given: Given, context: Context): Promise<Request> {
  const { path, field, input, paginate, include } = given;
  const method = given.method.toUpperCase();
  if (paginate && method !== 'GET') throw usageError('--paginate follows the pages of a GET only');
  if (paginate && include)
    throw usageError('--include shows one answer, and --paginate reads several', 'leave one of them out');
  if (input !== undefined && READS.includes(method))
    throw usageError(`${method} sends no body`, 'leave out --input; -f adds to the query');
  const body = input === undefined ? undefined : await readBody(input, context);
  const fromFields = body === undefined && !READS.includes(method) && method !== 'DELETE';
  if (field === undefined) return { method, path, body };
  return fromFields
    ? { method, path, body: toJsonText(field) }
    : { method, path, body, query: queryOf(field) };
}

async function readBody(input: string, context: Context): Promise<string> {
  const text = (await context.files.readText(input)).replace(/^\uFEFF/, '');
  const name = input === '-' ? 'standard input' : input;
  if (text.trim() === '') throw usageError(`${name} is empty`, 'nothing was sent');
  try {
    await context.files.parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(`${name} is not JSON, ${cause.message}`, 'nothing was sent');
  }
  return text;
}

/** In a query the service reads lists and objects as one JSON text. */
function queryOf(fields: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(fields).map(([name, value]) => [name, queryText(value)] as const);
  return Object.fromEntries(texts);
}

function queryText(value: Json): string {
  return typeof value === 'string' ? value : toJsonText(value);
}

import { CliError, usageError } from '../errors.ts';
import type { Client, Description } from '../http/client.ts';
import { checkMethod, isReadMethod } from '../http/free-request.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { parseJson, TooDeep, toJsonText } from '../json/text.ts';
import { quoteForShell } from '../system/text.ts';
import type { Options, OptionsInput } from './command/options.ts';
import type { Context } from './context.ts';

type Request = Parameters<Client['api']['raw']>[0];

type Given = OptionsInput<typeof apiOptions> & { readonly method: string; readonly path: string };

/** Whether a request changes nothing. */
export const isRead = ({ method }: Request): boolean => isReadMethod(method);

/** The request that was asked for. Throws a usage error for what does not go together, and for a body that is not JSON. */
export async function makeRequest(given: Given, context: Context): Promise<Request> {
  const { path, field, input, paginate, include } = given;
  const method = checkMethod(given.method);
  if (paginate && method !== 'GET') throw usageError('--paginate can only be used with GET');
  if (paginate && include)
    throw usageError('--include and --paginate cannot be used together', 'give one of them');
  if (input !== undefined && isReadMethod(method))
    throw usageError(`${method} sends no body`, 'leave out --input; -f adds to the query string');
  const body = input === undefined ? undefined : await readBody(input, context);
  const fromFields = body === undefined && !isReadMethod(method) && method !== 'DELETE';
  if (field === undefined) return { method, path, body };
  return fromFields
    ? { method, path, body: toJsonText(field) }
    : { method, path, body, query: queryOf(field) };
}

async function readBody(input: string, context: Context): Promise<string> {
  const text = (await context.files.readText(input)).replace(/^\uFEFF/, '');
  const name = input === '-' ? 'standard input' : input;
  if (text.trim() === '') throw usageError(`${name} is empty`, 'give a JSON body; nothing was sent');
  try {
    parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(`${name} is not JSON, ${cause.message}`, 'correct it; nothing was sent');
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

/** The options of `api`. */
export const apiOptions = {
  field: {
    type: 'fields',
    short: 'f',
    description: 'Field with a typed value; a[b]=1 sets a nested field, a[]=1 adds to a list',
  },
  input: {
    type: 'file',
    reads: 'standard input',
    placeholder: 'file',
    description: 'JSON file to send as the body; - is standard input',
  },
  paginate: {
    type: 'flag',
    needsRows: true,
    description: 'Read every page, and print all rows as one JSON list',
  },
  include: { type: 'flag', description: 'Also print the status and the headers of the answer' },
  curl: { type: 'flag', description: 'Print a curl command instead, with $HOGCTL_API_KEY for the key' },
} as const satisfies Options;

/** Headers that curl sets itself, and the one that holds the key. */
const OMITTED = ['authorization', 'user-agent', 'accept-encoding'];

/** The same request as a command for a POSIX shell. The key is read from the environment and never written out. */
export function curlText(
  { method, url, headers }: Omit<Description, 'body'>,
  body: string | undefined,
): string {
  const shown = Object.entries(headers).filter(([name]) => !OMITTED.includes(name));
  return [
    method === 'HEAD' ? 'curl --head' : `curl --request ${method}`,
    // Brackets and braces in an address are no patterns.
    '--globoff',
    '--header "Authorization: Bearer $HOGCTL_API_KEY"',
    ...shown.map(([name, value]) => `--header ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoteForShell(body)}`]),
    quoteForShell(url),
  ].join(' \\\n  ');
}

type Answer = Awaited<ReturnType<Client['api']['raw']>>;

/** Prints an answer: JSON in the format that was asked for, indented if none was; anything else as it came. */
export async function printAnswer(
  answer: Answer,
  { include, isRead }: { readonly include: boolean; readonly isRead: boolean },
  context: Context,
): Promise<void> {
  if (include) await context.output.passOn(headText(answer));
  if (answer.bytes.length === 0) return;
  const value = readJson(answer, { isRead });
  if (value === undefined) {
    const text = strangeness(answer);
    if (text !== undefined) context.warn(`warning: ${text}`);
    return context.output.passOn(answer.bytes);
  }
  const { output, columns } = context.options;
  if (output !== undefined || columns !== undefined) return context.print(value);
  await context.output.raw(`${toJsonText(value, { indent: 2 })}\n`);
}

/** What is to be said of an answer that is no JSON; undefined if it says itself that it is something else. */
function strangeness({ status, headers }: Answer): string | undefined {
  const type = headers['content-type'] ?? '';
  if (/\bjson\b/i.test(type))
    return `the answer (status ${status}) is not JSON, although it is labelled as JSON`;
  if (!/\bhtml\b/i.test(type)) return undefined;
  return `the answer (status ${status}) is a web page, perhaps from a proxy or a sign-in page instead of the service`;
}

/** Prints all rows of a list as one JSON list, or as rows of the format that was asked for. */
export async function printPages(
  pages: AsyncIterable<{ readonly rows: readonly Json[] }>,
  context: Context,
): Promise<void> {
  const { output, columns } = context.options;
  if (output !== undefined || columns !== undefined) return context.print(pages);
  let started = false;
  for await (const { rows } of pages) {
    const text = rows.map((row) => `  ${toJsonText(row)}`).join(',\n');
    if (text === '') continue;
    await context.output.raw(`${started ? ',' : '['}\n${text}`);
    started = true;
  }
  await context.output.raw(started ? '\n]\n' : '[]\n');
}

function headText({ status, headers }: Answer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return `HTTP ${status}\n${lines.join('')}\n`;
}

/** Throws for JSON that is too deep: `unavailable`, or `partial` if the request may have changed something. */
function readJson({ headers, bytes, status }: Answer, { isRead }: { readonly isRead: boolean }) {
  if (!/\bjson\b/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    return parseJson(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch (cause) {
    // It calls itself JSON and is not: people see what came.
    if (!(cause instanceof TooDeep)) return undefined;
    throw new CliError(
      isRead ? 'unavailable' : 'partial',
      `the answer is too deep: ${cause.message} (status ${status})`,
      {
        hint: isRead
          ? 'ask for less, without the deeply nested value'
          : 'check what was changed before you repeat it',
        cause,
      },
    );
  }
}

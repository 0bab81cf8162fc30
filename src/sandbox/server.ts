import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CliError, systemCode } from '../errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toText, writeJson } from '../json/text.ts';
import { type Endpoint, formOf, type InputOf } from '../service/endpoint.ts';
import { CAPTURE_PATHS, capture } from './handlers/capture.ts';
import { writeDate } from './operator.ts';
import { readInput } from './parameters.ts';
import {
  forbidden,
  invalid,
  methodNotAllowed,
  notFound,
  parseOr,
  Refusal,
  refusalBody,
  unreadable,
} from './refusal.ts';
import { type Circumstances, checkAccess, findKey, findRoute, type Reply, type Service } from './routes.ts';
import { outdateResults } from './store/insights.ts';
import { readState } from './store/state.ts';

type RunningServer = { readonly origin: string; readonly stop: () => Promise<void> };

const LONGEST_CLOSING = 1000;

/** Only this computer is served. */
const HOST = '127.0.0.1';

/**
 * Serves on a loopback address; port 0 takes a free one. `stop` lets running requests end, within a second.
 * Throws a `CliError` for a port that is taken.
 */
export async function serve(service: Service, wanted: number): Promise<RunningServer> {
  const running = new Set<Promise<void>>();
  let origin = '';
  const server = createServer((request, response) => {
    const exchange = respond(response, answerRequest(service, request, origin));
    running.add(exchange);
    exchange.finally(() => running.delete(exchange));
  });
  const port = await listen(server, wanted);
  origin = `http://${HOST}:${port}`;
  return {
    origin,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const closing = setTimeout(() => server.closeAllConnections(), LONGEST_CLOSING);
      await Promise.all(running);
      server.closeIdleConnections();
      await closed;
      clearTimeout(closing);
    },
  };
}

async function respond(response: ServerResponse, answered: Promise<HttpAnswer>): Promise<void> {
  const { status, headers, text } = await answered;
  // The caller is gone, and nothing would ever tell that the answer arrived.
  if (response.closed || response.destroyed) return;
  const length = Buffer.byteLength(text);
  // The date of an answer is by the sandbox's clock, never by this computer's.
  response.sendDate = false;
  // 204 has no body and no length of one.
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': length });
  await new Promise<void>((resolve) => {
    response.once('close', resolve).end(text);
  });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new CliError('usage', `cannot listen on ${HOST}:${port}: ${cause.message}`, {
          hint: 'choose another --port, or leave it out to get a free one',
          cause,
        }),
      );
    });
    server.listen(port, HOST, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** Answers one request. Refusals become answers; anything else that is thrown is a bug and answered as 500. */
async function answerRequest(
  service: Service,
  request: IncomingMessage,
  origin: string,
): Promise<HttpAnswer> {
  try {
    const address = addressOf(request, origin);
    // The sandbox itself stays in reach.
    if (address.pathname.startsWith('/api/')) service.meetObstacles();
    const captured = CAPTURE_PATHS.find((path) => path === address.pathname.replace(/\/$/, ''));
    const body = await readBody(request);
    if (captured !== undefined && request.method === 'POST')
      return await service.inTurn(() => answerCapture(service, captured, body));
    const format = readFormat(address.searchParams);
    const { reply, now } = await service.inTurn(() => answer(service, request, { address, body, format }));
    const written = writeReply('later' in reply ? await reply.later() : reply, format);
    return { ...written, headers: { ...written.headers, date: writeDate(now) } };
  } catch (error) {
    const refused = toAnswer(error);
    const { now } = await service.inTurn(() => readState(service.store));
    return { ...refused, headers: { ...refused.headers, date: writeDate(now) } };
  }
}

/** What was thrown as an answer. What is no refusal is a bug. */
function toAnswer(error: unknown): HttpAnswer {
  if (error instanceof Refusal) {
    const answer = jsonAnswer(error.status, refusalBody(error));
    const { retryAfter } = error;
    if (retryAfter === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfter) } };
  }
  const detail = `A server error occurred: ${error instanceof Error ? error.message : String(error)}`;
  return jsonAnswer(500, { type: 'server_error', code: 'error', detail, attr: null });
}

/** The path that was asked for on the sandbox's own origin, whatever host the caller names: links begin with it. */
function addressOf({ url = '/' }: IncomingMessage, origin: string): URL {
  const asked = new URL(url.replace(/^\/+/, '/'), origin);
  const address = new URL(origin);
  address.pathname = asked.pathname;
  address.search = asked.search;
  return address;
}

/** Events are changes like any other. */
async function answerCapture(
  service: Service,
  path: (typeof CAPTURE_PATHS)[number],
  body: JsonObject,
): Promise<HttpAnswer> {
  const { store, token, calculations } = service;
  const { now } = await readState(store);
  const answered = await store.together(async () => {
    const given = await capture(path, body, { store, now, token });
    if (path === '/batch') {
      calculations.noteChange();
      await outdateResults(store);
    }
    return jsonAnswer(200, given);
  });
  return { ...answered, headers: { ...answered.headers, date: writeDate(now) } };
}

type Arrived = Pick<Circumstances, 'address' | 'body' | 'format'>;

async function answer(service: Service, { method = 'GET', headers }: IncomingMessage, arrived: Arrived) {
  const { address, body } = arrived;
  const match = findRoute(service.routes, method, address.pathname);
  if ('methods' in match) {
    throw match.methods.length === 0 ? notFound('Endpoint not found.') : methodNotAllowed(method);
  }
  const { row, handler } = match.route;
  const key = findKey(headers.authorization, row, service);
  checkProject(match.path.get('project_id'), service.projectId);
  checkAccess(key, row, service.dialect);
  const { store, dialect, calculations } = service;
  const request = { path: match.path, query: address.searchParams, body };
  // The routes pair each row with its own handler, and the values are read as that row has them.
  const input = readInput(formOf(row, dialect), dialect, request) as InputOf<Endpoint>;
  const run = async () => {
    const { now } = await readState(store);
    return { reply: await handler({ ...service, ...arrived, input, now, key }), now };
  };
  if (row.effect === 'read') return run();
  return store.together(async () => {
    const answered = await run();
    // What changes persons, events or the clock makes all that was calculated older than that.
    if (/^\/(persons|_sandbox)\//.test(row.path)) {
      calculations.noteChange();
      await outdateResults(store);
    }
    return answered;
  });
}

function writeReply(reply: Reply<Endpoint>, format: 'csv' | 'json'): HttpAnswer {
  if (reply.body === undefined) return { status: reply.status, headers: {}, text: '' };
  // Answers are JSON by their types; fields that may be left out keep TypeScript from seeing it.
  const content = reply.body as Json;
  if (format === 'json') return jsonAnswer(reply.status, content);
  const headers = { 'content-type': 'text/csv; charset=utf-8' };
  return { status: reply.status, headers, text: writeCsv(content) };
}

function checkProject(given: string | undefined, projectId: string): void {
  if (given === undefined || given === projectId || given === '@current') return;
  if (!/^\d+$/.test(given)) throw notFound('Project not found.');
  throw forbidden(`API key does not have access to the requested project: ID ${given}.`);
}

function jsonAnswer(status: number, content: Json): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json' }, text: writeJson(content) };
}

const LARGEST_BODY = 20_000_000;

/** The body of a request as a JSON object; nothing at all counts as `{}`. Throws a `Refusal` 400 or 413. */
async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes: unknown = chunk;
    if (!(bytes instanceof Uint8Array)) continue;
    length += bytes.length;
    if (length <= LARGEST_BODY) chunks.push(bytes);
  }
  if (length > LARGEST_BODY) throw tooLarge();
  const text = (await unpacked(Buffer.concat(chunks), request)).toString('utf8');
  const { 'content-type': type = '' } = request.headers;
  if (text.trim() !== '' && !/^application\/json\b/i.test(type))
    throw new Refusal(415, `Unsupported media type "${type}" in request.`, {
      type: 'invalid_request',
      code: 'unsupported_media_type',
    });
  return parseBody(text);
}

/** Clients may pack what they send; unpacked it has the same limit. */
async function unpacked(bytes: Buffer, { headers }: IncomingMessage): Promise<Buffer> {
  if (headers['content-encoding'] !== 'gzip') return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: LARGEST_BODY });
  } catch (cause) {
    if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw unreadable('The body is not gzip.');
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, 'Request body is too large.', { type: 'invalid_request', code: 'too_large' });
}

function parseBody(text: string): JsonObject {
  if (text.trim() === '') return {};
  const body = parseOr(text, (reason) => {
    throw unreadable(`JSON parse error: ${reason}`);
  });
  if (isObject(body)) return body;
  throw invalid('non_field_errors', 'Invalid data. Expected a dictionary.');
}

/** The `format` of an answer. Throws a `Refusal` 400 for any but csv and json. */
function readFormat(query: URLSearchParams): 'csv' | 'json' {
  const format = query.get('format') ?? 'json';
  if (format === 'csv' || format === 'json') return format;
  throw invalid('format', `"${format}" is not a valid choice.`, 'invalid_choice');
}

/** An answer as the service's CSV: rows of a list, nested objects flattened to dotted columns. */
function writeCsv(answer: Json): string {
  const rows = rowsOf(answer).map((row) => new Map(flatten('', row)));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row.get(column) ?? ''))];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

function rowsOf(answer: Json): readonly JsonObject[] {
  const list = isObject(answer) && isList(answer.results) ? answer.results : answer;
  return (isList(list) ? list : [list]).map((row) => (isObject(row) ? row : { value: row }));
}

function flatten(prefix: string, value: Json): readonly (readonly [string, string])[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, field]) =>
      flatten(prefix === '' ? key : `${prefix}.${key}`, field),
    );
  }
  if (isList(value)) return value.flatMap((item, index) => flatten(`${prefix}.${index}`, item));
  return [[prefix, value === null ? '' : toText(value)]];
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

import type { IncomingMessage } from 'node:http';
import type { Dialect, Endpoint, InputOf } from '../api/endpoint.ts';
import { formOf } from '../api/form.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { writeJson } from '../json/write.ts';
import { checkAccess, findKey, type SandboxKey } from './authorise.ts';
import type { Calculations } from './calculation/calculations.ts';
import type { Handler, Reply } from './call.ts';
import { writeDate } from './clock.ts';
import { writeCsv } from './csv-text.ts';
import { readInput } from './read-input.ts';
import { readBody, readFormat } from './read-request.ts';
import { forbidden, methodNotAllowed, notFound, Refusal, refusalBody } from './refusal.ts';
import { findRoute, type Route } from './routes.ts';
import type { Store } from './store/open-store.ts';
import { outdateResults } from './store/results.ts';
import { readState } from './store/state.ts';

export type AnyHandler = Handler<Endpoint>;

/** What a server answers from. */
export type Service = {
  readonly routes: readonly Route<AnyHandler>[];
  readonly store: Store;
  readonly dialect: Dialect;
  readonly keys: readonly SandboxKey[];
  readonly projectId: string;
  readonly calculations: Calculations;
  /** How long SQL may run, in milliseconds. */
  readonly longestQuery: number;
  /** Runs work when all earlier work is done, so that the same requests give the same answers. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** Answers one request. Refusals become answers; anything else that is thrown is a bug and answered as 500. */
export async function answerRequest(
  service: Service,
  request: IncomingMessage,
  origin: string,
): Promise<HttpAnswer> {
  try {
    const address = addressOf(request, origin);
    const body = await readBody(request);
    const arrived = { request, address, body };
    const format = readFormat(address.searchParams);
    const { reply, now } = await service.inTurn(() => answer(service, arrived, format));
    const written = writeReply('later' in reply ? await reply.later() : reply, format);
    return { ...written, headers: { ...written.headers, date: writeDate(now) } };
  } catch (error) {
    if (error instanceof Refusal) return jsonAnswer(error.status, refusalBody(error));
    const detail = `A server error occurred: ${error instanceof Error ? error.message : String(error)}`;
    return jsonAnswer(500, { type: 'server_error', code: 'error', detail, attr: null });
  }
}

/** The address as the caller wrote it: links to other pages are built from the request's own host. */
function addressOf(request: IncomingMessage, origin: string): URL {
  const path = (request.url ?? '/').replace(/^\/+/, '/');
  const named = `http://${request.headers.host ?? ''}`;
  return new URL(path, URL.canParse(named) ? named : origin);
}

type Arrived = { readonly request: IncomingMessage; readonly address: URL; readonly body: JsonObject };

async function answer(service: Service, { request, address, body }: Arrived, format: 'csv' | 'json') {
  const method = request.method ?? 'GET';
  const match = findRoute(service.routes, method, address.pathname);
  if ('methods' in match) {
    throw match.methods.length === 0 ? notFound('Endpoint not found.') : methodNotAllowed(method);
  }
  const { row, handler } = match.route;
  const key = findKey(request.headers.authorization, row, service);
  checkProject(match.path.get('project_id'), service.projectId);
  checkAccess(key, row, service.dialect);
  const form = formOf(row, service.dialect);
  const { store, dialect, calculations, longestQuery } = service;
  const input = readInput(form, dialect, { path: match.path, query: address.searchParams, body });
  const run = async () => {
    const { now } = await readState(store);
    const reply = await handler({
      // The routes pair each row with its own handler, and readInput read the values as that row has them.
      input: input as InputOf<Endpoint>,
      ...{ dialect, store, now, key, address, format, body, calculations, longestQuery },
    });
    return { reply, now };
  };
  if (row.effect === 'read') return run();
  return store.together(async () => {
    const answered = await run();
    if (changesPeople(row)) await noteChange(service);
    return answered;
  });
}

/** Whether a row changes persons, events or the clock: calculated results are older than that then. */
function changesPeople({ path }: Endpoint): boolean {
  return /^\/(persons|_sandbox)\//.test(path);
}

async function noteChange({ store, calculations }: Service): Promise<void> {
  calculations.noteChange();
  await outdateResults(store);
}

function writeReply(reply: Reply<Endpoint>, format: 'csv' | 'json'): HttpAnswer {
  if (reply.body === undefined) return { status: reply.status, headers: {}, text: '' };
  // Answers are JSON by their types; fields that may be left out keep TypeScript from seeing it.
  const content = reply.body as Json;
  return format === 'csv' ? csvAnswer(reply.status, content) : jsonAnswer(reply.status, content);
}

function checkProject(given: string | undefined, projectId: string): void {
  if (given === undefined || given === projectId || given === '@current') return;
  if (!/^\d+$/.test(given)) throw notFound('Project not found.');
  throw forbidden(`API key does not have access to the requested project: ID ${given}.`);
}

function jsonAnswer(status: number, content: Json): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json' }, text: writeJson(content) };
}

function csvAnswer(status: number, content: Json): HttpAnswer {
  return { status, headers: { 'content-type': 'text/csv; charset=utf-8' }, text: writeCsv(content) };
}

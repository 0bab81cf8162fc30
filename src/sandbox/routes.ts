import type { JsonObject } from '../json/kinds.ts';
import { type AnswerOf, type Dialect, type Endpoint, formOf, type InputOf } from '../service/endpoint.ts';
import type { Calculations, Turns } from './calculation/calculations.ts';
import type { Moment } from './operator.ts';
import { forbidden, notFound, Refusal } from './refusal.ts';
import type { Store } from './store/open-store.ts';

export type Route = {
  readonly row: Endpoint;
  readonly handler: AnyHandler;
  readonly segments: readonly string[];
};

type Match = {
  readonly route: Route;
  readonly path: ReadonlyMap<string, string>;
};

const PROJECT = '/api/projects/:project_id';

/** Routes of the rows of a table that one dialect has, from their paths. */
export function buildRoutes(
  rows: Readonly<Record<string, Endpoint>>,
  handlers: Readonly<Record<string, AnyHandler>>,
  dialect: Dialect,
): readonly Route[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const handler = handlers[name];
    if (handler === undefined || (row.only !== undefined && row.only !== dialect && row.only !== 'sandbox')) {
      return [];
    }
    const { path } = formOf(row, dialect);
    return [{ row, handler, segments: split(row.under === 'service' ? path : PROJECT + path) }];
  });
}

/** Finds the route of a request; the methods are those that its path knows, when none of them fits. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  pathname: string,
): Match | { readonly methods: readonly string[] } {
  // PostHog's own tools still use the older name of a project.
  const segments = split(pathname.replace(/^\/api\/environments\//, '/api/projects/')).map(decode);
  const matches = routes
    .map((route) => ({ route, path: matchSegments(route.segments, segments) }))
    .filter((match): match is Match => match.path !== undefined)
    .sort((one, other) => one.path.size - other.path.size);
  const best = matches[0]?.path.size;
  // If a static segment fits, `:id` does not count: no id can reach another route.
  const closest = matches.filter((match) => match.path.size === best);
  const chosen = closest.find(({ route }) => route.row.method === method);
  return chosen ?? { methods: closest.map(({ route }) => route.row.method) };
}

function split(pathname: string): readonly string[] {
  return pathname.replace(/^\/|\/$/g, '').split('/');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    // Deliberate: a segment that is no valid encoding stands for itself and matches nothing.
    if (error instanceof URIError) return segment;
    throw error;
  }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const path = new Map<string, string>();
  for (const [index, expected] of pattern.entries()) {
    const given = segments[index] ?? '';
    if (expected.startsWith(':') && given !== '') path.set(expected.slice(1), given);
    else if (expected !== given) return undefined;
  }
  return path;
}

/** What a server answers from. */
export type Service = {
  readonly routes: readonly Route[];
  readonly store: Store;
  readonly dialect: Dialect;
  readonly keys: readonly SandboxKey[];
  readonly projectId: string;
  /** What clients in people's own programs send with their events. */
  readonly token: string;
  readonly calculations: Calculations;
  /** How long a query may run, in milliseconds. */
  readonly longestQuery: number;
  /** Runs work when all earlier work is done, so that the same requests give the same answers. */
  readonly inTurn: Turns;
  /** Throws a `Refusal` for what is rehearsed: a limit, an outage. */
  readonly meetObstacles: () => void;
};

/** What every handler gets, whatever the row. */
export type Circumstances = Pick<Service, 'dialect' | 'store' | 'calculations' | 'longestQuery'> & {
  /** The sandbox's clock, read once for the whole request. */
  readonly now: Moment;
  readonly key: SandboxKey;
  /** The address that was asked for, absolute. */
  readonly address: URL;
  /** The service's own output format. */
  readonly format: 'csv' | 'json';
  /** The body as it came, for the fields that no row lists. */
  readonly body: JsonObject;
};

/** One request that was understood, as its handler gets it. */
export type Call<Row extends Endpoint> = Circumstances & { readonly input: InputOf<Row> };

/** What a handler answers. Without a body the answer is empty. */
export type Reply<Row extends Endpoint> = { readonly status: number; readonly body?: AnswerOf<Row> };

/** An answer that takes its time: `later` is waited for while other requests are answered. It must not write. */
export type LaterReply<Body> = {
  readonly later: () => Promise<{ readonly status: number; readonly body?: Body }>;
};

export type Handler<Row extends Endpoint> = (
  call: Call<Row>,
) => Promise<Reply<Row> | LaterReply<AnswerOf<Row>>>;

/** A handler of whatever row. */
export type AnyHandler = Handler<Endpoint>;

/** Handlers of the rows of a table, by their names there; that none lacks is checked where they become routes. */
export type Handlers<Rows extends Record<string, Endpoint>> = {
  readonly [Name in keyof Rows]?: Handler<Rows[Name]>;
};

/** A personal API key of the sandbox; `*` stands for every scope. */
export type SandboxKey = {
  readonly key: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly isExpired?: boolean | undefined;
};

/** Finds the key of an `Authorization` header. Throws a `Refusal` 401, or 403 if the live service gives that. */
export function findKey(header: string | undefined, row: Endpoint, { keys, dialect }: Service): SandboxKey {
  // Views of the live service that also take sharing tokens answer 403 instead of 401.
  const isShared = /^\/(insights|query)\//.test(row.path);
  const status = dialect === 'live' && isShared ? 403 : 401;
  const refuse = (code: string, detail: string) =>
    new Refusal(status, detail, { type: 'authentication_error', code });
  const [, given] = /^Bearer\s+(\S+)\s*$/i.exec(header ?? '') ?? [];
  if (given === undefined) {
    throw refuse('not_authenticated', 'Authentication credentials were not provided.');
  }
  const key = keys.find((candidate) => candidate.key === given);
  if (key?.isExpired) throw refuse('authentication_failed', 'Personal API key has expired.');
  if (key !== undefined) return key;
  const detail = 'Personal API key found in request Authorization header is invalid.';
  throw refuse('authentication_failed', detail);
}

/** Checks that a key may run a row. Throws a `Refusal` 403 or 404. */
export function checkAccess(key: SandboxKey, row: Endpoint, dialect: Dialect): void {
  if (dialect === 'live' && row.keyAccess === 'removed') throw notFound('Endpoint not found.');
  if (dialect === 'live' && row.keyAccess === 'refused') {
    throw forbidden('This action does not support personal API key access');
  }
  const scopes = (dialect === 'live' ? row.live?.scopes : undefined) ?? row.scopes;
  const missing = scopes.find((scope) => !holds(key.scopes, scope));
  if (missing !== undefined) throw forbidden(`API key missing required scope '${missing}'`);
}

function holds(scopes: readonly string[], wanted: string): boolean {
  const writing = wanted.replace(/:read$/, ':write');
  return scopes.includes('*') || scopes.includes(wanted) || scopes.includes(writing);
}

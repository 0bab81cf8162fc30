import type { Dialect, Endpoint } from '../api/endpoint.ts';
import { formOf } from '../api/form.ts';

export type Route<Handler> = {
  readonly row: Endpoint;
  readonly handler: Handler;
  readonly segments: readonly string[];
};

export type Match<Handler> = {
  readonly route: Route<Handler>;
  readonly path: ReadonlyMap<string, string>;
};

const PROJECT = '/api/projects/:project_id';

/** Routes of the rows of a table that one dialect has, from their paths. */
export function buildRoutes<Handler>(
  rows: Readonly<Record<string, Endpoint>>,
  handlers: Readonly<Record<string, Handler>>,
  dialect: Dialect,
): readonly Route<Handler>[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const handler = handlers[name];
    if (handler === undefined || (row.only !== undefined && row.only !== dialect && row.only !== 'sandbox')) {
      return [];
    }
    const { path } = formOf(row, dialect);
    return [{ row, handler, segments: split(row.under === 'project' ? PROJECT + path : path) }];
  });
}

/** Finds the route of a request; the methods are those that its path knows, when none of them fits. */
export function findRoute<Handler>(
  routes: readonly Route<Handler>[],
  method: string,
  pathname: string,
): Match<Handler> | { readonly methods: readonly string[] } {
  const segments = split(pathname).map(decode);
  const matches = routes
    .map((route) => ({ route, path: matchSegments(route.segments, segments) }))
    .filter((match): match is Match<Handler> => match.path !== undefined)
    .sort((one, other) => one.path.size - other.path.size);
  const best = matches[0]?.path.size;
  // Where a static segment fits, `:id` does not count, so that no id can reach another route.
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

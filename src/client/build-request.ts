import { usageError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { writeJson } from '../json/write.ts';
import { type Dialect, type Endpoint, formOf, type PlacedParameter } from '../service/endpoint.ts';
import { encodePathValue, encodeText } from './encode-path-value.ts';
import type { Base } from './parse-base.ts';

/** What goes over the wire. `target` is path and query, the base's own path included. */
export type WireRequest = {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
  /** The body as a value, for showing it. */
  readonly value: Json | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What may be sent again. */
  readonly effect: Endpoint['effect'];
};

/** Values by parameter name, as `InputOf` types them for each row. */
export type Values = { readonly [name: string]: Json | undefined };

export type Addressing = {
  readonly base: Base;
  readonly projectId: string | undefined;
  readonly dialect: Dialect;
};

export type Additions = {
  /** The whole body, in place of the one made from the input. */
  readonly body?: Json | undefined;
  /** Further query parameters, such as the service's own `format`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
};

/** A row and its input as a request. Throws a usage error for ids that cannot stand in a path. */
export function buildRequest(
  row: Endpoint,
  values: Values,
  { addressing, additions }: { readonly addressing: Addressing; readonly additions: Additions },
): WireRequest {
  const form = formOf(row, addressing.dialect);
  const given = form.parameters.flatMap((placed) => {
    const value = wireValue(placed, values[placed.parameter.name]);
    return value === undefined ? [] : [{ placed, value }];
  });
  const path = fillPath(form.path, given);
  const root = row.under === 'project' ? projectPath(addressing) : addressing.base.prefix;
  const query = [
    ...queryParts(given),
    ...Object.entries(additions.query ?? {}).map(([name, value]) => pair(name, value)),
  ].join('&');
  const value = additions.body ?? bodyOf(row, given);
  return {
    method: row.method,
    target: `${root}${path}${query === '' ? '' : `?${query}`}`,
    body: value === undefined ? undefined : writeJson(value),
    value,
    headers: {},
    effect: row.effect,
  };
}

/** `/prefix/api/projects/<id>`, without a slash at the end. */
export function projectPath({ base, projectId }: Addressing): string {
  if (projectId === undefined) {
    throw usageError('no project was named', 'name one with --project or HOGCTL_PROJECT');
  }
  return `${base.prefix}/api/projects/${encodePathValue('project id', projectId).replaceAll('%40', '@')}`;
}

type Given = { readonly placed: PlacedParameter; readonly value: Json };

/** Flags are sent as true or not at all: the live service counts presence. */
function wireValue({ parameter, form }: PlacedParameter, value: Json | undefined): Json | undefined {
  if (value === undefined || (parameter.type === 'flag' && value === false)) return undefined;
  if (form === 'json-text') return writeJson(value);
  if (form === 'list') return [value];
  return value;
}

function fillPath(path: string, given: readonly Given[]): string {
  return path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const found = given.find(({ placed }) => placed.name === name && placed.places.includes('path'));
    if (found === undefined) throw usageError(`${name} is missing`, `The address ${path} needs it`);
    return encodePathValue(name, textOf(found.value));
  });
}

/** Parameters that are read from query or body go into both, unless one of them is too long for an address. */
function queryParts(given: readonly Given[]): readonly string[] {
  const parts = given
    .filter(({ placed }) => placed.places.includes('query'))
    .map(({ placed, value }) => ({ placed, text: queryText(placed, value) }));
  const copied = parts.filter(({ placed }) => placed.places.includes('body'));
  const long = copied.some(
    ({ placed, text }) => text.length > (placed.parameter.queryLimit ?? Number.POSITIVE_INFINITY),
  );
  return parts
    .filter((part) => !(long && copied.includes(part)))
    .map(({ placed, text }) => pair(placed.name, text));
}

function queryText({ parameter, form }: PlacedParameter, value: Json): string {
  return parameter.type === 'json' && form !== 'json-text' ? writeJson(value) : textOf(value);
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** One `name=value` of a query, both percent-encoded. */
export function pair(name: string, value: string): string {
  return `${encodeText('parameter name', name)}=${encodeText(name, value)}`;
}

function bodyOf(row: Endpoint, given: readonly Given[]): JsonObject | undefined {
  const fields = given.filter(({ placed }) => placed.places.includes('body'));
  if (fields.length === 0 && (row.method === 'GET' || row.method === 'DELETE')) return undefined;
  return Object.fromEntries(fields.map(({ placed, value }) => [placed.name, numbered(placed, value)]));
}

/** The live form of I10 lists insight ids in the body, where the service wants numbers; in a path they are text. */
function numbered({ parameter, form }: PlacedParameter, value: Json): Json {
  if (parameter.type !== 'insight-id' || form !== 'list' || !Array.isArray(value)) return value;
  return value.map((item: Json) =>
    typeof item === 'string' && /^\d{1,15}$/.test(item) ? Number(item) : item,
  );
}

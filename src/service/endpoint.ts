import { CliError } from '../errors.ts';
import { asObject, isExactNumber, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import type { Responses } from './schemas.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Which of the two documented forms of a request goes out; see docs/service.md. */
export type Dialect = 'specification' | 'live';

export type Place = 'path' | 'query' | 'body';

export type Scope =
  | 'person:read'
  | 'person:write'
  | 'activity_log:read'
  | 'cohort:read'
  | 'insight:read'
  | 'insight:write'
  | 'insight_variable:read'
  | 'action:read'
  | 'event_definition:read'
  | 'property_definition:read'
  | 'sharing_configuration:read'
  | 'access_control:read'
  | 'query:read'
  | 'project:read'
  | 'user:read';

/** The values of a parameter by its type. `flag` is sent as true or not at all, since the live service counts presence. */
export type ParameterValues = {
  text: string;
  texts: readonly string[];
  integer: number;
  integers: readonly number[];
  boolean: boolean;
  flag: boolean;
  json: Json;
  object: JsonObject;
  date: string;
  'person-id': string;
  'insight-id': string;
};

/**
 * One parameter of an operation. Without `in` it stands in the path if the path names it, else in the query of
 * GET and DELETE and in the body of POST and PATCH. In a query, lists and JSON values are written as one JSON text.
 */
export type Parameter = {
  /** As the service spells it. */
  readonly name: string;
  readonly type: keyof ParameterValues;
  readonly description: string;
  readonly required?: true;
  readonly in?: readonly Place[];
  /** `json-text`: a JSON value that travels in the body as a string holding JSON. */
  readonly form?: 'json-text';
  /** Where the live service reads it differently. `list` wraps the one value in a list. */
  readonly live?: {
    readonly in?: readonly Place[];
    readonly name?: string;
    readonly form?: 'list' | 'value';
  };
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The copy in the query is left out when it would be longer than this many characters. */
  readonly queryLimit?: number;
  /** Only the live service documents it. */
  readonly beyond?: true;
  /** What to use instead. */
  readonly deprecated?: string;
};

/** The query that does an operation's job where the live service refuses the operation to personal API keys. */
export type Replacement = {
  /** Kind of the query node, or the row of the platform table that is called instead. */
  readonly query?: string;
  readonly source?: string;
  readonly endpoint?: string;
  /** How the answer is not quite the same; shown on stderr. */
  readonly differs?: string;
};

/** One operation of the service, written once. Client, options, help, scopes, sandbox, docs and tests read it. */
export type Endpoint = {
  /** Id in the specification (P1…I17), or a word for the platform rows around them. */
  readonly id: string;
  readonly summary: string;
  readonly method: Method;
  /** `service` paths are relative to the host's base address, all others to `/api/projects/:project_id`. */
  readonly under?: 'service';
  readonly path: `/${string}`;
  /** Scopes of the specification; empty if it shows none. */
  readonly scopes: readonly Scope[];
  readonly parameters: readonly Parameter[];
  readonly response: keyof Responses;
  readonly effect: 'read' | 'write' | 'destroy';
  /** A 2xx without a body is an answer. */
  readonly emptyBody?: 'allowed';
  /** What the live service does instead of accepting a personal API key. */
  readonly keyAccess?: 'refused' | 'removed';
  /** `offset`: limit and offset; `page`: limit and a page number from 1. Both follow `next`. */
  readonly paging?: 'offset' | 'page';
  readonly live?: {
    readonly path?: string;
    readonly scopes?: readonly Scope[];
    /** Clauses of SQL that it refuses with a personal API key. */
    readonly refuses?: readonly 'OFFSET'[];
  };
  readonly replacement?: Replacement;
  /** Only one of the two services has it. */
  readonly only?: Dialect | 'sandbox';
  readonly advice?: string;
};

type ValueOf<P extends Parameter> = P['choices'] extends readonly (infer Choice)[]
  ? Choice
  : ParameterValues[P['type']];
type Required<P extends Parameter> = P extends { required: true } ? P['name'] : never;
type Optional<P extends Parameter> = P extends { required: true } ? never : P['name'];

/** The values an operation takes, by parameter name as the service spells it. */
export type InputOf<E extends Endpoint> = {
  readonly [Name in Required<E['parameters'][number]>]: ValueOf<
    Extract<E['parameters'][number], { name: Name }>
  >;
} & {
  readonly [Name in Optional<E['parameters'][number]>]?:
    | ValueOf<Extract<E['parameters'][number], { name: Name }>>
    | undefined;
};

/** What an operation answers. */
export type AnswerOf<E extends Endpoint> = Responses[E['response']];

/** The place of each parameter of a row in one dialect. */
export type Form = { readonly path: string; readonly parameters: readonly PlacedParameter[] };
export type PlacedParameter = {
  readonly parameter: Parameter;
  readonly name: string;
  readonly places: readonly Place[];
  readonly form: 'value' | 'list' | 'json-text';
};

/** The largest page that the service is asked for; beyond it the live service loses `next` (docs/service.md). */
export const LARGEST_PAGE = 1000;

/** Where each parameter of a row travels in one dialect, under which name and in which shape. Pure, throws nothing. */
export function formOf(row: Endpoint, dialect: Dialect): Form {
  const path = dialect === 'live' ? (row.live?.path ?? row.path) : row.path;
  const named = new Set(path.split('/').filter((segment) => segment.startsWith(':')));
  const rest: Place = row.method === 'GET' || row.method === 'DELETE' ? 'query' : 'body';
  return {
    path,
    parameters: row.parameters.map((parameter) => place({ parameter, dialect, named, rest })),
  };
}

type Placing = {
  readonly parameter: Parameter;
  readonly dialect: Dialect;
  readonly named: ReadonlySet<string>;
  readonly rest: Place;
};

function place({ parameter, dialect, named, rest }: Placing): PlacedParameter {
  const live = dialect === 'live' ? parameter.live : undefined;
  const name = live?.name ?? parameter.name;
  const usual: Place = named.has(`:${name}`) ? 'path' : rest;
  return {
    parameter,
    name,
    places: live?.in ?? parameter.in ?? [usual],
    form: live?.form ?? parameter.form ?? 'value',
  };
}

/** An id with the digits that the service sent. */
export function idText(id: Json | undefined): string {
  return isExactNumber(id) ? id.value : String(id);
}

/** What a row is known by: its uuid if that is text, else its id. */
export function identityOf(row: Json): Json | undefined {
  const { uuid, id } = asObject(row) ?? {};
  return typeof uuid === 'string' ? uuid : id;
}

/** The same as text; undefined for a row that has neither. */
export function rowName(row: Json): string | undefined {
  const identity = identityOf(row);
  if (isExactNumber(identity)) return identity.value;
  return typeof identity === 'string' || typeof identity === 'number' ? String(identity) : undefined;
}

/** The rows of a page as what the list documents. Throws `unavailable` for a row that is no object at all. */
export function objectRows<Row extends JsonObject>(page: { readonly rows: readonly Json[] }): readonly Row[] {
  const { rows } = page;
  if (!rows.every(isObject)) {
    throw new CliError(
      'unavailable',
      'the service answered with a list whose rows are not what it documents',
      {
        hint: 'check the base URL of the service',
      },
    );
  }
  // The client keeps rows as plain JSON; which objects a list holds is the list's to say.
  return rows as readonly Row[];
}

export function isInteger(id: string): boolean {
  return /^[1-9]\d{0,18}$/.test(id);
}

export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

/** The id of a person to act upon, as the service named it. Throws `refused` if that is neither an integer nor a UUID. */
export function actOn(id: Json | undefined): string {
  const text = idText(id);
  if (isUuid(text) || isInteger(text)) return text;
  throw new CliError('refused', 'the service answered with a person who has no integer or UUID as id', {
    hint: 'check the host',
  });
}

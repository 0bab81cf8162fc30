import type { Json, JsonObject } from '../json/kinds.ts';

/** A person. List rows of the live service carry the uuid as `id`, single answers the integer. */
export type Person = JsonObject & {
  readonly id: Json;
  readonly uuid?: string;
  readonly name?: string;
  readonly distinct_ids?: readonly string[];
  readonly properties?: JsonObject | null;
  readonly created_at?: string | null;
};

/** `count` may be missing or null: the end of a list is decided only by `next`. */
export type PageOf<Row> = {
  readonly count?: number | null;
  readonly next?: string | null;
  readonly previous?: string | null;
  readonly results: readonly Row[];
};

export type ActivityEntry = JsonObject;
export type Cohort = JsonObject & {
  readonly id: Json;
  readonly name?: string | null;
  readonly deleted?: boolean;
  readonly is_static?: boolean;
  readonly is_calculating?: boolean;
  readonly last_calculation?: string | null;
  /** How many calculations failed since the last one that did not. */
  readonly errors_calculating?: number;
};

export type BulkDeleteSummary = {
  readonly persons_found?: number;
  readonly persons_deleted?: number;
  readonly persons_queued_for_deletion?: number;
  readonly events_queued_for_deletion?: boolean;
  readonly recordings_queued_for_deletion?: boolean;
  readonly deletion_errors?: readonly { readonly person_uuid?: string; readonly step?: string }[];
};

export type Insight = JsonObject & {
  readonly id: Json;
  readonly short_id?: string;
  readonly name?: string | null;
  readonly saved?: boolean;
  readonly deleted?: boolean;
  readonly tags?: readonly string[];
  readonly query?: Json;
  readonly filters?: Json;
  readonly result?: Json;
  readonly last_refresh?: string | null;
  readonly is_cached?: boolean | null;
  readonly query_status?: QueryStatus | null;
};

export type QueryStatus = JsonObject & {
  readonly id?: string;
  readonly complete?: boolean;
  readonly error?: boolean;
  readonly error_message?: string | null;
  readonly query_progress?: QueryProgress | null;
};

/** How far the database is, if the service knows. */
type QueryProgress = JsonObject & { readonly rows_read?: number; readonly estimated_rows_total?: number };

export type Sharing = JsonObject & { readonly enabled?: boolean; readonly access_token?: string | null };

export type Project = JsonObject & { readonly id: Json; readonly name?: string };

/** A key's answer about itself. `scopes` is `["*"]` for an unrestricted one. */
export type PersonalApiKey = {
  readonly label?: string;
  readonly scopes?: readonly string[];
  readonly scoped_teams?: readonly number[] | null;
  readonly scoped_organizations?: readonly string[] | null;
};

export type QueryAnswer = JsonObject & {
  readonly results?: Json;
  readonly columns?: readonly string[] | null;
  readonly types?: Json;
  readonly hasMore?: boolean | null;
  readonly query_status?: QueryStatus | null;
};

export type DeletionStatus = JsonObject & {
  readonly person_uuid?: string;
  readonly status?: string;
  readonly created_at?: string;
  readonly delete_verified_at?: string | null;
};

/** Each answer by the name that rows use. */
export type Responses = {
  readonly nothing: undefined;
  readonly anything: Json;
  readonly success: { readonly success?: boolean } | undefined;
  readonly person: Person;
  readonly 'person or nothing': Person | undefined;
  readonly 'page of persons': PageOf<Person>;
  readonly 'page of activity': PageOf<ActivityEntry> & { readonly total_count?: number };
  readonly 'page of actors': PageOf<JsonObject>;
  readonly cohort: Cohort;
  readonly 'page of cohorts': PageOf<Cohort>;
  readonly cohorts: { readonly results: readonly Cohort[] };
  readonly 'bulk delete summary': BulkDeleteSummary | undefined;
  readonly timeline: JsonObject;
  readonly 'deletion statuses': PageOf<DeletionStatus>;
  readonly 'persons by id': { readonly results: { readonly [id: string]: Person } };
  readonly insight: Insight;
  readonly 'page of insights': PageOf<Insight>;
  readonly 'insights, bare or paged': readonly Insight[] | PageOf<Insight>;
  readonly sharing: Sharing;
  readonly 'access controls': JsonObject;
  readonly 'funnel result': JsonObject;
  readonly query: QueryAnswer;
  readonly 'query status': { readonly query_status: QueryStatus };
  readonly 'page of objects': PageOf<JsonObject>;
  readonly 'page of projects': PageOf<Project>;
  readonly project: Project;
  readonly 'personal api key': PersonalApiKey;
  readonly user: JsonObject;
};

/** What a value must be; null and absent fit everywhere but at the top and in `needs`. */
export type Shape =
  | 'text'
  | 'texts'
  /** A text or a number. */
  | 'id'
  | {
      readonly fields: { readonly [name: string]: Shape };
      /** Fields that must be there. */
      readonly needs?: readonly string[];
    }
  | { readonly listOf: Shape }
  | { readonly recordOf: Shape };

const person = {
  fields: { id: 'id', uuid: 'text', distinct_ids: 'texts', created_at: 'text' },
} as const satisfies Shape;

const queryStatus = { fields: { id: 'text', error_message: 'text' } } as const satisfies Shape;

const object = { fields: {} } as const satisfies Shape;

const page = {
  fields: { results: { listOf: object }, next: 'text' },
  needs: ['results'],
} as const satisfies Shape;

/**
 * What commands rely on in an answer, by its name in `Responses`: as little as possible, since services differ. An
 * answer without an entry may be anything.
 */
export const answerShapes: { readonly [Name in keyof Responses]?: Shape } = {
  person,
  'person or nothing': person,
  'page of persons': { fields: { results: { listOf: person }, next: 'text' }, needs: ['results'] },
  'page of activity': page,
  'page of actors': page,
  'page of insights': page,
  'page of projects': page,
  'page of objects': page,
  'page of cohorts': page,
  cohort: { fields: { id: 'id', last_calculation: 'text' }, needs: ['id'] },
  'deletion statuses': page,
  cohorts: { fields: { results: { listOf: object } }, needs: ['results'] },
  'bulk delete summary': { fields: { deletion_errors: { listOf: object } } },
  'persons by id': { fields: { results: { recordOf: person } }, needs: ['results'] },
  insight: {
    fields: { id: 'id', short_id: 'text', tags: 'texts', last_refresh: 'text', query_status: queryStatus },
  },
  query: { fields: { query_status: queryStatus } },
  'query status': { fields: { query_status: queryStatus }, needs: ['query_status'] },
  'personal api key': { fields: { label: 'text', scopes: 'texts' } },
};

import { idsOf, summary } from './bulk-deletions.ts';
import type { Received, Script, StubAnswer } from './stub-server.ts';
import { answerFrom } from './two-stores.ts';

/** A person of the service, and the cohorts it is in. */
export type Somebody = {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly distinct_ids: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly cohorts: readonly number[];
};

/** A condition as it arrives: a property filter, a cohort, or one of the list's own parameters. */
export type Condition = {
  readonly type: 'person' | 'cohort' | 'search' | 'email' | 'distinct_id';
  readonly key: string;
  readonly operator: string;
  readonly value: unknown;
};

export type Selecting = {
  readonly people: readonly Somebody[];
  /** Whom the service takes for somebody that a condition covers. */
  readonly selects: (somebody: Somebody, condition: Condition) => boolean;
  /** Whether the key may ask through SQL; cohorts are right there. */
  readonly sql?: boolean;
  /** Whether the service tells the total if it is asked. */
  readonly counts?: boolean;
  /** Whether persons/cohorts is about this project. */
  readonly ownCohorts?: boolean;
  /** What is answered about a cohort itself. */
  readonly cohort?: StubAnswer;
  readonly bulk?: (ids: readonly string[]) => StubAnswer;
};

/** What its clock says while it lists people. */
const LISTED = 'Mon, 02 Mar 2026 11:00:00 GMT';

/** A live service that selects people as it is told; who is deleted stands in its log. */
export function selectingService({
  people,
  selects,
  sql = true,
  counts = true,
  ownCohorts = true,
  bulk,
  cohort = { status: 404, json: { code: 'not_found', detail: 'Not found.' } },
}: Selecting): Script {
  const gone = new Set<string>();
  const there = () => people.filter(({ uuid }) => !gone.has(uuid));
  const list = (received: Received): StubAnswer => {
    const url = new URL(received.url, `http://${String(received.headers.host)}`);
    const conditions = conditionsIn(url.searchParams);
    const found = there().filter((one) => conditions.every((condition) => selects(one, condition)));
    const [offset, limit] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name) ?? 0));
    const end = (offset ?? 0) + (limit || 100);
    url.searchParams.set('offset', String(end));
    const total = counts && url.searchParams.has('include_total') ? { count: found.length } : {};
    const results = found.slice(offset, end).map(rowOf);
    const next = end < found.length ? url.href : null;
    return { headers: { date: LISTED }, json: { ...total, next, previous: null, results } };
  };
  const query = (received: Received): StubAnswer => {
    const { json, body } = received;
    if (!sql) return { status: 403, json: { code: 'permission_denied', detail: 'no query:read' } };
    if (!body.includes(' IN COHORT ')) return answerFrom({ listed: [], queried: there() })(received);
    // The program's own query, whose form a test of it holds.
    const { query: text, values } = (json as { query: { query: string; values: { ids: string[] } } }).query;
    const cohort = Number(/ IN COHORT (\d+) /.exec(text)?.[1]);
    const members = there().filter(
      ({ uuid, cohorts }) => values.ids.includes(uuid) && cohorts.includes(cohort),
    );
    return { json: { results: members.map(({ uuid }) => [uuid]), columns: ['id'] } };
  };
  const remove = (received: Received): StubAnswer => {
    const ids = idsOf(received);
    if (bulk !== undefined) return bulk(ids);
    const found = there().filter(({ id, uuid }) => ids.includes(uuid) || ids.includes(String(id)));
    for (const { uuid } of found) gone.add(uuid);
    return { status: 202, json: summary({ found: found.length, deleted: found.length }) };
  };
  const cohortsOf = ({ url }: Received) => {
    const id = new URL(url, 'http://127.0.0.1').searchParams.get('person_id');
    const cohorts = there().find(({ uuid }) => uuid === id)?.cohorts ?? [];
    return ownCohorts
      ? cohorts.map((cohort) => ({ id: cohort, name: `c${cohort}` }))
      : [{ id: 999, name: 'x' }];
  };
  return [
    (received) => {
      const path = new URL(received.url, 'http://127.0.0.1').pathname;
      if (path.endsWith('/persons/') && received.method === 'GET') return list(received);
      if (/\/cohorts\/\d+\/$/.test(path)) return cohort;
      if (path.endsWith('/query/')) return query(received);
      if (path.endsWith('/persons/cohorts/')) return { json: { results: cohortsOf(received) } };
      if (path.includes('/batch_by_')) return answerFrom({ listed: there().map(rowOf) })(received);
      if (path.endsWith('/bulk_delete/')) return remove(received);
      return { status: 599, body: path };
    },
  ];
}

function rowOf({ cohorts, ...row }: Somebody) {
  return row;
}

function conditionsIn(query: URLSearchParams): readonly Condition[] {
  const own = (['search', 'email', 'distinct_id'] as const).flatMap((type) => {
    const value = query.get(type);
    return value === null ? [] : [{ type, key: type, operator: 'exact', value }];
  });
  return [...own, ...JSON.parse(query.get('properties') ?? '[]')];
}

/** Whom the service was asked to delete, by its own log. */
export function deletedIn(log: readonly Received[]): readonly string[] {
  return log.filter(({ method, url }) => method === 'POST' && url.includes('/bulk_delete/')).flatMap(idsOf);
}

export function somebody(id: number, fields: Partial<Somebody> = {}): Somebody {
  return {
    id,
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    name: `user${id}@example.org`,
    distinct_ids: [`d${id}`],
    properties: { email: `user${id}@example.org` },
    created_at: '2026-01-02T03:04:05Z',
    cohorts: [],
    ...fields,
  };
}

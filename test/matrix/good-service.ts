import type { Endpoint } from '../../src/service/endpoint.ts';
import { insights } from '../../src/service/insights.ts';
import { persons } from '../../src/service/persons.ts';
import { platform } from '../../src/service/platform.ts';
import { person } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import type { Effect } from './invocations.ts';

const PAGES = 3;
const QUERY = '0192f0c1-7a30-7000-8000-000000000009';

/** What one command meets on a service where everything goes well: lists of three pages, queries asked for twice. */
export function startGoodService(): (received: Received) => StubAnswer {
  let polls = 0;
  return (received) => {
    const { method, json } = received;
    const url = new URL(received.url, `http://${String(received.headers.host)}`);
    const path = url.pathname;
    if (path.endsWith('/bulk_delete/')) return { status: 202, json: summaryOf(json) };
    if (method === 'DELETE') return { status: 204 };
    if (path.endsWith('/query/')) return { json: queryAnswer(json) };
    if (path.includes('/query/')) {
      polls += 1;
      return { json: { query_status: statusOf(polls > 1) } };
    }
    if (path.endsWith('/batch_by_uuids/') || path.endsWith('/batch_by_distinct_ids/'))
      return { json: { results: lookedUp(json) } };
    if (method === 'GET' && isList(path)) return { json: pageOf(url) };
    return { json: thing(path, { running: url.searchParams.get('refresh') === 'async' }) };
  };
}

/** The effect of a request, and whether it may be answered without a body, by the row that it belongs to. */
export function natureOf({ method, url }: Pick<Received, 'method' | 'url'>): Nature {
  const path = url.replace(/\?.*/s, '');
  const row = rows.find(({ row, pattern }) => row.method === method && pattern.test(path))?.row;
  if (row === undefined) return { effect: method === 'GET' ? 'read' : 'write', takesNothing: false };
  const takesNothing = row.effect !== 'read' && row.emptyBody === 'allowed';
  return { effect: row === persons.bulkDelete ? 'run' : row.effect, takesNothing };
}

export type Nature = { readonly effect: Effect; readonly takesNothing: boolean };

const rows = [persons, insights, platform]
  .flatMap((table): readonly Endpoint[] => Object.values(table))
  .flatMap((row) => [row.path, row.live?.path ?? row.path].map((path) => ({ row, pattern: patternOf(path) })))
  .sort((left, right) => wildness(left.row) - wildness(right.row));

/** Rows whose path names nothing come first, since `:id` takes any word. */
function wildness({ path }: Endpoint): number {
  return path.split(':').length;
}

function patternOf(path: string): RegExp {
  return new RegExp(`${path.replaceAll('@', '\\@').replace(/:[a-z_]+/g, '[^/]+')}$`);
}

function isList(path: string): boolean {
  return /\/(persons|insights|projects|activity|cohorts|lifecycle|stickiness|trends|deletion_status)\/$/.test(
    path,
  );
}

/** A row that is a person, an insight, an activity and a project at once. */
function rowOf(number: number) {
  return {
    ...person(number),
    properties: { email: `user_${number}@example.org`, plan: 'a' },
    person_uuid: person(number).uuid,
    status: 'completed',
    short_id: `short${number}`,
    name: `row ${number}`,
    activity: 'updated',
    query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } },
  };
}

function pageOf(url: URL) {
  const wanted = url.searchParams.get('distinct_id') ?? url.searchParams.get('email');
  if (wanted !== null || url.searchParams.has('short_id'))
    return { next: null, previous: null, results: [rowOf(Number(/\d+/.exec(wanted ?? '')?.[0] ?? 42))] };
  const number = Number(url.searchParams.get('cursor') ?? 1);
  url.searchParams.set('cursor', String(number + 1));
  return {
    next: number < PAGES ? url.href : null,
    previous: null,
    results: [rowOf(number * 2 - 1), rowOf(number * 2)],
  };
}

function idsOf(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return [];
  return ['ids', 'distinct_ids', 'uuids', 'person_uuids'].flatMap((name) => {
    const list: unknown = Reflect.get(json, name);
    return Array.isArray(list) ? list.map(String) : [];
  });
}

function summaryOf(json: unknown) {
  const { length } = idsOf(json);
  return {
    persons_found: length,
    persons_deleted: length,
    persons_queued_for_deletion: 0,
    events_queued_for_deletion: Reflect.get(Object(json), 'delete_events') === true,
    recordings_queued_for_deletion: false,
    deletion_errors: [],
  };
}

function lookedUp(json: unknown) {
  return Object.fromEntries(
    idsOf(json).map((id) => {
      const number = Number(/\d+$/.exec(id)?.[0] ?? 1);
      return [id, person(number)];
    }),
  );
}

/** What SQL says of persons by UUID or distinct id; nothing for other questions. */
function storeAnswer(text: string, json: unknown) {
  const { values = {} } = Object(Reflect.get(Object(json), 'query'));
  const ids: readonly string[] = [values.uuids ?? [], values.distinct_ids ?? []].flat();
  const rows = ids.map((id) => person(Number(/\d+$/.exec(id)?.[0] ?? 1)));
  if (text.includes('max(timestamp)')) return { columns: [], results: [] };
  if (text.includes('FROM events')) return { columns: [], results: [[0, 0]] };
  if (text.includes('min(id)')) return { columns: [], results: [[person(999).uuid, 1]] };
  if (text.includes('FROM person_distinct_ids WHERE distinct_id'))
    return { columns: [], results: rows.map((one, at) => [ids[at], one.uuid]) };
  if (text.includes('groupArray'))
    return { columns: [], results: rows.map((one) => [one.uuid, one.distinct_ids]) };
  if (text.includes('FROM persons WHERE toString(id) IN'))
    return { columns: [], results: rows.map((one) => [one.uuid, '2026-01-02 03:04:05']) };
  return undefined;
}

function queryAnswer(json: unknown) {
  const text = JSON.stringify(json);
  const stored = storeAnswer(text, json);
  if (stored !== undefined) return stored;
  if (/async/.test(text)) return { query_status: statusOf(false), results: null };
  if (text.includes('ActorsQuery')) return { columns: ['actor'], results: [[person(1)]], hasMore: false };
  // There is one person, so nothing comes after anybody.
  if (/"(after|from)":/.test(text) && text.includes('> {')) return { columns: ['id'], results: [] };
  return {
    columns: ['id', 'properties', 'created_at'],
    results: [[person(1).uuid, '{}', '2026-01-02T03:04:05Z']],
  };
}

function statusOf(complete: boolean) {
  return {
    id: QUERY,
    complete,
    error: false,
    error_message: null,
    results: complete ? { columns: ['n'], results: [[1]] } : null,
  };
}

/** One thing by its id; an insight with the calculation that was asked for. */
function thing(path: string, { running }: { readonly running: boolean }) {
  const [, integer, uuid] = /\/(?:(\d+)|[\da-f-]{24}(\d{12}))\/(?:[a-z_]+\/)?$/.exec(path) ?? [];
  const number = Number(integer ?? uuid ?? 42);
  return {
    ...rowOf(number),
    ...(path.includes('/insights/')
      ? {
          result: running ? null : [{ label: 'a', data: [1, 2], days: ['2026-01-01', '2026-01-02'] }],
          last_refresh: running ? null : '2026-03-02T11:00:00Z',
          query_status: statusOf(!running),
        }
      : {}),
    scopes: ['*'],
    label: 'job',
    points: [],
    results: [],
  };
}

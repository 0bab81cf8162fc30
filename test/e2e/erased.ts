import { summary, uuid } from '../support/bulk-deletions.ts';
import type { Received } from '../support/stub-server.ts';
import { person, startService } from './service.ts';

export const OLD = '2026-01-02T03:04:05Z';
const DELETED = 'Mon, 02 Mar 2026 12:00:00 GMT';
export const LATER = '2026-03-05T09:00:00Z';
const ASKED = 'Fri, 06 Mar 2026 12:00:00 GMT';

type Shown = {
  /** Who the person list still knows by the distinct id user_1. */
  readonly listed?: { readonly uuid: string; readonly created: string };
  /** Who SQL knows by it. */
  readonly inSql?: { readonly uuid: string; readonly created: string };
  /** Events up to the deletion, and later ones. */
  readonly events?: readonly [number, number];
  readonly answer?: object;
  /** What the service's clock says when it answers the deletion; `DELETED` unless said otherwise. */
  readonly date?: string;
  /** Rows in place of the two counts of events. */
  readonly counts?: readonly unknown[][];
};

export const isById = (url: string) => url.includes(`persons/${uuid(1)}`);

/** A service of the specification that knew person 1 while the deletion was planned. */
export async function erased(shown: Shown, flags = '') {
  const now: { shown: Shown | undefined } = { shown: undefined };
  const sql = ({ json }: Received): readonly unknown[][] => {
    const { query, values } = (json as { query: { query: string; values: Record<string, unknown> } }).query;
    const { inSql, events = [0, 0] } = now.shown ?? { inSql: { uuid: uuid(1), created: OLD } };
    if (query.startsWith('SELECT 1')) return [[1]];
    if (query.includes('groupArray')) return [[uuid(1), ['user_1', 'anonymous_1']]];
    if (query.includes('FROM person_distinct_ids')) return inSql ? [['user_1', inSql.uuid]] : [];
    if (query.includes('FROM persons')) {
      const asked = values.uuids as readonly string[];
      return inSql && asked.includes(inSql.uuid) ? [[inSql.uuid, inSql.created]] : [];
    }
    if (query.includes('countIf')) return now.shown?.counts ?? [[...events]];
    if (query.includes('max(timestamp)'))
      return [['anonymous_1', inSql?.uuid ?? now.shown?.listed?.uuid, LATER]];
    throw new Error(`nobody expected ${query}`);
  };
  const service = await startService([
    (received) => {
      const headers = { date: now.shown === undefined ? DELETED : ASKED };
      if (received.url.endsWith('/query/')) return { headers, json: { results: sql(received) } };
      if (received.method === 'POST') {
        const one = summary({ found: 1, deleted: 1, events: flags.includes('events') });
        return { status: 202, headers: { date: shown.date ?? DELETED }, json: { ...one, ...shown.answer } };
      }
      const listed = now.shown === undefined ? { uuid: uuid(1), created: OLD } : now.shown.listed;
      const more = {
        uuid: listed?.uuid,
        created_at: listed?.created,
        distinct_ids: ['user_1', 'anonymous_1'],
      };
      const results = listed ? [{ ...person(1), ...more }] : [];
      if (isById(received.url)) return { status: 404, headers, json: { code: 'not_found' } };
      return { headers, json: { next: null, results } };
    },
  ]);
  const end = await service.hogctl(`persons bulk-delete --distinct-ids user_1 --yes ${flags}`);
  now.shown = shown;
  return {
    end,
    service,
    /** Whether the person is there as before. */
    bringBack: (is: boolean) => {
      now.shown = is ? undefined : shown;
    },
    verify: async () => {
      const { code, stdout, stderr } = await service.hogctl('runs verify last -o json');
      return { code, stderr, record: JSON.parse(stdout) };
    },
    report: async () => JSON.parse((await service.hogctl('runs report last -o json')).stdout),
  };
}

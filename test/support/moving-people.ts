import { idsOf, summary } from './bulk-deletions.ts';
import { person, startService, startWithoutSql } from './service.ts';
import type { Received } from './stub-server.ts';

export type Someone = { readonly uuid: string; readonly created: string; readonly ids: readonly string[] };

/** Somebody else, who is always there. */
const bystander: Someone = {
  uuid: '00000000-0000-4000-8000-000000999999',
  created: '2025-01-01T00:00:00Z',
  ids: ['somebody-else'],
};

/** Of whom the events are to go, since when (ISO), and whether that is done. */
type StatusRow = {
  readonly uuid: string;
  readonly created: string;
  readonly status: 'pending' | 'completed';
};

/** A live service of these people, who may be others later, without SQL or with one that shows nobody yet. */
export async function startOf(first: readonly Someone[], { hasSql = false } = {}) {
  const rows: StatusRow[] = [];
  const now: { people: readonly Someone[]; date: string } = { people: first, date: '2026-03-02T12:00:00Z' };
  const shown = (one: Someone | undefined) =>
    one && { ...person(1), id: one.uuid, uuid: one.uuid, distinct_ids: one.ids, created_at: one.created };
  const answer = (received: Received) => {
    const { distinct_ids: ids = [], uuids = [] } = (received.json ?? {}) as Record<string, readonly string[]>;
    if (received.url.includes('deletion_status')) {
      const results = rows.map(({ uuid, created, status }) => ({
        person_uuid: uuid,
        created_at: created,
        status,
      }));
      return { next: null, results };
    }
    if (/\/persons\/\?limit=10$/.test(received.url))
      return { next: null, results: [...now.people, bystander].map(shown) };
    const of = (id: string) =>
      [...now.people, bystander].find((one) => one.uuid === id || one.ids.includes(id));
    if (!received.url.includes('bulk_delete')) {
      const results = [...ids, ...uuids].flatMap((id) => (of(id) ? [[id, shown(of(id))] as const] : []));
      return { results: Object.fromEntries(results) };
    }
    const gone = now.people.filter(({ uuid, ids }) =>
      idsOf(received).some((id) => [uuid, ...ids].includes(id)),
    );
    now.people = now.people.filter((one) => !gone.includes(one));
    const { delete_events: events = false } = (received.json ?? {}) as { delete_events?: boolean };
    return summary({ found: gone.length, deleted: gone.length, events });
  };
  const clock = { minute: 0, failures: 0, refusals: 0, afterLookUp: () => {} };
  const service = await (hasSql ? startService : startWithoutSql)([
    (received) => {
      if (received.url.includes('/query/'))
        return { json: { results: received.body.includes('SELECT 1') ? [[1]] : [] } };
      if (received.url.includes('bulk_delete') && clock.failures-- > 0) return { status: 502 };
      if (received.url.includes('bulk_delete') && clock.refusals-- > 0) return { status: 403 };
      const answered = { json: answer(received), headers: { date: new Date(now.date).toUTCString() } };
      if (received.url.includes('batch_by')) clock.afterLookUp();
      return answered;
    },
  ]);
  const live = { HOGCTL_DIALECT: 'live' };
  const hogctl = (line: string, minute: number) => {
    clock.minute = minute;
    return service.hogctl(line, { environment: live, now: () => Date.UTC(2026, 2, 2, 12, clock.minute) });
  };
  const sent = () => service.log.filter(({ url }) => url.includes('bulk_delete')).flatMap(idsOf);
  return {
    hogctl,
    clock,
    people: () => now.people,
    sent,
    showStatus: (...some: readonly StatusRow[]) => void rows.push(...some),
    change: (people: readonly Someone[], date: string) => Object.assign(now, { people, date }),
  };
}

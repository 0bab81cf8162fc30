import { summary, uuid } from './bulk-deletions.ts';
import { startService } from './service.ts';
import type { Received, StubAnswer } from './stub-server.ts';
import { answerFrom, type Known, known } from './two-stores.ts';

export const OLD = '2026-01-02T03:04:05Z';
const DELETED = 'Mon, 02 Mar 2026 12:00:00 GMT';
export const LATER = '2026-03-05T09:00:00Z';
const ASKED = 'Fri, 06 Mar 2026 12:00:00 GMT';

type Someone = { readonly uuid: string; readonly created: string };

type Shown = {
  /** Who the person list knows by the distinct ids of person 1 after the deletion. */
  readonly listed?: Someone;
  /** Who SQL knows by them. */
  readonly inSql?: Someone;
  /** Whether they are there when the deletion is answered already, and not only days later. */
  readonly isAtOnce?: true;
  /** Whether the key may ask SQL; it may unless said otherwise. */
  readonly mayQuery?: false | 'until the deletion';
  /** Events up to the deletion, and later ones. */
  readonly events?: readonly [number, number];
  readonly answer?: object;
  /** What the deletion is answered with instead. */
  readonly refusal?: StubAnswer;
  /** What the service's clock says when it answers the deletion, and afterwards. */
  readonly date?: string;
  readonly asked?: string;
  /** What the clock says by which events arrive; the same as the service's unless said otherwise. */
  readonly arrival?: string;
  /** Rows in place of the two counts of events. */
  readonly counts?: readonly unknown[][];
};

const ids = ['user_1', 'anonymous_1'];
const planned: Someone = { uuid: uuid(1), created: OLD };
const bystander = known(999, undefined, { distinct_ids: ['somebody-else'] });

const toKnown = (one: Someone): Known =>
  known(1, undefined, { uuid: one.uuid, created_at: one.created, distinct_ids: ids });

const withBystander = (one: Someone | undefined) => [...(one ? [toKnown(one)] : []), bystander];

/** A service of the specification that knew person 1 while the deletion was planned. Somebody else is there, too. */
export async function erased(shown: Shown, flags = '') {
  const { date: answered = DELETED, asked = ASKED } = shown;
  let people: Pick<Shown, 'listed' | 'inSql'> = { listed: planned, inSql: planned };
  let date = DELETED;
  const eventsOf = (query: string): readonly unknown[][] => {
    if (query.includes('max(timestamp)'))
      return [['anonymous_1', people.inSql?.uuid ?? people.listed?.uuid, LATER]];
    const arrival = Date.parse(shown.arrival ?? date) / 1000;
    return (shown.counts ?? [shown.events ?? [0, 0]]).map((row) => [...row, arrival]);
  };
  const service = await startService([
    (received: Received) => {
      const headers = { date };
      if (received.method === 'POST' && !received.url.endsWith('/query/')) {
        if (shown.refusal) return shown.refusal;
        people = shown.isAtOnce || shown.mayQuery ? shown : {};
        const one = summary({ found: 1, deleted: 1, events: flags.includes('events') });
        return { status: 202, headers: { date: answered }, json: { ...one, ...shown.answer } };
      }
      const mayQuery = shown.mayQuery === undefined || (shown.mayQuery !== false && people !== shown);
      if (received.url.endsWith('/query/') && !mayQuery)
        return { status: 403, headers, json: { code: 'permission_denied', detail: 'no' } };
      const { query = {} } = (received.json ?? {}) as { readonly query?: { readonly query?: string } };
      if (query.query?.includes('FROM events'))
        return { headers, json: { results: eventsOf(query.query), columns: [] } };
      const { listed, inSql } = people;
      const answer = answerFrom({ listed: withBystander(listed), queried: withBystander(inSql) });
      return { headers, ...answer(received) };
    },
  ]);
  const end = await service.hogctl(`persons bulk-delete --distinct-ids user_1 --yes ${flags}`);
  people = shown;
  date = asked;
  return {
    end,
    service,
    /** Whether the person is there as before. */
    bringBack: (is: boolean) => {
      people = is ? { listed: planned, inSql: planned } : shown;
      date = is ? DELETED : asked;
    },
    verify: async () => {
      const { code, stdout, stderr } = await service.hogctl('runs verify last -o json');
      return { code, stderr, record: JSON.parse(stdout) };
    },
    report: async () => JSON.parse((await service.hogctl('runs report last -o json')).stdout),
  };
}

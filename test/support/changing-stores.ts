import { idsOf, summary } from './bulk-deletions.ts';
import { startService } from './service.ts';
import type { Received, StubAnswer } from './stub-server.ts';
import { answerFrom, type Known, known } from './two-stores.ts';

/** What a service shows and says now. Each of it may be another later. */
type Stores = {
  listed: readonly Known[];
  /** Nothing if the key may not query. */
  queried?: readonly Known[] | undefined;
  /** Whether its answers have a date, and which if it is not that of its clock. */
  hasDate: boolean;
  date?: string;
  /** What a look-up is answered with in place of the people. */
  lookUp?: ((received: Received) => StubAnswer | undefined) | undefined;
  /** How the next deletions are answered. Without one they are carried out, and told as they were. */
  answers: ((received: Received) => StubAnswer)[];
};

const START = Date.UTC(2026, 2, 2, 12);
const MINUTE = 60_000;

/** A time so many minutes after the first command, as the service writes it. */
export const minuteText = (minute: number) => new Date(START + minute * MINUTE).toISOString();

/** Somebody else, who is always there. */
const bystander = known(999_999, undefined, { distinct_ids: ['somebody-else'] });

export const isLookUpOfMany = ({ url }: Pick<Received, 'url'>) => url.includes('/batch_by_');

/** What a page in front of the service answers to everything that is about people: empty lists, and nobody. */
export function nothingShown(received: Received): StubAnswer | undefined {
  if (received.url.endsWith('/query/')) return undefined;
  if (isLookUpOfMany(received)) return { json: { results: {} } };
  const isList = /\/persons\/(?:\?|$)/.test(received.url);
  return isList ? { json: { next: null, results: [] } } : { status: 404, json: { code: 'not_found' } };
}

/** A service whose two stores, clock and answers a test changes between commands. */
export async function startStores(
  first: Partial<Stores> & Pick<Stores, 'listed'>,
  dialect: 'live' | 'specification' = 'live',
) {
  const stores: Stores = { hasDate: true, answers: [], ...first };
  const clock = { minute: 0 };
  const isDeletion = ({ url }: Received) => url.includes('/bulk_delete/');
  /** Carries a deletion out, and tells what was done. */
  const remove = (received: Received): StubAnswer => {
    const ids = idsOf(received);
    const stays = ({ id, uuid }: Known) => ![String(id), uuid].some((one) => ids.includes(one));
    const found = stores.listed.filter((one) => !stays(one)).length;
    stores.listed = stores.listed.filter(stays);
    stores.queried = stores.queried?.filter(stays);
    const { delete_events: events = false } = received.json as { readonly delete_events?: boolean };
    return { status: 202, json: summary({ found, deleted: found, events }) };
  };
  const lookUp = (received: Received): StubAnswer => {
    const { listed, queried } = stores;
    const withBystander = (people: readonly Known[]) => [...people, bystander];
    const sql = queried === undefined ? {} : { queried: withBystander(queried) };
    const asked = stores.lookUp?.(received);
    if (asked !== undefined) return asked;
    if (queried && received.body.includes('FROM events')) return { json: { results: [], columns: [] } };
    return answerFrom({ listed: withBystander(listed), ...sql })(received);
  };
  const service = await startService([
    (received) => {
      const answer = isDeletion(received) ? (stores.answers.shift() ?? remove)(received) : lookUp(received);
      const { hasDate, date = new Date(minuteText(clock.minute)).toUTCString() } = stores;
      return { ...answer, headers: { ...(hasDate ? { date } : {}), ...answer.headers } };
    },
  ]);
  /** So many minutes after the first command, by a clock here that is `ahead` of the service's. */
  const hogctl = (line: string, minute: number, ahead = 0) => {
    clock.minute = minute;
    const now = START + (minute + ahead) * MINUTE;
    return service.hogctl(line, { environment: { HOGCTL_DIALECT: dialect }, now: () => now });
  };
  return {
    stores,
    remove,
    hogctl,
    /** Whom each deletion named. */
    sent: () => service.log.filter(isDeletion).map(idsOf),
    owed: async (minute: number) =>
      JSON.parse((await hogctl('runs list -o json', minute)).stdout)[0].owed as string | null,
    verify: async (minute: number, ahead = 0) => {
      const { code, stdout, stderr } = await hogctl('runs verify last -o json', minute, ahead);
      return { code, stderr, record: stdout === '' ? undefined : JSON.parse(stdout) };
    },
  };
}

import { idsOf } from './bulk-deletions.ts';
import type { Received, Script, StubAnswer, StubStep } from './stub-server.ts';

/** Person `id`, whose uuid and distinct id end in that number. */
export function person(id: number) {
  return {
    id,
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    name: `person ${id}`,
    distinct_ids: [`user_${id}`],
    properties: { email: `user_${id}@example.org` },
    created_at: '2026-01-02T03:04:05Z',
  };
}

export const isQuery = ({ method, url }: Pick<Received, 'method' | 'url'>) =>
  method === 'POST' && url.endsWith('/query/');

type LookUps = {
  /** The look-ups are left out of it. */
  readonly log: Received[];
  /** Whether look-ups are answered now. */
  readonly isAsked?: () => boolean;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Steps that answer look-ups, by the list and by SQL. */
export function lookUpSteps(
  { show, query }: People,
  { log, isAsked = () => true, headers = {} }: LookUps,
): readonly StubStep[] {
  const step = (
    on: (received: Received) => boolean,
    answer: (received: Received) => StubAnswer,
  ): StubStep => ({
    on: (received) => isAsked() && on(received),
    times: Number.POSITIVE_INFINITY,
    answer: (received) => ({
      headers,
      ...answer(received),
      work: () => void log.splice(log.indexOf(received), 1),
    }),
  });
  const isOneId = ({ method, url }: Received) => method === 'GET' && /\/persons\/[^/?]+\/$/.test(url);
  const isList = ({ url }: Received) => /\/persons\/\?(?:distinct_id=[^&]*|limit=10)$/.test(url);
  const isMany = ({ url }: Received) => url.includes('/batch_by_');
  return [
    step((received) => isOneId(received) || isList(received) || isMany(received), show),
    step(isQuery, query),
  ];
}

/** People who are there until their deletion is answered as done, and somebody else. */
export type People = ReturnType<typeof createPeople>;

/** Somebody who is always there. */
export const bystander = { ...person(999_999), distinct_ids: ['somebody-else'] };

/** A person for each id that is looked up, with the number that the id ends with if it is free. */
export function createPeople(lookedUp = new Set<string>()) {
  const byId = new Map<string, ReturnType<typeof person>>();
  const byUuid = new Map<string, ReturnType<typeof person>>();
  const gone = new Set<string>();
  const there = (one: ReturnType<typeof person>) => (gone.has(one.uuid) ? undefined : one);
  const personOf = (id: string) => {
    if (id === 'somebody-else') return bystander;
    const ending = Number(/(?<!\d)[1-9]\d{0,5}$/.exec(id)?.[0] ?? 0);
    const isFree = ending > 0 && !byUuid.has(person(ending).uuid);
    const found = byId.get(id) ?? person(isFree ? ending : 1_000_000 + byId.size);
    const known = { ...found, distinct_ids: [id] };
    byId.set(id, known);
    byUuid.set(known.uuid, known);
    lookedUp.add(id);
    return there(known);
  };
  const personBy = (id: string) => {
    if (id === bystander.uuid) return bystander;
    const known = byUuid.get(id) ?? byUuid.get(person(Number(id) || 0).uuid);
    if (known !== undefined) return there(known);
    lookedUp.add(id);
    const { id: _, ...withoutNumber } = person(1);
    const own = [`of_${id}`];
    const one = /^\d+$/.test(id)
      ? person(Number(id))
      : { ...withoutNumber, id: undefined, uuid: id, distinct_ids: own };
    // Cast: a person without a number is one to the program.
    const created = one as ReturnType<typeof person>;
    byUuid.set(created.uuid, created);
    for (const distinctId of created.distinct_ids) byId.set(distinctId, created);
    return there(created);
  };
  const show = ({ url, json }: Pick<Received, 'url' | 'json'>): StubAnswer => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    if (pathname.includes('/batch_by_')) {
      const { distinct_ids: ids = [], uuids = [] } = json as Record<string, readonly string[]>;
      const found = [
        ...ids.map((id) => [id, personOf(id)] as const),
        ...uuids.map((id) => [id, personBy(id)] as const),
      ];
      return { json: { results: Object.fromEntries(found.filter(([, one]) => one !== undefined)) } };
    }
    const distinctId = searchParams.get('distinct_id');
    if (searchParams.get('limit') === '10') return { json: { next: null, results: [bystander] } };
    if (distinctId !== null) {
      const found = personOf(distinctId);
      return { json: { next: null, results: found === undefined ? [] : [found] } };
    }
    const found = personBy(/\/persons\/([^/]+)\/$/.exec(pathname)?.[1] ?? '');
    return found === undefined
      ? { status: 404, json: { code: 'not_found', detail: 'Not found.' } }
      : { json: found };
  };
  const query = ({ json }: Pick<Received, 'json'>): StubAnswer => {
    const { query: sql = '', values = {} } = (
      json as { query: { query?: string; values?: Record<string, readonly string[]> } }
    ).query;
    if (sql.includes('FROM events'))
      return { json: { results: sql.includes('max(timestamp)') ? [] : [[1, 0, 0]], columns: [] } };
    if (sql.includes('count()')) return { json: { results: [[bystander.uuid, 1]], columns: [] } };
    const people = (values.uuids ?? []).flatMap((uuid) => personBy(uuid) ?? []);
    const owners = values.distinct_ids?.flatMap((id) => {
      const found = personOf(id);
      return found === undefined ? [] : [[id, found.uuid]];
    });
    const ids = sql.includes('created_at')
      ? people.map((one) => [one.uuid, '2026-01-02 03:04:05'])
      : people.map((one) => [one.uuid, one.distinct_ids]);
    return { json: { results: owners ?? (values.uuids ? ids : [[1]]), columns: [] } };
  };
  /** As many as an answer says are deleted or queued are gone, the first of them whom it does not name as failed. */
  const note = (received: Received, answer: StubAnswer): StubAnswer => {
    const isDeletion = received.url.includes('/bulk_delete/') || received.method === 'DELETE';
    const isAnswered = (answer.status ?? 200) < 300 && answer.reset === undefined && !answer.never;
    if (!isDeletion || !isAnswered) return answer;
    const {
      deletion_errors: errors = [],
      persons_deleted: deleted = Number.POSITIVE_INFINITY,
      persons_queued_for_deletion: queued = 0,
    } = (answer.json ?? {}) as {
      deletion_errors?: readonly { readonly person_uuid: string }[];
      persons_deleted?: number;
      persons_queued_for_deletion?: number;
    };
    const failed = new Set(errors.map(({ person_uuid: uuid }) => uuid));
    const single = /\/persons\/([^/?]+)\//.exec(received.url)?.[1] ?? '';
    const named = received.method === 'DELETE' ? [single] : idsOf(received);
    const there = named.flatMap((id) => personBy(id)?.uuid ?? []).filter((uuid) => !failed.has(uuid));
    // A text is no figure, and says of nobody that they are deleted.
    const count = typeof deleted === 'number' ? Math.max(0, deleted + queued) : 0;
    for (const uuid of there.slice(0, count)) gone.add(uuid);
    return answer;
  };
  const watch = (one: Script[number]): Script[number] =>
    typeof one === 'function'
      ? (received) => note(received, one(received))
      : { ...one, answer: (received) => note(received, one.answer?.(received) ?? one) };
  return { show, query, watch };
}

import type { Received, StubStep } from './stub-server.ts';

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
  /** The ids that were looked up. */
  readonly lookedUp?: Set<string>;
  /** Whether a look-up by the id of a person, and whether any, is answered now. */
  readonly takesId?: () => boolean;
  readonly takesAll?: () => boolean;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Steps that answer look-ups of the specification: each id belongs to a person, who is sent by a number or as UUID. */
export function lookUpSteps({
  log,
  lookedUp = new Set(),
  takesId = () => true,
  takesAll = () => true,
  headers = {},
}: LookUps): readonly StubStep[] {
  const { show, query } = createPeople(lookedUp);
  const step = (on: (received: Received) => boolean, toJson: (received: Received) => unknown): StubStep => ({
    on,
    times: Number.POSITIVE_INFINITY,
    answer: (received) => ({
      json: toJson(received),
      headers,
      work: () => void log.splice(log.indexOf(received), 1),
    }),
  });
  const isOneId = ({ method, url }: Received) => method === 'GET' && /\/persons\/[^/?]+\/$/.test(url);
  const isDistinctId = ({ url }: Received) => /\/persons\/\?distinct_id=[^&]*$/.test(url);
  return [
    step((received) => takesId() && isOneId(received), show),
    step((received) => takesAll() && isDistinctId(received), show),
    step((received) => takesAll() && isQuery(received), query),
  ];
}

/** A person for each id that is looked up, with the number that the id ends with if it is free. */
function createPeople(lookedUp: Set<string>) {
  const byId = new Map<string, ReturnType<typeof person>>();
  const byUuid = new Map<string, ReturnType<typeof person>>();
  const personOf = (id: string) => {
    const ending = Number(/(?<!\d)[1-9]\d{0,5}$/.exec(id)?.[0] ?? 0);
    const isFree = ending > 0 && !byUuid.has(person(ending).uuid);
    const found = byId.get(id) ?? person(isFree ? ending : 1_000_000 + byId.size);
    const known = { ...found, distinct_ids: [id] };
    byId.set(id, known);
    byUuid.set(known.uuid, known);
    lookedUp.add(id);
    return known;
  };
  const show = ({ url }: Pick<Received, 'url'>) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const distinctId = searchParams.get('distinct_id');
    if (distinctId !== null) return { next: null, results: [personOf(distinctId)] };
    const id = /\/persons\/([^/]+)\/$/.exec(pathname)?.[1] ?? '';
    const known = byUuid.get(id);
    if (known !== undefined) return known;
    lookedUp.add(id);
    if (/^\d+$/.test(id)) return person(Number(id));
    const { id: _, ...withoutNumber } = person(1);
    return { ...withoutNumber, uuid: id };
  };
  const query = ({ json }: Pick<Received, 'json'>) => {
    const { values = {} } = (json as { query: { values?: Record<string, readonly string[]> } }).query;
    const owners = values.distinct_ids?.map((id) => [id, personOf(id).uuid]);
    const ids = values.uuids?.map((uuid) => [uuid, byUuid.get(uuid)?.distinct_ids ?? []]);
    return { results: owners ?? ids ?? [[1]], columns: [] };
  };
  return { show, query };
}

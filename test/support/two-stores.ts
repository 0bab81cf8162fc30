import type { Received, StubAnswer } from './stub-server.ts';

/** A person as a stub knows one. */
export type Known = {
  readonly id: number;
  readonly uuid: string;
  readonly distinct_ids: readonly string[];
  readonly created_at: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** Person `number`, with one address and distinct ids of that number unless others are given. */
export function known(
  number: number,
  email: string | undefined = `user_${number}@example.org`,
  more: Partial<Known> = {},
): Known {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const properties = email === undefined ? {} : { email };
  const created_at = '2026-01-02T03:04:05Z';
  return { id: number, uuid, created_at, distinct_ids: [`user_${number}`], properties, ...more };
}

type Stores = {
  /** Whom the person list knows, and whom SQL knows; nothing if the key may not query. */
  readonly listed: readonly Known[];
  readonly queried?: readonly Known[] | undefined;
  /** What SQL answers in place of rows. */
  readonly failure?: StubAnswer;
};

/** What SQL is asked about. */
type Values = Readonly<Partial<Record<'addresses' | 'uuids' | 'distinct_ids', readonly string[]>>>;

/** Like ClickHouse, whose lower() knows ASCII only. */
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A service whose person list and whose SQL need not know the same people. Deletions are not answered here. */
export function answerFrom({ listed, queried, failure }: Stores) {
  return (received: Received): StubAnswer => {
    const { url } = received;
    if (url.endsWith('/query/')) {
      if (failure !== undefined) return failure;
      if (queried === undefined) return { status: 403, json: { code: 'permission_denied', detail: 'no' } };
      return { json: { results: rowsOf(received, queried), columns: [] } };
    }
    // Of a project without people, its name says that the empty list is its own.
    if (/\/projects\/\d+\/$/.test(url)) return { json: { id: 1, name: 'Shop' } };
    if (url.includes('/batch_by_')) return { json: { results: manyOf(received, listed) } };
    const [, id] = /\/persons\/([^/?]+)\/(?:\?|$)/.exec(url) ?? [];
    if (id !== undefined) {
      const one = listed.find(({ id: number, uuid }) => uuid === id.toLowerCase() || String(number) === id);
      return one === undefined ? { status: 404, json: { code: 'not_found' } } : { json: one };
    }
    return { json: { next: null, results: listed.filter(conditionOf(received)) } };
  };
}

function rowsOf({ json }: Received, people: readonly Known[]): readonly unknown[] {
  // What the program sends to this path.
  const { query, values = {} } = (json as { query: { query: string; values?: Values } }).query;
  const { addresses, uuids, distinct_ids: ids } = values;
  if (query.includes('count()')) return [[people[0]?.uuid ?? null, people.length]];
  if (addresses !== undefined)
    return people.flatMap(({ uuid, properties: { email } }) =>
      typeof email === 'string' && addresses.includes(lower(email)) ? [[uuid, email]] : [],
    );
  if (ids !== undefined)
    return people.flatMap(({ uuid, distinct_ids: own }) =>
      own.filter((id) => ids.includes(id)).map((id) => [id, uuid]),
    );
  const wanted = people.filter(({ uuid }) => uuids?.includes(uuid));
  if (query.includes('created_at'))
    return wanted.map(({ uuid, created_at: created }) => [uuid, created.replace('T', ' ').replace('Z', '')]);
  return wanted.map(({ uuid, distinct_ids: own }) => [uuid, own]);
}

/** The live look-up of many, which names ten distinct ids of each. */
function manyOf({ json }: Received, people: readonly Known[]): Readonly<Record<string, Known>> {
  // As above.
  const { distinct_ids: ids = [], uuids = [] } = json as Values;
  const found = people.flatMap((one) => {
    const cut = { ...one, distinct_ids: one.distinct_ids.slice(0, 10) };
    const keys = uuids.includes(one.uuid) ? [one.uuid] : one.distinct_ids.filter((id) => ids.includes(id));
    return keys.map((key) => [key, cut] as const);
  });
  return Object.fromEntries(found);
}

type Filter = { readonly key: string; readonly value: unknown; readonly operator?: string };

/** Whom the conditions of a request to the person list mean. */
export function conditionOf({ url }: Received): (one: Pick<Known, 'distinct_ids' | 'properties'>) => boolean {
  const asked = new URL(url, 'http://127.0.0.1').searchParams;
  const [email, search, distinctId] = ['email', 'search', 'distinct_id'].map((name) => asked.get(name));
  const filters: readonly Filter[] = JSON.parse(asked.get('properties') ?? '[]');
  return ({ distinct_ids: ids, properties }) =>
    (!distinctId || ids.includes(distinctId)) &&
    (!email || properties.email === email) &&
    (!search || [...Object.values(properties), ...ids].some((value) => holds(value, search))) &&
    filters.every(({ key, value, operator }) => {
      const own = properties[key];
      if (operator === 'is_set') return own !== undefined;
      return operator === 'icontains'
        ? typeof own === 'string' && holds(own, String(value))
        : [value].flat().includes(own);
    });
}

function holds(value: unknown, part: string): boolean {
  const texts = [value].flat().filter((one) => typeof one === 'string');
  return texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
}

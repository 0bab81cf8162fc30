import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/kinds.ts';
import { parseJson } from '../../src/json/text.ts';
import { golden } from '../support/golden.ts';
import { person, startService } from '../support/service.ts';
import { type Asked, queriesIn } from '../support/sql-service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

const somebody = (id: number, properties: JsonObject) => ({
  id,
  uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  distinct_ids: [`user_${id}`],
  properties,
  created_at: `2026-01-0${id}T00:00:00Z`,
});

const event = (id: number, day: number) => ({
  event: 'visit',
  distinct_id: `user_${id}`,
  timestamp: `2026-05-0${day}T10:00:00Z`,
  properties: {},
});

const data: Json = {
  persons: [
    somebody(1, { email: 'ana@example.org', plan: 'pro', 'Customer ID': 12 }),
    somebody(2, { email: ' Ana@Example.org\t', plan: 'pro', seats: 1 }),
    somebody(3, { email: 'ANA@example.org', plan: 'Pro', seats: 1.5 }),
    somebody(4, { email: 'zoë@example.org', 'Customer ID': 12 }),
    somebody(5, { email: 'ZOË@example.org', crm: 2 ** 53 }),
    somebody(6, { email: 'ben@example.org', crm: 2 ** 53, 'a`b"': 'x', zip: '02134' }),
    somebody(7, { email: '', 'a`b"': 'x', zip: 2134 }),
    somebody(8, { email: null, huge: parseJson('12345678901234567890123'), zip: 2134 }),
    somebody(9, { email: '', huge: parseJson('12345678901234567890123'), zip: '2134' }),
  ],
  events: [event(1, 1), event(1, 3), event(2, 2), event(5, 4)],
};

const dialects = { duplicates: 'specification', 'duplicates-live': 'live' } as const;

describe.each(Object.entries(dialects))('%s on the sandbox in the %s dialect', (folder, dialect) => {
  const { shows } = golden(folder, { dialect, data });
  const by = (property: string) => ['persons', 'duplicates', '--by', property].join(' ');
  shows('groups people by email on a terminal', by('email'), { terminal: { columns: 150 } });
  shows('groups people by email through a pipe', by('email'));
  shows('groups people by email as csv', `${by('email')} -o csv`);
  shows('groups people by email as json', `${by('email')} -o json`);
  shows('compares other properties as they are', `${by('plan')} -o csv --columns value,people,id`);
  shows('finds none', by('seats'));
  shows('says that nobody has a property', by('emial'));
  shows('takes a property with a space', `${by('"Customer ID"')} -o csv`);
  shows('keeps the digits of long numbers', `${by('crm')} -o csv --columns value,people`);
  shows('warns of numbers beyond 64 bits', `${by('huge')} -o csv --columns value,people`);
  shows('takes any name of a property', `${by("'a`b\"'")} -o csv --columns value,people`);
  shows('compares what is stored, not numbers', `${by('zip')} -o csv --columns value,people,written`);
  shows('wants a property', 'persons duplicates');
  shows('passes no answer on', `${by('email')} --server-format csv`);
});

/** SQL over so many people, two of each address, at most `limit` rows an answer and with few events. */
function pairs(total: number) {
  return ({ json }: Received): StubAnswer => {
    const { query, values } = (json as Asked).query;
    const limit = Number(/ LIMIT (\d+)$/.exec(query)?.[1]);
    const all = Array.from({ length: total }, (_, index) => index + 1);
    const value = (id: number) => `a${String(Math.ceil(id / 2)).padStart(6, '0')}`;
    if (query.includes('FROM events')) return { json: { results: [[person(1).uuid, 'a', 'b', 2]] } };
    if (query.includes('GROUP BY value')) {
      const rows = all.filter((id) => id % 2 === 0 && value(id) > String(values.after));
      return {
        json: { results: rows.slice(0, limit).map((id) => [value(id), 2]), hasMore: rows.length > limit },
      };
    }
    const wanted = new Set<unknown>(Object(values.wanted));
    const isAfter = (id: number) =>
      values.last === undefined ||
      value(id) > String(values.value) ||
      (value(id) === values.value && person(id).uuid > values.last);
    const rows = all.filter((id) => wanted.has(value(id)) && isAfter(id));
    const results = rows.slice(0, limit).map((id) => [person(id).uuid, value(id), value(id), null]);
    return { json: { results, hasMore: rows.length > limit } };
  };
}

describe('duplicates over many answers', () => {
  it('are all there once, each group together', async () => {
    const total = 5400;
    const service = await startService([pairs(total)]);
    const { code, stdout, stderr } = await service.hogctl('persons duplicates --by email -o ndjson');
    const rows: { value: string; id: string }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('5400 persons share 2700 values of "email".\n'),
    ]);
    expect(rows.map(({ id }) => id)).toEqual(
      Array.from({ length: total }, (_, index) => person(index + 1).uuid),
    );
    expect(queriesIn(service.log).every(({ query }) => / LIMIT \d+$/.test(query))).toBe(true);
  });

  it('end with the error of the service before anything is printed', async () => {
    const service = await startService([
      {
        status: 403,
        json: { code: 'permission_denied', detail: "API key missing required scope 'query:read'" },
      },
    ]);
    const { code, stdout, stderr } = await service.hogctl('persons duplicates --by email -o csv');
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('query:read');
  });

  it.each([
    ['answers the same again', false, 'sent the same rows again'],
    ['keeps events back', true, 'answered with fewer rows than it found'],
  ])('end with an error where the service %s', async (_, hasMore, message) => {
    const service = await startService([
      { json: { results: [['a', 2]], hasMore: true } },
      ({ body }) =>
        body.includes('FROM events')
          ? { json: { results: [], hasMore } }
          : { json: { results: [[person(1).uuid, 'a', 'a', null]], hasMore: true } },
    ]);
    const { code, stderr } = await service.hogctl('persons duplicates --by email -o csv --retries 0');
    expect([code, stderr]).toEqual([6, expect.stringContaining(message)]);
  });
});

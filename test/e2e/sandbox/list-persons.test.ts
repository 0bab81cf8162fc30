import { describe, expect, it } from 'vitest';
import { openSandbox, PEOPLE, sharedSandbox } from '../../support/open-sandbox.ts';

const filtered = (filters: unknown) => `persons/?properties=${encodeURIComponent(JSON.stringify(filters))}`;

const shared = sharedSandbox();
const live = sharedSandbox({ dialect: 'live' });

async function idsOf(path: string): Promise<readonly number[]> {
  const { get } = shared();
  const { status, body } = await get(path);
  expect(status).toBe(200);
  return body.results.map((person: { id: number }) => person.id);
}

describe('a list of persons', () => {
  it('comes newest first in the envelope of the specification', async () => {
    const { get } = shared();
    const { status, body } = await get('persons/');
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 3, next: null, previous: null });
    expect(body.results[2]).toEqual({
      id: 1,
      name: 'ana.berg@example.org',
      distinct_ids: ['ana', 'ana-phone'],
      properties: { email: 'ana.berg@example.org', plan: 'pro', seats: 12 },
      created_at: '2026-01-01T00:00:00Z',
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual([
      'ben@example.org',
      'Carla',
      'ana.berg@example.org',
    ]);
  });

  it('shows the uuid as id and no count in the live dialect, unless the total is asked for', async () => {
    const { get } = live();
    const { body } = await get('persons/?limit=1');
    expect(Object.keys(body)).toEqual(['next', 'previous', 'results']);
    expect(body.results[0].id).toBe(body.results[0].uuid);
    expect(body.results[0]).toMatchObject({ type: 'person', is_identified: false, matched_recordings: [] });
    expect((await get('persons/?include_total=true')).body.count).toBe(3);
  });

  it('pages with absolute links that keep the filters', async () => {
    const { get, sandbox } = shared();
    const page = (await get('persons/?limit=1&search=example')).body;
    expect(page.next).toBe(`${sandbox.origin}/api/projects/1/persons/?limit=1&search=example&offset=1`);
    expect(page.previous).toBe(null);
    const last = (await get(new URL(page.next).pathname + new URL(page.next).search)).body;
    expect(last.results[0].id).toBe(1);
    expect(last.next).toBe(null);
    expect(last.previous).toBe(`${sandbox.origin}/api/projects/1/persons/?limit=1&search=example&offset=0`);
  });

  it('filters by distinct id, by email exactly, and by search', async () => {
    expect(await idsOf('persons/?distinct_id=ana-phone')).toEqual([1]);
    expect(await idsOf('persons/?distinct_id=ana-')).toEqual([]);
    expect(await idsOf('persons/?email=ben%40example.org')).toEqual([3]);
    expect(await idsOf('persons/?email=Ben%40example.org')).toEqual([]);
    expect(await idsOf('persons/?search=EXAMPLE')).toEqual([3, 1]);
    expect(await idsOf('persons/?search=carla')).toEqual([2]);
    expect(await idsOf('persons/?search=carl')).toEqual([]);
  });

  it.each([
    [{ key: 'plan', value: 'free' }, [3, 2]],
    [{ key: 'plan', value: ['pro', 'gold'], operator: 'exact' }, [1]],
    [{ key: 'seats', value: 12, operator: 'exact' }, [1]],
    [{ key: 'seats', value: '12', operator: 'exact' }, [1]],
    [{ key: 'seats', value: 12, operator: 'is_not' }, [3, 2]],
    [{ key: 'plan', value: ['pro', 'gold'], operator: 'is_not' }, [3, 2]],
    [{ key: 'email', value: 'ANA', operator: 'icontains' }, [1]],
    [{ key: 'email', value: 'ana', operator: 'not_icontains' }, [3, 2]],
    [{ key: 'email', value: '^b.*g$', operator: 'regex' }, [3]],
    [{ key: 'email', value: '^b.*g$', operator: 'not_regex' }, [2, 1]],
    [{ key: 'seats', value: 3, operator: 'gt' }, [1]],
    [{ key: 'seats', value: '3', operator: 'gte' }, [2, 1]],
    [{ key: 'seats', value: 12, operator: 'lt' }, [2]],
    [{ key: 'seats', value: 12, operator: 'lte' }, [2, 1]],
    [{ key: 'seats', value: 12, operator: 'min' }, [1]],
    [{ key: 'seats', value: 3, operator: 'max' }, [2]],
    [{ key: 'seats', value: [1, 5], operator: 'between' }, [2]],
    [{ key: 'seats', value: [1, 5], operator: 'not_between' }, [1]],
    [{ key: 'plan', value: ['pro', 'gold'], operator: 'in' }, [1]],
    [{ key: 'plan', value: ['free'], operator: 'not_in' }, [1]],
    [{ key: 'name', operator: 'is_set' }, [2]],
    [{ key: 'name', value: 'is_not_set', operator: 'is_not_set' }, [3, 1]],
  ])('filters by property: %j', async (filter, expected) => {
    expect(await idsOf(filtered([{ ...filter, type: 'person' }]))).toEqual(expected);
  });

  it.each([
    ['is_date_exact', '2026-05-02', [3, 2]],
    ['is_date_before', '2026-05-02', [1]],
    ['is_date_after', '2026-05-02', [4]],
    ['is_date_before', '2026-05-02T10:00:00Z', [2, 1]],
  ])('filters by date: %s %s', async (operator, value, expected) => {
    const days = ['2026-05-01T23:00:00Z', '2026-05-02', '2026-05-02T20:00:00+02:00', '2026-05-03', 'soon'];
    const persons = days.map((seen, at) => ({ distinct_ids: [`d${at}`], properties: { seen } }));
    const { get } = await openSandbox({ data: { persons, events: [] } });
    const { body } = await get(filtered([{ key: 'seen', operator, value, type: 'person' }]));
    expect(
      body.results
        .map(({ id }: { id: number }) => id)
        .sort()
        .reverse(),
    ).toEqual(expected);
  });

  it('reads dates as analyses do: relative ones, seconds since 1970, and days of the time zone', async () => {
    const days = ['2026-05-01T23:00:00Z', 1_777_680_000, '2026-05-02T21:00:00Z', '2026-06-16', 1_780_000_000];
    const persons = days.map((seen, at) => ({ distinct_ids: [`d${at}`], properties: { seen } }));
    const project = { timezone: 'Europe/Berlin' };
    const { get } = await openSandbox({ data: { project, persons, events: [] } });
    const found = async (operator: string, value: string) => {
      const { body } = await get(filtered([{ key: 'seen', operator, value, type: 'person' }]));
      return body.results.map(({ id }: { id: number }) => id).sort();
    };
    expect(await found('is_date_exact', '2026-05-02')).toEqual([1, 2, 3]);
    expect(await found('is_date_after', '-3d')).toEqual([4]);
  });

  it('leaves out the members of cohorts', async () => {
    const cohorts = [
      { id: 1, name: 'free', filters: [{ key: 'plan', value: 'free' }] },
      { id: 2, name: 'chosen', distinct_ids: ['ben'] },
    ];
    const { get } = await openSandbox({ data: { ...PEOPLE, project: { cohorts } } });
    const outside = async (value: unknown) => {
      const { body } = await get(filtered([{ key: 'id', value, type: 'cohort', operator: 'not_in' }]));
      return body.results.map(({ id }: { id: number }) => id);
    };
    expect(await outside(1)).toEqual([1]);
    expect(await outside([2])).toEqual([2, 1]);
  });

  it('needs every filter to hold, and takes any key', async () => {
    expect(
      await idsOf(
        filtered([
          { key: 'plan', value: 'free' },
          { key: 'seats', operator: 'is_set' },
        ]),
      ),
    ).toEqual([2]);
    expect(await idsOf(filtered([{ key: `a/b~"'$.x`, value: 'y' }]))).toEqual([]);
    expect(await idsOf(filtered([{ key: "a\0b'", value: "\0'" }]))).toEqual([]);
    expect(await idsOf("persons/?email=a%00b'")).toEqual([]);
  });

  it.each([
    ['persons/?properties=%7B', 'Properties are not readable as JSON.'],
    [filtered({ type: 'AND', values: [] }), 'Properties must be a JSON list of filters.'],
    [filtered([{ key: 'a', value: 1, operator: 'around' }]), 'The operator "around" does not exist.'],
    [filtered([{ key: 'a', value: 1, operator: 'between' }]), '"between" needs a list of two numbers.'],
    [filtered([{ key: 'a', operator: 'gt' }]), 'The operator gt needs a value.'],
    [filtered([{ value: 1 }]), 'Each filter needs a key.'],
    [filtered([{ key: 'a', value: 1, type: 'event' }]), 'Filters of type event do not fit persons.'],
    [filtered([{ key: 'id', value: 7, type: 'cohort' }]), 'Cohort 7 does not exist.'],
    ['persons/?limit=0', 'Ensure this value is greater than or equal to 1.'],
    ['persons/?offset=x', 'A valid integer is required.'],
    ['persons/?format=xml', '"xml" is not a valid choice.'],
  ])('refuses %s', async (path, detail) => {
    const { get } = shared();
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: 'validation_error', detail });
    expect(Object.keys(body)).toEqual(['type', 'code', 'detail', 'attr']);
  });

  it('names a person by a chosen distinct id rather than by one of a device', async () => {
    const persons = [
      ['17787c3099427b-0e8f6c86323ea9-33647309-1aeaa0-17787c30995b7c', 'chosen-one'],
      ['0190f3c2-7a1b-7c3d-8e4f-5a6b7c8d9e0f', 'chosen-two', 'chosen-three'],
      ['0190f3c2-7a1b-7c3d-8e4f-5a6b7c8d9e1f'],
      ['a-b-c-d-team'],
    ].map((distinctIds, index) => ({
      distinct_ids: distinctIds,
      created_at: `2026-01-0${9 - index}T00:00:00Z`,
    }));
    const { get } = await openSandbox({ data: { persons } });
    expect((await get('persons/')).body.results.map(({ name }: { name: string }) => name)).toEqual([
      'chosen-one',
      'chosen-two',
      '0190f3c2-7a1b-7c3d-8e4f-5a6b7c8d9e1f',
      'a-b-c-d-team',
    ]);
  });

  it('names a regular expression that cannot be read', async () => {
    const { get } = shared();
    const { status, body } = await get(filtered([{ key: 'a', value: '(', operator: 'regex' }]));
    expect(status).toBe(400);
    expect(body.detail).toContain('"(" is not a regular expression');
  });

  it('names a regular expression of a cohort that cannot be read', async () => {
    const cohorts = [{ id: 1, name: 'x', filters: [{ key: 'plan', value: ['a', '('], operator: 'regex' }] }];
    const { get } = await openSandbox({ data: { ...PEOPLE, project: { cohorts } } });
    const { status, body } = await get('cohorts/1/persons/');
    expect(status).toBe(400);
    expect(body.detail).toContain('"(" is not a regular expression');
  });

  it('comes as CSV on request, whole in the live dialect', async () => {
    const specification = shared();
    const part = await specification.get('persons/?format=csv&limit=1&offset=2');
    expect(part.type).toBe('text/csv; charset=utf-8');
    expect(part.text.split('\r\n')[0]).toBe(
      'id,name,distinct_ids.0,distinct_ids.1,properties.email,properties.plan,properties.seats,created_at,uuid',
    );
    expect(part.text.split('\r\n')).toHaveLength(3);
    expect((await live().get('persons/?format=csv&limit=1')).text.trim().split('\r\n')).toHaveLength(4);
  });

  it('narrows to a cohort with filters and to one with a list', async () => {
    const cohorts = [
      { id: 1, name: 'free', filters: [{ key: 'plan', value: 'free' }] },
      { id: 2, name: 'chosen', distinct_ids: ['ana-phone', 'ana'] },
    ];
    const { get } = await openSandbox({ data: { ...PEOPLE, project: { cohorts } } });
    const ids = async (cohort: number) =>
      (await get(filtered([{ key: 'id', value: cohort, type: 'cohort' }]))).body.results.map(
        ({ id }: { id: number }) => id,
      );
    expect(await ids(1)).toEqual([3, 2]);
    expect(await ids(2)).toEqual([1]);
  });
});

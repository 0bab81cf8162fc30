import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json/kinds.ts';
import { NOW, openSandbox, PEOPLE } from '../../support/open-sandbox.ts';

describe('the operations around', () => {
  it('lists the project and shows it', async () => {
    const { get } = await openSandbox({ data: { ...PEOPLE, project: { timezone: 'Europe/Berlin' } } });
    const project = { id: 1, name: 'Sandbox', timezone: 'Europe/Berlin' };
    expect((await get('/api/projects/')).body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [project],
    });
    expect((await get('/api/projects/1/')).body).toEqual(project);
    expect((await get('/api/projects/@current/')).body).toEqual(project);
  });

  it('shows the key itself in the live dialect, which is how a client tells the two apart', async () => {
    const live = await openSandbox({ dialect: 'live' });
    const path = '/api/personal_api_keys/@current/';
    const { body } = await live.call('GET', path, undefined, 'phx_reading');
    expect(body).toMatchObject({ label: 'reading', scopes: ['person:read', 'insight:read'], value: null });
    expect(JSON.stringify(body)).not.toContain('phx_reading');
    const specification = await openSandbox();
    expect((await specification.get(path)).status).toBe(404);
  });

  it('shows whose key it is', async () => {
    const { get } = await openSandbox();
    expect((await get('/api/users/@me/')).body).toMatchObject({
      email: 'olga.novak@example.org',
      team: { id: 1 },
    });
  });

  it.each(['specification', 'live'] as const)('lists actions, events and properties, %s', async (dialect) => {
    const paid = (timestamp: string, properties: JsonObject) => ({
      event: 'paid',
      distinct_id: 'ana',
      timestamp,
      properties,
    });
    const events = [paid('2026-05-01T00:00:00Z', { price: 1, plan: 'x' }), paid('2026-06-01T00:00:00Z', {})];
    const actions = [
      { id: 7, name: 'Paid', steps: [{ event: 'paid' }] },
      { id: 8, name: 'Left', steps: [] },
    ];
    const { get, call } = await openSandbox({ dialect, data: { ...PEOPLE, events, project: { actions } } });
    const names = async (path: string) =>
      (await get(path)).body.results.map(({ name }: { name: string }) => name);
    expect(await names('actions/')).toEqual(['Paid', 'Left']);
    expect((await get('actions/?limit=1')).body).toMatchObject({
      count: 2,
      next: expect.stringContaining('offset=1'),
      results: [{ id: 7, steps: [{ event: 'paid' }] }],
    });
    expect((await get('event_definitions/')).body.results).toMatchObject([
      { name: 'paid', created_at: '2026-05-01T00:00:00Z', last_seen_at: '2026-06-01T00:00:00Z' },
    ]);
    expect(await names('property_definitions/')).toEqual(['plan', 'price']);
    expect(await names('property_definitions/?type=person')).toContain('email');
    const refused = await call('GET', '/api/projects/1/actions/', undefined, 'phx_reading');
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      "API key missing required scope 'action:read'",
    ]);
  });

  it('looks persons up by distinct id and by UUID, 200 at a time', async () => {
    const { get, post } = await openSandbox({ dialect: 'live' });
    const ana = (await get('persons/1/')).body;
    const byDistinctId = await post('persons/batch_by_distinct_ids/', {
      distinct_ids: ['ana-phone', 'ana', 'x'],
    });
    expect(byDistinctId).toMatchObject({ status: 200, body: { results: { ana, 'ana-phone': ana } } });
    expect(Object.keys(byDistinctId.body.results)).toHaveLength(2);
    const byUuid = await post('persons/batch_by_uuids/', { uuids: [ana.uuid] });
    expect(byUuid.body).toEqual({ results: { [ana.uuid]: ana } });
    const many = [...Array.from({ length: 200 }, (_, index) => `x${index}`), 'ana'];
    expect((await post('persons/batch_by_distinct_ids/', { distinct_ids: many })).body.results).toEqual({});
    expect((await post('persons/batch_by_distinct_ids/')).status).toBe(400);
  });

  it('shows the properties at one moment', async () => {
    const { get, patch, post } = await openSandbox({ dialect: 'live' });
    await patch('persons/1/', { properties: { plan: 'gold' } });
    await post('/_sandbox/advance/', { to: '2026-07-01T00:00:00Z' });
    await patch('persons/1/', { properties: { plan: 'platinum' } });
    const planAt = async (query: string) =>
      (await get(`persons/properties_at_time/?${query}`)).body.properties.plan;
    expect(await planAt('person_id=1&timestamp=2026-06-17T11:59:59Z')).toBe('pro');
    expect(await planAt(`distinct_id=ana&timestamp=${NOW}`)).toBe('gold');
    expect(await planAt('person_id=1&timestamp=2027-01-01')).toBe('platinum');
    expect(await planAt('person_id=1&timestamp=2025-12-31')).toBeUndefined();
    expect((await get('persons/properties_at_time/?person_id=1')).body).toMatchObject({ attr: 'timestamp' });
    expect((await get('persons/properties_at_time/?person_id=1&timestamp=x')).status).toBe(400);
    expect((await get('persons/properties_at_time/?distinct_id=x&timestamp=2026-01-01')).status).toBe(404);
    expect((await get('persons/properties_at_time/?timestamp=2026-01-01')).status).toBe(400);
  });

  it('accepts the reset of a distinct id', async () => {
    const { post } = await openSandbox({ dialect: 'live' });
    expect(await post('persons/reset_person_distinct_id/', { distinct_id: 'x' })).toMatchObject({
      status: 202,
      text: '',
    });
    expect((await post('persons/reset_person_distinct_id/')).status).toBe(400);
  });

  it('lists the cohorts of a person, and in the specification all of them', async () => {
    const cohorts = [
      { id: 1, name: 'free', filters: [{ key: 'plan', value: 'free' }] },
      { id: 2, name: 'chosen', distinct_ids: ['ana'] },
    ];
    const data = { ...PEOPLE, project: { cohorts } };
    const specification = await openSandbox({ data });
    const all = [
      { id: 1, name: 'free', count: 2 },
      { id: 2, name: 'chosen', count: 1 },
    ];
    expect((await specification.get('persons/cohorts/')).body).toEqual({ results: all });
    expect((await specification.get('persons/cohorts/?person_id=3')).body).toEqual({ results: [all[0]] });
    const live = await openSandbox({ data, dialect: 'live' });
    expect((await live.get('persons/cohorts/?person_id=1')).body).toEqual({ results: [all[1]] });
    expect((await live.get('persons/cohorts/')).body).toMatchObject({ code: 'required', attr: 'person_id' });
    expect((await live.get('persons/cohorts/?person_id=9')).status).toBe(404);
  });
});

const pathOf = (address: string) => address.replace(/^https?:..[^/]+/, '');

describe('cohorts', () => {
  const cohorts = [
    { id: 1, name: 'free', filters: [{ key: 'plan', value: 'free' }] },
    { id: 2, name: 'chosen', distinct_ids: ['ana'] },
  ];
  const data = { ...PEOPLE, project: { cohorts } };
  const free = {
    id: 1,
    name: 'free',
    filters: { properties: { type: 'OR', values: [{ type: 'AND', values: cohorts[0]?.filters }] } },
    is_calculating: false,
    last_calculation: NOW,
    count: 2,
    is_static: false,
  };

  it.each(['specification', 'live'] as const)('are listed, shown and paged, %s', async (dialect) => {
    const { get } = await openSandbox({ data, dialect });
    const { body } = await get('cohorts/?limit=1');
    expect(body).toMatchObject({ count: 2, results: [free] });
    expect(body.results).toHaveLength(1);
    expect((await get(pathOf(body.next))).body).toMatchObject({
      next: null,
      results: [{ id: 2, is_static: true }],
    });
    expect((await get('cohorts/1/')).body).toMatchObject(free);
    expect((await get('cohorts/2/')).body).toMatchObject({ filters: {}, last_calculation: null, count: 1 });
    expect((await get('cohorts/9/')).status).toBe(404);
    expect((await get('cohorts/x/')).status).toBe(400);
  });

  it('tell their persons, as lists do', async () => {
    const { get } = await openSandbox({ data, dialect: 'live' });
    const { body } = await get('cohorts/1/persons/?limit=1');
    expect(body).toMatchObject({ previous: null, results: [{ type: 'person', distinct_ids: ['ben'] }] });
    expect((await get(pathOf(body.next))).body).toMatchObject({
      next: null,
      results: [{ distinct_ids: ['carla'] }],
    });
    expect((await get('cohorts/2/persons/')).body.results).toHaveLength(1);
    expect((await get('cohorts/9/persons/')).status).toBe(404);
  });

  it('need two scopes for their persons', async () => {
    const keys = [{ key: 'phx_reading', label: 'reading', scopes: ['cohort:read'] }];
    const { call } = await openSandbox({ data, keys });
    const ask = (path: string) => call('GET', path, undefined, 'phx_reading');
    expect((await ask('cohorts/1/')).status).toBe(200);
    expect((await ask('cohorts/1/persons/')).body.detail).toContain("'person:read'");
  });
});

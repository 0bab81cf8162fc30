import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { NOW, openSandbox } from '../../support/open-sandbox.ts';

async function open() {
  const { sandbox, get, post } = await openSandbox({ dialect: 'live' });
  const send = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; date: string | undefined }>((resolve, reject) => {
      const outgoing = request(
        new URL(path, sandbox.origin),
        { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, agent: false },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, text, date: response.headers.date });
        },
      );
      outgoing.on('error', reject).end(body);
    });
  const batch = (...events: readonly object[]) =>
    send(
      '/batch/',
      JSON.stringify({ api_key: sandbox.token, batch: events, sent_at: '2026-11-29T10:00:00Z' }),
    );
  const person = async (id: string) =>
    (await get(`persons/?distinct_id=${encodeURIComponent(id)}`)).body.results[0];
  const rows = async (sql: string) =>
    (await post('query/', { query: { kind: 'HogQLQuery', query: sql } })).body.results;
  return { token: sandbox.token, send, batch, person, rows };
}

describe('events of a program of one’s own', () => {
  it('arrive with the person of their distinct id, at the sandbox’s own time', async () => {
    const { batch, person, rows } = await open();
    const answer = await batch({
      event: 'paid',
      distinct_id: 'dora',
      timestamp: '2026-11-29T09:59:00Z',
      properties: { total: 5, $set: { plan: 'pro' }, $set_once: { first: 1 } },
    });
    expect([answer.status, answer.text]).toEqual([200, '{"status":1}']);
    expect(await person('dora')).toMatchObject({
      properties: { plan: 'pro', first: 1 },
      distinct_ids: ['dora'],
    });
    expect(
      await rows(
        "select event, toString(timestamp), properties.total from events where distinct_id = 'dora'",
      ),
    ).toEqual([['paid', expect.stringMatching(/^2026-06-17.11:59:00/), 5]]);
  });

  it('set once only what is not there, and change what is', async () => {
    const { batch, person } = await open();
    await batch({
      event: 'e',
      distinct_id: 'ana',
      properties: { $set: { plan: 'x' }, $set_once: { seats: 1, new: 2 } },
    });
    expect((await person('ana')).properties).toEqual({
      email: 'ana.berg@example.org',
      plan: 'x',
      seats: 12,
      new: 2,
    });
  });

  it('make one person of two by $identify, unless both are known', async () => {
    const { batch, person, rows } = await open();
    await batch(
      { event: 'visit', distinct_id: 'anonymous', properties: { $set: { plan: 'trial', source: 'ad' } } },
      { event: '$identify', distinct_id: 'ben', properties: { $anon_distinct_id: 'anonymous' } },
    );
    expect(await person('anonymous')).toMatchObject({
      distinct_ids: ['ben', 'anonymous'],
      properties: { plan: 'free', source: 'ad' },
      is_identified: true,
    });
    expect(
      await rows("select count(distinct person_id) from events where distinct_id in ('ben', 'anonymous')"),
    ).toEqual([[1]]);
    await batch({ event: '$identify', distinct_id: 'ana', properties: { $anon_distinct_id: 'ben' } });
    expect((await person('ben')).uuid).not.toBe((await person('ana')).uuid);
  });

  it('give a person another distinct id by $create_alias', async () => {
    const { batch, person } = await open();
    await batch({ event: '$create_alias', distinct_id: 'carla', properties: { alias: 'carla-app' } });
    expect(await person('carla-app')).toMatchObject({ distinct_ids: ['carla', 'carla-app'] });
  });

  it('are named if they are broken, and the others are kept', async () => {
    const { batch, rows } = await open();
    const { status, text } = await batch(
      { event: 'good', distinct_id: 'x' },
      { event: 'bad' },
      { distinct_id: 'x' },
      'text' as never,
    );
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        status: 1,
        broken: ['batch[1] has no distinct_id', 'batch[2] has no event', 'batch[3] is not an object'],
      },
    ]);
    expect(await rows("select count() from events where event = 'good'")).toEqual([[1]]);
  });

  it('need the project token, with gzip or without', async () => {
    const { send, token } = await open();
    expect(token).toMatch(/^phc_\w{43}$/);
    for (const path of ['/batch/', '/flags/?v=2']) {
      const { status, date } = await send(path, JSON.stringify({ api_key: 'phc_other', batch: [] }));
      expect([status, date]).toEqual([401, new Date(NOW).toUTCString()]);
    }
    const packed = (body: string) => send('/batch/', gzipSync(body), { 'content-encoding': 'gzip' });
    expect((await packed(JSON.stringify({ api_key: token, batch: [] }))).status).toBe(200);
    expect((await packed(' '.repeat(21_000_000))).status).toBe(413);
    expect((await send('/batch/', 'no gzip', { 'content-encoding': 'gzip' })).status).toBe(400);
  });

  it('find no feature flags', async () => {
    const { send, token } = await open();
    const { status, text } = await send('/flags/?v=2', JSON.stringify({ token, distinct_id: 'ana' }));
    expect([status, JSON.parse(text)]).toMatchObject([200, { flags: {}, featureFlags: {} }]);
  });
});

describe('the live dialect', () => {
  it('knows a project by its older name, too', async () => {
    const { get } = await openSandbox({ dialect: 'live' });
    const { status, body } = await get('/api/environments/1/persons/?limit=1');
    expect([status, body.results.length]).toEqual([200, 1]);
  });

  it('takes JSON that calls itself so, and dates its refusals', async () => {
    const { sandbox } = await openSandbox({ dialect: 'live' });
    const answer = await fetch(new URL('/api/projects/1/query/', sandbox.origin), {
      method: 'POST',
      headers: { authorization: 'Bearer phx_everything', 'content-type': 'text/plain' },
      body: '{}',
    });
    expect([answer.status, answer.headers.get('date')]).toEqual([415, new Date(NOW).toUTCString()]);
  });

  it('answers what the service answers', async () => {
    const { get, post } = await openSandbox({ dialect: 'live' });
    const query = { kind: 'HogQLQuery', query: 'select 1' };
    expect((await post('query/', { query })).body.query).toBe('select 1');
    const actors = await post('query/', { query: { kind: 'ActorsQuery', select: ['id'] } });
    expect([typeof actors.body.hogql, 'query' in actors.body]).toEqual(['string', false]);
    const viewed = await post('insights/viewed/', { insight_ids: [1] });
    expect([viewed.status, viewed.text]).toEqual([201, '']);
    const { body } = await get('property_definitions/?type=person');
    const types = body.results.map((one: Record<string, unknown>) => [
      one.name,
      one.property_type,
      one.is_numerical,
    ]);
    expect(types).toEqual([
      ['email', 'String', false],
      ['name', 'String', false],
      ['plan', 'String', false],
      ['seats', 'Numeric', true],
    ]);
  });
});

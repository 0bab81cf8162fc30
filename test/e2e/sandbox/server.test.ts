import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { openSandbox } from '../../support/open-sandbox.ts';

describe('finding a route', () => {
  it.each([
    ['GET', '/api/projects/1/nothing/', 404],
    ['GET', '/', 404],
    ['GET', '/api/projects/1/persons/1/nothing/', 404],
    ['PUT', '/api/projects/1/persons/', 405],
    ['POST', '/api/projects/1/persons/', 405],
    ['DELETE', '/api/projects/1/persons/funnel/', 405],
    ['GET', '/api/projects/1/persons/1%2Factivity/', 400],
    ['GET', '/api/projects/1/persons/%ff/', 400],
  ])('%s %s answers %i in the error shape', async (method, path, status) => {
    const { call } = await openSandbox();
    const answer = await call(method, path);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(['type', 'code', 'detail', 'attr']);
  });

  it('takes a path without its last slash', async () => {
    const { get } = await openSandbox();
    expect((await get('persons')).status).toBe(200);
  });

  it.each(['deletion_status/', 'properties_at_time/?timestamp=2026-01-01&person_id=1'])(
    'does not have persons/%s in the specification dialect',
    async (path) => {
      const { get } = await openSandbox();
      // There it is a person id of the wrong form.
      expect((await get(`persons/${path}`)).status).toBe(400);
    },
  );

  it.each(['batch_by_distinct_ids/', 'batch_by_uuids/', 'reset_person_distinct_id/'])(
    'does not take POST persons/%s in the specification dialect',
    async (path) => {
      const { post } = await openSandbox();
      expect((await post(`persons/${path}`)).status).toBe(405);
    },
  );

  it('says in one sentence what it does not calculate', async () => {
    const { get } = await openSandbox();
    const { status, body } = await get('persons/1/properties_timeline/?properties=[]');
    expect(status).toBe(501);
    expect(body).toEqual({
      type: 'server_error',
      code: 'not_implemented',
      detail: 'The sandbox does not support this yet: a timeline narrowed to single properties.',
      attr: null,
    });
  });

  it.each(['{"a":', '[1]', '"text"'])('refuses the body %s', async (body) => {
    const { call } = await openSandbox();
    expect((await call('PATCH', 'persons/1/', body)).status).toBe(400);
  });
});

it.each([
  ['evil.example', '/api/projects/1/persons/?limit=1'],
  ['127.0.0.1:1', '/api/projects/1/persons/?limit=1'],
  ['not a host', '/api/projects/1/persons/?limit=1'],
  ['x', 'http://evil.example/api/projects/1/persons/?limit=1'],
  ['x', '//evil.example/../api/projects/1/persons/?limit=1'],
])('builds links from its own origin, with the host %s and the target %s', async (host, path) => {
  const { sandbox } = await openSandbox();
  const { hostname, port, origin } = new URL(sandbox.origin);
  const headers = { host, authorization: 'Bearer phx_everything' };
  const text = await new Promise<string>((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part)).on('end', () => resolve(String(Buffer.concat(parts))));
    })
      .on('error', reject)
      .end();
  });
  expect(text).not.toContain('evil.example/api');
  const { next, detail } = JSON.parse(text);
  if (detail === undefined) expect(next).toBe(`${origin}/api/projects/1/persons/?limit=1&offset=1`);
  else expect(detail).toBe('Endpoint not found.');
});

describe('letting a key in', () => {
  it('asks for one', async () => {
    const { call } = await openSandbox();
    const { status, body } = await call('GET', 'persons/', undefined, null);
    expect(status).toBe(401);
    expect(body).toMatchObject({ type: 'authentication_error', code: 'not_authenticated' });
  });

  it('refuses a wrong one with 401, on insights of the live dialect with 403', async () => {
    const specification = await openSandbox();
    const live = await openSandbox({ dialect: 'live' });
    const wrong = async ({ call }: typeof live, path: string) => call('GET', path, undefined, 'phx_other');
    expect((await wrong(specification, 'insights/')).status).toBe(401);
    expect((await wrong(live, 'persons/')).status).toBe(401);
    const { status, body } = await wrong(live, 'insights/');
    expect(status).toBe(403);
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'authentication_failed',
      detail: 'Personal API key found in request Authorization header is invalid.',
      attr: null,
    });
  });

  it('names the scope that is missing', async () => {
    const { call } = await openSandbox();
    const { status, body } = await call('DELETE', 'persons/1/', undefined, 'phx_reading');
    expect(status).toBe(403);
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: "API key missing required scope 'person:write'",
      attr: null,
    });
    const cohorts = await call('GET', 'persons/cohorts/', undefined, 'phx_reading');
    expect(cohorts.body.detail).toBe("API key missing required scope 'cohort:read'");
    expect((await call('GET', 'persons/1/', undefined, 'phx_reading')).status).toBe(200);
  });

  it('counts a write scope as one to read', async () => {
    const keys = [{ key: 'phx_w', label: 'writing', scopes: ['person:write'] }];
    const { call } = await openSandbox({ keys });
    expect((await call('GET', 'persons/', undefined, 'phx_w')).status).toBe(200);
  });

  it('closes some operations to keys in the live dialect only', async () => {
    const live = await openSandbox({ dialect: 'live' });
    const refused = await live.get('persons/1/properties_timeline/');
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe('This action does not support personal API key access');
    expect((await live.get('persons/stickiness/')).status).toBe(404);
    const specification = await openSandbox();
    expect((await specification.get('persons/1/properties_timeline/')).status).toBe(200);
  });

  it.each([
    ['2', 403, 'API key does not have access to the requested project: ID 2.'],
    ['shop', 404, 'Project not found.'],
  ])('keeps it out of project %s', async (project, status, detail) => {
    const { get } = await openSandbox();
    const answer = await get(`/api/projects/${project}/persons/`);
    expect(answer).toMatchObject({ status, body: { detail } });
  });

  it('makes keys of its own where none are given', async () => {
    const sandbox = await startSandbox({ dialect: 'live', data: 'empty', random: () => 0.5 });
    await sandbox.stop();
    expect(sandbox.keys.map(({ label }) => label)).toEqual(['everything', 'reading', 'persons']);
    expect(sandbox.keys[0]?.key).toMatch(/^phx_[A-Za-z0-9]{40}$/);
    const other = await startSandbox({ dialect: 'live', data: 'empty' });
    await other.stop();
    expect(new Set(other.keys.map(({ key }) => key)).size).toBe(3);
  });
});

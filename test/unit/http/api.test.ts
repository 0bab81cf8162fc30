import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FreeRequest } from '../../../src/http/free-request.ts';
import { type Stub, startStub } from '../../support/stub-server.ts';
import { failureOf, makeClient, type Watched } from './make-client.ts';

let stub: Stub;
let watched: Watched;

beforeAll(async () => {
  stub = await startStub([
    {
      on: 'GET /api/projects/7/groups/',
      json: { results: [{ id: 1 }], next: '/api/projects/7/groups/?offset=1' },
    },
    { on: 'GET /api/projects/7/groups/', json: { results: [{ id: 2 }], next: null } },
    { on: 'GET /api/organizations/', json: { results: [{ id: 1 }], next: '/api/users/?offset=1' } },
    { on: 'PUT /api/projects/7/lost/', reset: 'after' },
    () => ({ json: { ok: true } }),
  ]);
  watched = makeClient(stub.origin);
});
afterAll(async () => {
  await watched.client.close();
  await stub.close();
});

async function sent(request: FreeRequest): Promise<string> {
  await watched.client.api.raw(request);
  const { method, url, body } = stub.log.at(-1) ?? {};
  return `${method} ${url} ${body}`;
}

describe('requests without a row', () => {
  it.each<[FreeRequest, string]>([
    [{ method: 'get', path: 'feature_flags/' }, 'GET /api/projects/7/feature_flags/ '],
    [{ method: 'GET', path: '/api/users/@me/' }, 'GET /api/users/@me/ '],
    [{ method: 'GET', path: '/api/organizations/o/projects/' }, 'GET /api/organizations/o/projects/ '],
    [{ method: 'GET', path: '/api/organizations/o/projects/7/' }, 'GET /api/organizations/o/projects/7/ '],
    [{ method: 'GET', path: '/api/projects/7/x/?a=1%2B&b=ü' }, 'GET /api/projects/7/x/?a=1%2B&b=%C3%BC '],
    [{ method: 'GET', path: 'x/', query: { a: 'b c', d: '+' } }, 'GET /api/projects/7/x/?a=b%20c&d=%2B '],
    [{ method: 'GET', path: 'x/?a=1', query: { b: '2' } }, 'GET /api/projects/7/x/?a=1&b=2 '],
    [{ method: 'GET', path: 'x/?q=50%off' }, 'GET /api/projects/7/x/?q=50%25off '],
    [{ method: 'GET', path: 'x/?' }, 'GET /api/projects/7/x/ '],
    [{ method: 'PUT', path: 'x/', body: '{"a": 1.0}' }, 'PUT /api/projects/7/x/ {"a": 1.0}'],
  ])('%j is sent as %s', async (request, expected) => {
    expect(await sent(request)).toBe(expected);
  });

  it.each([
    '',
    '.',
    '../8/',
    'a/../../8/',
    'a/%2e%2e/b',
    'a/%2Fb',
    '//evil.example/',
    'https://evil.example/',
    '/api\\x',
    '/api/x#y',
    '/api/projects/8/persons/',
    '/api/environments/8/',
    '/api/projects/%38/',
    '/api/organizations/@current/projects/8/',
    '/api/organizations/0190/projects/8/persons/',
    '/api/organizations//projects/%38/',
    '/api/organizations/0190/environments/8/',
    '/api/projects/7/environments/8/',
  ])('to %j are a usage error before anything is sent', async (path) => {
    const before = stub.log.length;
    expect(await failureOf(watched.client.api.raw({ method: 'GET', path }))).toMatchObject({ kind: 'usage' });
    expect(stub.log).toHaveLength(before);
  });

  it('without a project may ask for what lies outside all of them only', async () => {
    const { client } = makeClient(stub.origin, { projectId: undefined });
    expect(client.api.describe({ method: 'GET', path: '/api/projects/' }).url).toBe(
      `${stub.origin}/api/projects/`,
    );
    expect(await failureOf(client.api.raw({ method: 'GET', path: '/api/projects/8/' }))).toMatchObject({
      kind: 'usage',
    });
  });

  it('take known methods only', async () => {
    const request = { method: 'BREW', path: 'x/' };
    expect(await failureOf(watched.client.api.raw(request))).toMatchObject({ kind: 'usage' });
  });

  it('are sent once where they write', async () => {
    expect(
      await failureOf(watched.client.api.raw({ method: 'PUT', path: 'lost/', body: '{}' })),
    ).toMatchObject({
      kind: 'partial',
      outcome: 'unknown',
    });
    expect(stub.log.filter(({ url }) => url.includes('lost'))).toHaveLength(1);
  });

  it('read lists page by page within the project', async () => {
    const rows = [];
    for await (const page of watched.client.api.pages({ method: 'GET', path: 'groups/' }))
      rows.push(...page.rows);
    expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('stay on their path where they lie outside the project', async () => {
    const reading = (async () => {
      for await (const page of watched.client.api.pages({ method: 'GET', path: '/api/organizations/' }))
        page.rows;
    })();
    expect((await failureOf(reading)).message).toContain('leads out of the project');
  });

  it('are described with their body as JSON or as text', () => {
    const { api } = watched.client;
    expect(api.describe({ method: 'POST', path: 'x/', body: '{"a":1}' }).body).toEqual({ a: 1 });
    expect(api.describe({ method: 'POST', path: 'x/', body: 'a,b' }).body).toBe('a,b');
    expect(api.describe({ method: 'GET', path: 'x/' })).toMatchObject({
      body: undefined,
      headers: { authorization: 'Bearer ***' },
    });
  });
});

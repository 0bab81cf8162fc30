import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Script, Stub } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const read = () => watched.client.call(persons.get, { id: '42' });

describe('raw answers', () => {
  it("passes the service's own format through", async () => {
    await open([{ headers: { 'content-type': 'text/csv' }, body: 'id,name\n1,Ana\n' }]);
    const answer = await watched.client.raw(persons.list, { limit: 5 }, { format: 'csv' });
    expect(stub.log[0]?.url).toBe('/api/projects/7/persons/?limit=5&format=csv');
    expect(stub.log[0]?.headers.accept).toBe('*/*');
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/csv' } });
    expect(Buffer.from(answer.bytes).toString()).toBe('id,name\n1,Ana\n');
  });

  it('are no sign-in pages ()', async () => {
    await open([{ body: '<html>', headers: { 'content-type': 'text/html' } }]);
    const error = await failureOf(watched.client.raw(persons.list, {}, { format: 'csv' }));
    expect(error).toMatchObject({ kind: 'unavailable', status: 200 });
    expect(stub.log[0]?.url).toBe('/api/projects/7/persons/?format=csv');
  });

  it('fails as every call does', async () => {
    await open([{ status: 404, json: { detail: 'Not found.' } }]);
    expect(await failureOf(watched.client.raw(persons.get, { id: '1' }))).toMatchObject({
      kind: 'not-found',
    });
  });
});

describe('describing a request', () => {
  it('shows what would be sent, the key masked, and sends nothing', async () => {
    await open([() => ({ json: {} })]);
    expect(watched.client.describe(persons.bulkDelete, { distinct_ids: ['a'], delete_events: true })).toEqual(
      {
        method: 'POST',
        url: `${stub.origin}/api/projects/7/persons/bulk_delete/?delete_events=true`,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': 'hogctl',
          authorization: 'Bearer ***',
        },
        body: { distinct_ids: ['a'], delete_events: true },
      },
    );
    expect(stub.log).toEqual([]);
  });

  it('takes a whole body in place of the one made of the input', async () => {
    await open([{ json: { results: [] } }]);
    await watched.client.call(persons.funnel, {}, { body: { events: [], odd: [null] } });
    expect(stub.log[0]?.body).toBe('{"events":[],"odd":[null]}');
  });
});

describe('the trace', () => {
  it('shows what went over the wire without key, values or people', async () => {
    await open([{ json: {} }, { reset: 'before', times: 2 }], { retries: 0 });
    await watched.client.call(persons.list, { email: 'ana@example.org', limit: 5 }).catch(() => undefined);
    await failureOf(
      watched.client.call(persons.update, { id: '42', properties: { email: 'ana@example.org' } }),
    );
    await failureOf(read());
    expect(watched.trace).toEqual([
      'GET /api/projects/7/persons/?email=***&limit=*** -> 200 application/json 2 bytes, 0 ms',
      'PATCH /api/projects/7/persons/***/ (42 bytes) -> no answer: lost (ECONNRESET), 0 ms',
      'GET /api/projects/7/persons/***/ -> no answer: lost (ECONNRESET), 0 ms',
    ]);
  });
});

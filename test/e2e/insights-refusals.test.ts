import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const at = '/api/projects/1';
const closed = {
  status: 403,
  json: {
    type: 'authentication_error',
    code: 'permission_denied',
    detail: 'This action does not support keys',
  },
};
const badKey = {
  status: 403,
  json: { type: 'authentication_error', code: 'authentication_failed', detail: 'invalid' },
};
const missing = { status: 404, json: { code: 'not_found', detail: 'Not found.' } };
const series = [
  { kind: 'EventsNode', event: 'a' },
  { kind: 'EventsNode', event: 'b' },
];
const steps = [
  { name: 'a', order: 0, count: 4 },
  { name: 'b', order: 1, count: 2 },
];

describe('a funnel that the service refuses', () => {
  const line = 'insights funnel --events a,b -o csv --columns name,count';
  const rows = 'name,count\na,4\nb,2\n';

  it('is calculated by a query, which is told to those who look for it', async () => {
    const service = await startService([
      { on: `POST ${at}/insights/funnel/`, ...closed, times: 2 },
      { on: `POST ${at}/query/`, json: { results: steps }, times: 2 },
    ]);
    const { code, stdout, stderr } = await service.hogctl(line);
    expect({ code, stdout: stdout.replaceAll('\r', ''), stderr }).toEqual({
      code: 0,
      stdout: rows,
      stderr: '',
    });
    const traced = await service.hogctl(`${line} --debug`);
    expect(traced.stderr).toContain(
      'The service does not answer this key directly (403), so a query (FunnelsQuery) was used instead.\n',
    );
    expect(service.log[1]?.json).toEqual({ query: { kind: 'FunnelsQuery', series } });
  });

  it('shows the first failure when the query fails too', async () => {
    const service = await startService([
      { on: `POST ${at}/insights/funnel/`, ...closed },
      { on: `POST ${at}/query/`, status: 400, json: { code: 'parse_error', detail: 'no such field' } },
    ]);
    const { code, stdout, stderr } = await service.hogctl(line);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(
      'The replacement, a query (FunnelsQuery), failed too: the service answered 400: no such field.\n',
    );
    expect(stderr).toMatch(/error: .*answered 403: This action does not support keys/);
  });

  it('shows the first failure when a body cannot be sent in a query', async () => {
    const service = await startService([{ on: `POST ${at}/insights/funnel/`, ...closed }]);
    const { code, stderr } = await service.hogctl(`insights funnel --body '{"events":[{"id":"a"}],"odd":1}'`);
    expect(code).toBe(4);
    expect(stderr).toContain('the field "odd" cannot be sent in a query');
  });

  it.each([
    ['a wrong key', badKey, 4],
    ['an address that is not there', missing, 3],
    ['a wrong request', { status: 400, json: { detail: 'two steps' } }, 5],
  ])('is not asked for again after %s', async (_, answer, exit) => {
    const service = await startService([{ on: `POST ${at}/insights/funnel/`, ...answer }]);
    expect((await service.hogctl(line)).code).toBe(exit);
    expect(service.log).toHaveLength(1);
  });

  it('takes the way that was chosen by hand', async () => {
    const byQuery = await startService([{ on: `POST ${at}/query/`, json: { results: steps } }]);
    expect((await byQuery.hogctl(`${line} --via query`)).stdout.replaceAll('\r', '')).toBe(rows);
    const byEndpoint = await startService([{ on: `POST ${at}/insights/funnel/`, ...closed }]);
    expect((await byEndpoint.hogctl(`${line} --via endpoint`)).code).toBe(4);
  });

  it('fails where the query answers that it failed', async () => {
    const service = await startService([
      { json: { results: null, query_status: { error: true, error_message: 'memory', complete: true } } },
    ]);
    const { code, stderr } = await service.hogctl(`${line} --via query`);
    expect(code).toBe(6);
    expect(stderr).toContain('the query failed: memory');
  });
});

describe('a correlation that is gone', () => {
  it('is calculated by a query after a 404', async () => {
    const result = {
      events: [{ event: { event: 'video' }, odds_ratio: 2, success_count: 3, failure_count: 1 }],
    };
    const service = await startService([
      { on: `POST ${at}/insights/funnel/correlation/`, ...missing },
      { on: `POST ${at}/query/`, json: { results: result } },
    ]);
    const { code, stdout } = await service.hogctl('insights funnel-correlation --events a,b -o csv');
    expect(code).toBe(0);
    expect(stdout).toContain('video');
    expect(service.log[1]?.json).toEqual({
      query: {
        kind: 'FunnelCorrelationQuery',
        source: { kind: 'FunnelsActorsQuery', source: { kind: 'FunnelsQuery', series } },
        funnelCorrelationType: 'events',
      },
    });
  });
});

describe('people whose list the service refuses', () => {
  const person = (id: string) => ({ id, distinct_ids: [id], created_at: '2026-01-01' });

  it('come from a query, page by page, up to the limit', async () => {
    const service = await startService([
      { on: `POST ${at}/persons/funnel/`, ...closed },
      { on: /query/, json: { results: [[person('a')], [person('b')]], hasMore: true } },
      { on: /query/, json: { results: [[person('c')]], hasMore: true } },
    ]);
    const line = 'persons funnel --events a,b --step 2 --dropped --limit 3 -o ndjson --columns id --debug';
    const { code, stdout, stderr } = await service.hogctl(line);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n' });
    expect(stderr).toContain('a query (ActorsQuery over FunnelsActorsQuery) was used instead');
    expect(stderr).toContain('these are the first 3 rows');
    const source = { kind: 'FunnelsActorsQuery', source: { kind: 'FunnelsQuery', series }, funnelStep: -2 };
    expect(service.log.slice(1).map(({ json }) => json)).toEqual([
      { query: { kind: 'ActorsQuery', select: ['actor'], source, limit: 3, offset: 0 } },
      { query: { kind: 'ActorsQuery', select: ['actor'], source, limit: 1, offset: 2 } },
    ]);
  });

  it('come from the list itself where it is open', async () => {
    const people = { people: [person('a'), person('b')], count: 2 };
    const service = await startService([{ json: { results: [people], next: null } }]);
    const { stdout, stderr } = await service.hogctl(
      'persons funnel --events a,b --step 1 -o ndjson --columns id',
    );
    expect({ stdout, stderr }).toEqual({ stdout: '{"id":"a"}\n{"id":"b"}\n', stderr: '' });
    expect(service.log[0]?.json).toMatchObject({ funnel_step: 1, limit: 100 });
  });

  it('are looked for by a query where the live service took the removed path for a person', async () => {
    const service = await startService([
      {
        on: `GET ${at}/persons/stickiness/`,
        status: 400,
        json: { detail: 'does not look like a personID' },
        times: 2,
      },
      { on: `POST ${at}/query/`, json: { results: [[person('a')]], hasMore: false } },
    ]);
    const line = 'persons stickiness --events a --days 3 -o ndjson --columns id';
    expect((await service.hogctl(line)).code).toBe(5);
    const live = await service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
    expect(live).toMatchObject({ code: 0, stdout: '{"id":"a"}\n' });
  });
});

import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import type { Received, Script } from '../support/stub-server.ts';

const LIMIT = {
  type: 'server_error',
  code: 'error',
  detail:
    'This query hit the 10-second time limit for queries run through the API. Submit it as an async query to give it more time.',
  attr: null,
};
const ROWS = { results: [['a', 1]], columns: ['event', 'n'], is_cached: false };
const STARTED = '2026-03-02T12:00:05Z';

const isStart = ({ method, json }: Received) =>
  method === 'POST' && (json as { readonly refresh?: string }).refresh === 'force_async';

/** A service whose limit the query meets, and that then answers its status so. */
function slow(...states: Script): Script {
  const status = { id: 'q1', complete: false, start_time: STARTED };
  return [
    { on: isStart, status: 202, json: { results: null, query_status: status } },
    { on: /^POST .*\/query\/$/, status: 504, json: LIMIT },
    { on: /^DELETE /, json: { message: 'Query cancelled' } },
    ...states,
  ];
}

const running = { status: 202, json: { query_status: { id: 'q1', complete: false } }, times: 2 };
const done = (answer: object) => ({ json: { query_status: { id: 'q1', complete: true, results: answer } } });
const lines = (log: readonly Received[]) =>
  log.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '').replace('/api/projects/1/', '')}`);

describe('a query that the service gives up', () => {
  it('is not repeated as it is, but goes on in the background', async () => {
    const service = await startService(slow(running, done({ ...ROWS, last_refresh: STARTED })));
    const { code, stdout, stderr } = await service.hogctl('query "select 1" -o csv');
    expect([code, stdout]).toEqual([0, 'event,n\na,1\n']);
    expect(stderr).toContain('takes longer than one request may last, so it goes on in the background');
    const poll = 'GET query/q1/';
    expect(lines(service.log)).toEqual(['POST query/', 'POST query/', poll, poll, poll]);
    const [first, second] = service.log.map(({ json }) => json as Record<string, unknown>);
    expect(second).toEqual({
      ...first,
      refresh: 'force_async',
      client_query_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('is cancelled when the wait is over', async () => {
    const service = await startService(slow({ ...running, times: 999 }));
    const { code, stderr } = await service.hogctl('query "select 1" --wait-timeout 20s');
    expect(code).toBe(6);
    expect(stderr).toContain('error: query q1 took longer than 20 s, so it was cancelled\n');
    expect(lines(service.log).at(-1)).toBe('DELETE query/q1/');
  });

  it('waits ten minutes unless something else is said', async () => {
    const service = await startService(slow({ ...running, times: 999 }));
    const { code, stderr } = await service.hogctl('query "select 1"');
    expect([code, stderr.includes('query q1 took longer than 600 s')]).toEqual([6, true]);
  });

  it('is cancelled by Ctrl-C', async () => {
    const controller = new AbortController();
    const work = () => controller.abort('SIGINT');
    const service = await startService(slow({ ...running, times: 1, work }, running));
    const { code } = await service.hogctl('query "select 1"', { signal: controller.signal });
    expect(code).toBe(130);
    expect(lines(service.log).at(-1)).toBe('DELETE query/q1/');
  });

  it('is told as refused if it fails in the background', async () => {
    const failed = {
      id: 'q1',
      complete: true,
      error: true,
      error_message: 'Query has hit the max memory limit',
    };
    const service = await startService(slow({ status: 400, json: { query_status: failed } }));
    const { code, stderr } = await service.hogctl('query "select 1"');
    expect([code, stderr.includes('the query failed: Query has hit the max memory limit')]).toEqual([
      5,
      true,
    ]);
  });

  it('goes on if a gateway gave up as well', async () => {
    const [start, , ...others] = slow(done(ROWS));
    const gateway = {
      on: /^POST /,
      status: 504,
      body: '<html><title>Gateway Time-out</title></html>',
      times: 9,
    };
    const service = await startService([...(start === undefined ? [] : [start]), gateway, ...others]);
    expect((await service.hogctl('query "select 1" -o csv')).stdout).toBe('event,n\na,1\n');
  });

  it.each(['insights trends --events a', 'persons funnel --events a,b --step 2 --via query'])(
    'goes on as well where hogctl builds it: %s',
    async (line) => {
      const service = await startService(slow(done({ results: [] })));
      await service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
      expect(lines(service.log)).toEqual(['POST query/', 'POST query/', 'GET query/q1/']);
    },
  );
});

describe('an export by a query that the service gives up', () => {
  const person = ['0190a5b8-0000-7000-8000-000000000001', '2026-01-01T00:00:00Z', '{}', ['a']];

  it.each([
    ['was calculated since', { last_refresh: '2026-03-02T12:00:09Z' }, true],
    ['was calculated before', { last_refresh: '2026-03-02T12:00:01Z' }, false],
    ['comes from a cache', { last_refresh: '2026-03-02T12:00:09Z', is_cached: true }, false],
    ['does not say when', {}, false],
  ])('takes an answer only if it is new: %s', async (_, more, isTaken) => {
    const answer = { results: [person], columns: ['id', 'created_at', 'properties', 'ids'], ...more };
    const service = await startService(slow(...Array.from({ length: 9 }, () => done(answer))));
    const { stderr } = await service.hogctl('persons export -o ndjson', {
      environment: { HOGCTL_DIALECT: 'live' },
    });
    expect(stderr.includes('does not say that the query was calculated anew')).toBe(!isTaken);
  });
});

it('tells what the service warns of in an answer, once', async () => {
  const warnings = [
    'This query scanned all events.',
    { message: 'Table orders is stale' },
    'This query scanned all events.',
  ];
  const service = await startService([{ json: { ...ROWS, warnings } }]);
  const { code, stderr } = await service.hogctl('query "select 1" -q -o csv');
  expect([code, stderr]).toEqual([
    0,
    'warning: This query scanned all events.\nwarning: Table orders is stale\n',
  ]);
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestsTo, startService, temporaryDirectory } from '../support/service.ts';
import type { Script, StubStep } from '../support/stub-server.ts';

const insightAt = '/api/projects/1/insights/9/';
const queryAt = '/api/projects/1/query/q-1/';

const series = (values: readonly number[]) => [
  {
    label: '$pageview',
    count: 0,
    data: values,
    days: values.map((_, index) => `2026-01-0${index + 1}`),
    labels: values.map(String),
  },
];
const insight = { id: 9, short_id: 'zeNY2NOU', name: 'Checkout' };
const running = { id: 'q-1', complete: false, error: false };
const started = { ...insight, result: null, last_refresh: null, query_status: running };
const done = {
  ...insight,
  result: series([3, 4]),
  last_refresh: '2026-03-02T12:00:00Z',
  query_status: null,
};
const old = { ...insight, result: series([1, 2]), last_refresh: '2026-03-01T00:00:00Z' };

const first = (json: unknown, status = 202): StubStep => ({ on: /refresh=async/, json, status });
const again = (json: unknown, times = 99): StubStep => ({ on: /refresh=force_cache/, json, times });
const status = (json: unknown, code = 200, times = 1): StubStep => ({
  on: `GET ${queryAt}`,
  json,
  status: code,
  times,
});
const stillRunning = (times: number) => status({ query_status: running }, 202, times);

/** A clock that only waiting moves. */
function createTime() {
  let milliseconds = Date.UTC(2026, 2, 2, 12);
  const begun = milliseconds;
  return {
    now: () => milliseconds,
    wait: async (pause: number) => {
      milliseconds += pause;
    },
    seconds: () => (milliseconds - begun) / 1000,
  };
}

async function waited(script: Script, options = '', line = 'insights get 9 --refresh async --wait') {
  const service = await startService(script);
  const time = createTime();
  const transcript = await service.hogctl(`${line} ${options}`, { now: time.now, wait: time.wait });
  return { ...transcript, requests: requestsTo(service), seconds: time.seconds() };
}

describe('a calculation in the background', () => {
  const line = 'insights get 9 --refresh async --wait --wait-timeout 5';

  it('(a) is followed to its rows', async () => {
    const { code, stdout, requests } = await waited(
      [
        first(started),
        stillRunning(2),
        status({ query_status: { ...running, complete: true } }),
        again(done),
      ],
      '-o csv',
      line,
    );
    expect({ code, stdout: stdout.replaceAll('\r', '') }).toEqual({
      code: 0,
      stdout:
        'label,day,value,order,breakdown_value,compare_label\n$pageview,2026-01-01,3,0,,\n$pageview,2026-01-02,4,0,,\n',
    });
    expect(requests).toEqual([
      `GET ${insightAt}?refresh=async`,
      `GET ${queryAt}?show_progress=true`,
      `GET ${queryAt}?show_progress=true`,
      `GET ${queryAt}?show_progress=true`,
      `GET ${insightAt}?refresh=force_cache`,
    ]);
  });

  it.each([
    ['in a 200', 200, 6],
    ['in a 400', 400, 5],
  ])('(b) stops at once when it failed, as told %s', async (_, code, exit) => {
    const failed = {
      query_status: { ...running, complete: true, error: true, error_message: 'too many rows' },
    };
    const answer = await waited([first(started), status(failed, code)], '-o csv', line);
    expect(answer).toMatchObject({ code: exit, stdout: '' });
    expect(answer.stderr).toContain('the calculation failed: too many rows');
    expect(answer.requests).toHaveLength(2);
  });

  it('(b) tells a failure of the service itself by its words', async () => {
    const failed = {
      query_status: { ...running, complete: true, error: true, error_message: 'out of memory' },
    };
    const answer = await waited([first(started), status(failed, 500, 99)], '-o csv --retries 0', line);
    expect(answer).toMatchObject({ code: 6, stdout: '' });
    expect(answer.stderr).toContain('the calculation failed: out of memory');
    expect(answer.requests).toHaveLength(2);
  });

  it('(b) shows the message of an insight that failed', async () => {
    const failed = {
      ...started,
      query_status: { ...running, complete: true, error: true, error_message: 'concurrency_limit_exceeded' },
    };
    for (const options of ['', '--wait']) {
      const service = await startService([first(failed)]);
      const { code, stdout, stderr } = await service.hogctl(`insights get 9 --refresh async ${options}`);
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toContain('concurrency_limit_exceeded');
      expect(service.log).toHaveLength(1);
    }
  });

  it('(c) is given up after the time that was asked for', async () => {
    const { code, stdout, stderr, seconds } = await waited(
      [first(started), stillRunning(99), again(started)],
      '-o csv',
      line,
    );
    expect({ code, stdout, seconds }).toEqual({ code: 6, stdout: '', seconds: 5 });
    expect(stderr).toContain('insight 9 (zeNY2NOU) is still running as query q-1 after 5 s');
    expect(stderr).toContain('hogctl insights cancel q-1');
  });

  it('(c) is given up where the clock stands still', async () => {
    const service = await startService([first(started), stillRunning(99)]);
    const { code, stderr } = await service.hogctl(line);
    expect(code).toBe(6);
    expect(stderr).toContain('still running');
  });

  it('(d) shows old figures as such when the time is up', async () => {
    const { code, stdout, stderr } = await waited(
      [first({ ...old, query_status: running }, 200), stillRunning(99)],
      '-o csv',
      line,
    );
    expect(code).toBe(6);
    expect(stdout).toContain('2026-01-02,2');
    expect(stderr).toContain(
      'still being calculated as query q-1; the figures are those of 2026-03-01T00:00:00Z',
    );
    expect(stderr).toContain('still running as query q-1');
  });

  it('names the query and ends with 0 without --wait', async () => {
    for (const [answer, words] of [
      [started, 'still being calculated as query q-1; there is no result yet'],
      [{ ...old, query_status: running }, 'the figures are those of 2026-03-01T00:00:00Z'],
    ] as const) {
      const service = await startService([first(answer)]);
      const { code, stderr } = await service.hogctl('insights get 9 --refresh async -o csv');
      expect(code).toBe(0);
      expect(stderr).toContain(words);
      expect(service.log).toHaveLength(1);
    }
  });
});

describe('waiting for an insight', () => {
  it('pauses longer and longer', async () => {
    const { code, seconds, requests } = await waited([
      first(started),
      stillRunning(20),
      status({ query_status: { ...running, complete: true } }),
      again(done),
    ]);
    expect(code).toBe(0);
    expect(requests.length).toBe(23);
    expect(seconds).toBeGreaterThan(100);
  });

  it('reads the insight itself where the key may not ask about queries', async () => {
    const { code, stdout, requests } = await waited(
      [
        first({ ...old, query_status: running }, 200),
        status({ detail: 'missing scope query:read', code: 'permission_denied' }, 403),
        again({ ...old, query_status: null }, 3),
        again(done),
      ],
      '-o csv',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('2026-01-02,4');
    expect(requests.filter((request) => request === `GET ${queryAt}?show_progress=true`)).toHaveLength(1);
    expect(requests.filter((request) => request.includes('force_cache'))).toHaveLength(4);
  });

  it('takes what is cached where the service has forgotten the query', async () => {
    const { code, stdout } = await waited(
      [first(started), status({ detail: 'not found' }, 404), again(done)],
      '-o csv',
    );
    expect({ code, rows: stdout.split('\n').length }).toEqual({ code: 0, rows: 4 });
  });

  it('follows the query that took the place of a forgotten one', async () => {
    const next = { ...running, id: 'q-2' };
    const { code, requests } = await waited(
      [
        first(started),
        status({ detail: 'not found' }, 404),
        again({ ...started, query_status: next }, 1),
        { on: 'GET /api/projects/1/query/q-2/', json: { query_status: { ...next, complete: true } } },
        again(done),
      ],
      '-o csv',
    );
    expect(code).toBe(0);
    expect(requests).toContain('GET /api/projects/1/query/q-2/?show_progress=true');
  });

  it('takes the result from the query where the insight has none yet', async () => {
    const results = { results: series([5]), columns: null };
    const { code, stdout } = await waited(
      [
        first(started),
        status({ query_status: { ...running, complete: true, results } }),
        again({ ...started, query_status: null }),
      ],
      '-o csv',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('2026-01-01,5');
  });

  it('keeps the dashboard in every reading', async () => {
    const { requests } = await waited(
      [first(started), status({ query_status: { ...running, complete: true } }), again(done)],
      '--from-dashboard 3 -o csv',
    );
    expect(requests.at(-1)).toBe(`GET ${insightAt}?from_dashboard=3&refresh=force_cache`);
  });

  it('does not wait for what is there', async () => {
    const { code, requests } = await waited([{ json: done }], '-o csv', 'insights get 9 --refresh --wait');
    expect({ code, requests: requests.length }).toEqual({ code: 0, requests: 1 });
  });

  it('explains a result that is null', async () => {
    const { code, stdout, stderr } = await waited(
      [
        first(started),
        status({ query_status: { ...running, complete: true } }),
        again({ ...started, query_status: null }),
      ],
      '-o csv',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('no cached result');
  });

  it('leaves no file of old figures', async () => {
    const file = join(temporaryDirectory(), 'old.csv');
    const { code } = await waited(
      [first({ ...old, query_status: running }, 200), stillRunning(99)],
      `--wait-timeout 5 -o csv --save ${file}`,
    );
    expect({ code, left: existsSync(file) }).toEqual({ code: 6, left: false });
  });

  it('saves a picture of the result', async () => {
    const file = join(temporaryDirectory(), 'chart.svg');
    const { code, stdout } = await waited(
      [first(started), status({ query_status: { ...running, complete: true } }), again(done)],
      `--save ${file}`,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*<title>Checkout<\/title>.*<\/svg>\n$/s);
  });

  it.each([
    ['insights get 9 --wait-timeout 5', '--wait'],
    ['insights get 9 --chart -o json', '--chart and -o'],
    ['insights get 9 --no-chart --save chart.svg', '--no-chart cannot be used with'],
  ])('refuses "%s" before anything is sent', async (line, words) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(line);
    expect({ code, sent: service.log.length }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toContain(words);
  });
});

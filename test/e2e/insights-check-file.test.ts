import { describe, expect, it } from 'vitest';
import { answer, days, headers, idOf, run, service } from '../support/checked-insights.ts';
import { golden } from '../support/golden.ts';
import { startService } from '../support/service.ts';

const checks = `checks:
  - name: Conversion
    insight: 4
    refresh: true
    expect:
      - conversion >= 10
      - conversion(2) > 1%
  - insight: 11
    refresh: true
    series: order_completed - pro
    expect: min >= 0
    max_drop: 99%
  - insight: 4
    refresh: true
    expect: conversion >= 99
`;

describe.each(['specification', 'live'] as const)('a file of checks on the sandbox, %s', (dialect) => {
  const { shows } = golden(`insights-check-${dialect}`, { dialect });
  shows('checks what a file says', 'insights check --file -', { stdin: checks });
  shows('checks what a file says as json', 'insights check --file - -o json', { stdin: checks });
  shows('checks what a file says as JUnit XML', 'insights check --file - -o junit', { stdin: checks });
  shows('passes when all of a file holds', 'insights check --file -', {
    stdin: checks.replace('>= 99', '>= 9'),
  });
  shows('checks analyses that a file describes', 'insights check --file -', {
    stdin: `checks:
  - name: Orders of pro customers
    trends: {events: [order_completed], property: person.properties.plan=pro, date_from: -10d}
    expect: sum > 0
  - trends: {events: [order_completed], property: person.properties.plan=pro, date_from: -10d}
    max_lag: 2d
  - funnel: {event: product_viewed, events: order_completed, window: 7d, date_from: -30d}
    expect: conversion(2) >= 5
  - retention: {actions: 1, interval: week, intervals: 2, first_time: true}
    expect: count > 0
    unfinished: true
  - stickiness: {event: product_viewed, where: price>1}
    expect: sum > 0
`,
  });
  shows('tells every problem of an analysis', 'insights check --file -', {
    stdin: `checks:
  - trends: {events: [], datefrom: 3, interval: dya}
    expect: last > 1
  - trends: {events: a, date_from: yesterday}
    insight: 3
    variables: {a: 1}
    expect: last > 1
  - lifecycle: {events: [a, b]}
    expect: last > 1
  - lifecycle: 5
    expect: last > 1
`,
  });
  shows('tells every problem of a file', 'insights check --file -', {
    stdin: 'checks:\n  - insight: 4\n    expct: last > 1\n    max_drop: 20\n  - expect: last => 1\n  - 7\n',
  });
});

describe('a file of checks', () => {
  const fresh = (id: number) => ({ ...answer(id), last_refresh: '2026-03-04T11:59:00Z' });

  it('asks once for each insight that is read alike, and keeps the order of the file', async () => {
    const stub = await service(fresh);
    const { code, stdout } = await run(
      stub,
      [
        '{insight: 3, expect: last > 1}',
        '{insight: 1, expect: last > 1}',
        '{insight: "3", expect: [first > 1, sum > 1]}',
        '{insight: 3, expect: last > 1, filters_override: {date_from: -7d}}',
        '{insight: 2, expect: last > 1}',
      ],
      { options: '--refresh -o csv --no-headers --columns check,expected' },
    );
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'Insight 3,last > 1',
      'Insight 1,last > 1',
      'Insight 3,first > 1',
      'Insight 3,sum > 1',
      'Insight 3,last > 1',
      'Insight 2,last > 1',
      '',
    ]);
    const asked = stub.log.map(({ url }) => url.replace(/.*insights/, '')).sort();
    expect(asked).toEqual([
      '/1/?refresh=blocking',
      '/2/?refresh=blocking',
      '/3/?refresh=blocking',
      expect.stringContaining('/3/?refresh=blocking&filters_override='),
    ]);
  });

  it('asks once for each distinct analysis, with its options as the command sends them', async () => {
    const stub = await startService([
      { on: 'POST /api/projects/1/query/', json: fresh(3), headers, times: 2 },
    ]);
    const { code, stderr } = await run(
      stub,
      [
        '{trends: {events: ["a, b"], math: sum, math_property: price}, expect: last > 1}',
        '{trends: {events: ["a, b"], math: sum, math_property: price}, expect: first > 1}',
        '{trends: {events: "a,b"}, expect: last > 1}',
      ],
      { options: '--refresh' },
    );
    expect(code, stderr).toBe(0);
    expect(stub.log.map(({ json }) => json)).toEqual([
      {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: 'a, b', math: 'sum', math_property: 'price' }],
        },
        refresh: 'blocking',
      },
      {
        query: {
          kind: 'TrendsQuery',
          series: [
            { kind: 'EventsNode', event: 'a' },
            { kind: 'EventsNode', event: 'b' },
          ],
        },
        refresh: 'blocking',
      },
    ]);
  });

  it.each(['specification', 'live'])(
    'asks once if short id and number name one insight, %s',
    async (dialect) => {
      const stub = await startService([
        ({ url }) =>
          url.includes('short_id=')
            ? { json: { count: 1, next: null, previous: null, results: [{ id: 3, short_id: 'zeNY2NOU' }] } }
            : { json: answer(3), headers },
      ]);
      const entries = [
        '{insight: 3, expect: last > 1}',
        '{insight: zeNY2NOU, expect: first > 1}',
        '{short_id: zeNY2NOU, expect: sum > 1}',
      ];
      const { code, stdout } = await run(stub, entries, { environment: { HOGCTL_DIALECT: dialect } });
      expect([code, stdout.split('\n').length]).toEqual([0, 5]);
      const asked = stub.log.map(({ url }) => url.replace(/.*insights/, '')).sort();
      expect(asked).toEqual(['/3/', expect.stringMatching(/^\/\?.*short_id=zeNY2NOU/)]);
    },
  );

  it('asks for three insights at a time, as many as the service calculates at once', async () => {
    let open = 0;
    let most = 0;
    const released: (() => void)[] = [];
    const stub = await startService([
      {
        times: Number.POSITIVE_INFINITY,
        json: answer(1),
        headers,
        work: async () => {
          open += 1;
          most = Math.max(most, open);
          await new Promise<void>((resolve) => {
            released.push(resolve);
            // The third one lets all go on.
            if (open === 3) for (const release of released.splice(0)) release();
          });
          open -= 1;
        },
      },
    ]);
    const entries = [1, 2, 3, 4, 5, 6].map((id) => `{insight: ${id}, expect: last > 1}`);
    expect((await run(stub, entries)).code).toBe(0);
    expect(most).toBe(3);
  });

  const missing = { status: 404, json: { detail: 'Not found.' } };
  const down = { status: 500, json: {} };
  const closed = { status: 403, json: { code: 'permission_denied' } };
  it.each([
    ['what does not hold', [{}, { json: answer(2, [1, 1]) }], 9],
    ['what does not hold, beside what cannot be asked', [missing, { json: answer(2, [1, 1]) }], 9],
    ['a part that cannot be asked', [{}, missing], 8],
    ['nothing but missing insights', [missing, missing], 3],
    ['a service that is down', [down, down], 6],
    ['a key that may not', [closed, closed], 4],
    ['different reasons', [closed, missing], 8],
  ])('ends by %s', async (_, answers, exit) => {
    const stub = await startService([({ url }) => ({ json: answer(1), headers, ...answers[idOf(url) - 1] })]);
    const entries = ['{insight: 1, expect: last > 50}', '{insight: 2, expect: last > 50}'];
    const { code, stdout } = await run(stub, entries, { options: '--retries 0' });
    expect(code).toBe(exit);
    expect(stdout.split('\n')).toHaveLength(4);
  });

  it('asks nothing more with a key that the service does not know', async () => {
    const stub = await startService([() => ({ status: 401, json: {} })]);
    const entries = Array.from({ length: 20 }, (_, at) => `{insight: ${at + 1}, expect: last > 50}`);
    expect((await run(stub, entries)).code).toBe(4);
    expect(stub.log.length).toBeLessThan(7);
  });

  it('tells a missing result as a check that does not hold, for each expectation', async () => {
    const stub = await service((id) => ({ ...answer(id), result: null }));
    const { code, stdout } = await run(stub, ['{insight: 1, expect: [last > 1, last < 9]}'], {
      options: '-o json',
    });
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject([
      { expected: 'last > 1', found: expect.stringContaining('no result'), holds: false },
      { expected: 'last < 9', found: expect.stringContaining('no result'), holds: false },
    ]);
  });

  it.each([
    ['checks: []', 'line 1: checks takes a list of at least one check'],
    ['check:\n  - insight: 1', 'line 1: unknown field "check": the fields are refresh, checks'],
    ['', 'line 1: a list of checks is missing'],
    ['checks:\n  - insight: 1\n   expect: x', 'line 3: '],
    ['checks:\n  - {insight: 1, insight: 2, expect: last > 1}', 'line 2: Map keys must be unique'],
    ['checks:\n  - {insight: 1/../2, expect: last > 1}', 'line 2: "1/../2" is neither an insight id nor'],
    [
      'checks:\n  - {insight: 1, short_id: a, expect: last > 1}',
      'line 2: a check takes exactly one of insight, short_id, trends',
    ],
    ['checks:\n  - {insight: 1, max_drop: 20}', 'line 2: max_drop takes text'],
    ['checks:\n  - {insight: 1, max_drop: 20p}', 'line 2: max_drop takes a percentage, not "20p"'],
    ['checks:\n  - {insight: 1, max_age: 5m}', 'line 2: max_age takes a length of time, not "5m"'],
    ['checks:\n  - {insight: 1, expect: []}', 'line 2: expect takes text or a list of texts'],
    [
      'checks:\n  - {insight: &a 1, expect: last > 1}\n  - {insight: *a, expect: last > 1}',
      'line 3: insight is an alias',
    ],
    [
      'checks:\n  - {insight: 1, expect: last > 1, variables: {n: 12345678901234567890}}',
      'line 2: variables has a number that would lose digits',
    ],
    [
      'checks:\n  - {insight: 1, expect: last > 1}\n  - {insight: 1, refresh: true, expect: last > 1}',
      'line 3: refresh is blocking, but not given for the same insight in line 2',
    ],
    [`checks:\n  - ${'['.repeat(100_000)}`, 'nested too deeply'],
    [`checks: ${' '.repeat(300_000)}`, 'larger than 256 KB'],
    ['checks: [*x]', 'line 1: a check takes fields such as'],
    ['checks: !own x', 'line 1: Unresolved tag: !own'],
  ])('is refused before anything is sent: %.40s', async (stdin, message) => {
    const { hogctl, log } = await service();
    const { code, stderr } = await hogctl('insights check --file -', { stdin });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(log).toEqual([]);
  });

  it.each([
    ['insights check 9 --file -', 'an insight'],
    ['insights check --file - --max-age 24h', '--max-age'],
    ['insights check --file - --from-dashboard 3', '--from-dashboard'],
    ['insights check --file - --unfinished', '--unfinished'],
    ['insights check --file - --server-format json', '--server-format'],
    ['insights check 9 --expect "last > 1" --server-format json', '--server-format'],
    ['insights check --file - -o junit --columns check', 'columns'],
    ['insights check --expect "last > 1"', '<insight> is missing'],
    ['insights list -o junit', '"junit"'],
  ])('has no use for what says the same elsewhere: %s', async (line, word) => {
    const { hogctl, log } = await service();
    const { code, stderr } = await hogctl(line, { stdin: checks });
    expect([code, stderr]).toEqual([2, expect.stringContaining(word)]);
    expect(log).toEqual([]);
  });

  it('takes labels that look like numbers as they are written', async () => {
    const stub = await service((id) => ({
      ...answer(id),
      result: [{ label: '1.0', data: [1, 2], days }],
    }));
    const { code, stdout } = await run(stub, ['{name: 2026, insight: 1, series: 1.0, expect: last == 2}']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('2026   1.0')]);
  });
});

import { describe, expect, it } from 'vitest';
import { requestsTo, startService } from '../support/service.ts';

const at = '/api/projects/1/persons';
const none = { json: { results: [], next: null } };
const a = { id: 'a', type: 'events', order: 0 };
const b = { id: 'b', type: 'events', order: 1 };

async function sent(line: string) {
  const service = await startService([none]);
  const { code, stderr } = await service.hogctl(`${line} -o json`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [{ method, url, json } = { method: '', url: '', json: undefined }] = service.log;
  const { pathname, searchParams } = new URL(url, 'http://a');
  return { request: `${method} ${pathname}`, query: Object.fromEntries(searchParams), json };
}

describe('people behind an analysis', () => {
  it('of a funnel', async () => {
    expect(await sent('persons funnel --events a,b --step 2 --limit 5 --offset 10')).toEqual({
      request: `POST ${at}/funnel/`,
      query: {},
      json: { events: [a, b], funnel_step: 2, limit: 5, offset: 10 },
    });
    expect((await sent('persons funnel --events a,b --step 2 --dropped')).json).toMatchObject({
      funnel_step: -2,
    });
    expect(await sent('persons funnel --events a --step 1 --get')).toEqual({
      request: `GET ${at}/funnel/`,
      query: { events: JSON.stringify([a]), funnel_step: '1', limit: '100' },
      json: undefined,
    });
  });

  it('of a funnel in a body, with the options before what it says', async () => {
    const body = '{"events":[{"id":"a"}],"layout":"v","funnel_step":1,"limit":7,"offset":3}';
    expect((await sent(`persons funnel --body '${body}'`)).json).toEqual({
      events: [{ id: 'a' }],
      layout: 'v',
      funnel_step: 1,
      limit: 7,
      offset: 3,
    });
    expect((await sent(`persons funnel --body '${body}' --step 2 --limit 9`)).json).toMatchObject({
      funnel_step: 2,
      limit: 9,
      offset: 3,
    });
  });

  it('of a correlation', async () => {
    const line = 'persons funnel-correlation --events a,b --entity video --no-converted';
    expect(await sent(line)).toEqual({
      request: `POST ${at}/funnel/correlation/`,
      query: {},
      json: {
        events: [a, b],
        funnel_correlation_person_entity: { id: 'video', type: 'events' },
        funnel_correlation_person_converted: false,
        limit: 100,
      },
    });
  });

  it('of a lifecycle', async () => {
    expect(await sent('persons lifecycle --events a --day 2026-02-20 --status new --date-from -30d')).toEqual(
      {
        request: `GET ${at}/lifecycle/`,
        query: {
          events: JSON.stringify([a]),
          target_date: '2026-02-20',
          lifecycle_type: 'new',
          date_from: '-30d',
          limit: '100',
        },
        json: undefined,
      },
    );
  });

  it('of a lifecycle on a day that is its range when no dates are given', async () => {
    const line = 'persons lifecycle --events a --day 2026-01-05 --status new --interval month';
    expect((await sent(line)).query).toMatchObject({
      target_date: '2026-01-05',
      date_from: '2026-01-01',
      date_to: '2026-01-31',
    });
  });

  it.each([
    ['2026-01-05', '--date-from -30d', true],
    ['2026-01-31', '--date-from -30d', true],
    ['2026-02-02', '--date-from -30d', false],
    ['2026-02-20', '--date-from -30d --date-to -14d', true],
    ['2026-01-05', '--date-from 2026-01-06', true],
    ['2026-01-05', '--date-from 2026-01-01 --date-to 2026-01-05', false],
    ['2026-01-05', '--date-from 2026-01-01 --date-to 2026-01-04', true],
    ['2026-01-05', '--date-from 2026-01-20 --interval month', false],
    ['2026-01-05', '--date-from mStart', false],
  ])('of a lifecycle on %s beside %s: only that day is %s', async (day, dates, isOutside) => {
    const service = await startService([() => ({ json: { results: [], next: null } })]);
    const line = `persons lifecycle --events a --status new --day ${day} ${dates}`;
    const { stderr } = await service.hogctl(line);
    const sent = new URL(service.log[0]?.url ?? '', 'http://127.0.0.1').searchParams;
    expect(sent.get('date_from') === day).toBe(isOutside);
    expect(stderr.includes(`Only ${day} is requested`)).toBe(isOutside);
  });

  it.each([
    ['2019-11-01', 'month', '2019-11-01', '2019-11-30'],
    ['2020-02-15', 'month', '2020-02-01', '2020-02-29'],
    ['2019-12-29', 'week', '2019-12-29', '2020-01-04'],
    ['2019-11-01', 'day', '2019-11-01', '2019-11-01'],
    ['2019-11-01T14:30:00', 'hour', '2019-11-01 14:00:00', '2019-11-01 14:59:59'],
    ['2019-11-01T14:30:00Z', 'hour', '2019-11-01 14:00:00Z', '2019-11-01 14:59:59Z'],
    ['2019-11-01', 'hour', '2019-11-01 00:00:00', '2019-11-01 00:59:59'],
  ])('of the point %s of a trend by %s are those of all of it', async (day, interval, from, to) => {
    const { query } = await sent(`persons trends --events a --day ${day} --interval ${interval}`);
    expect(query).toMatchObject({ date_from: from, date_to: to, interval });
  });

  it('of stickiness', async () => {
    expect(await sent('persons stickiness --actions 7 --days 3 --interval week')).toEqual({
      request: `GET ${at}/stickiness/`,
      query: {
        actions: '[{"id":7,"type":"actions","order":0}]',
        stickiness_days: '3',
        interval: 'week',
        limit: '100',
      },
      json: undefined,
    });
  });

  it('of a trend', async () => {
    const line =
      'persons trends --events a,b --series 2 --day 2026-01-05 --math dau --breakdown plan --breakdown-type person --breakdown-value pro';
    expect(await sent(line)).toEqual({
      request: `GET ${at}/trends/`,
      query: {
        events: JSON.stringify([a, b].map((event) => ({ ...event, math: 'dau' }))),
        date_from: '2026-01-05',
        date_to: '2026-01-05',
        entity_id: 'b',
        entity_type: 'events',
        entity_math: 'dau',
        breakdown: '"plan"',
        breakdown_type: 'person',
        breakdown_value: 'pro',
        limit: '100',
      },
      json: undefined,
    });
  });

  it.each([
    ['persons funnel --step 1', 'no event and no action was given'],
    ['persons funnel --events a,b', '--step is missing'],
    [`persons funnel --body '{"events":[{"id":"a"}]}'`, '--step is missing'],
    ['persons funnel-correlation --events a,b', '--entity is missing'],
    ['persons stickiness --events a', '--days is missing'],
    ['persons lifecycle --events a --day 2026-01-05', '--status is missing'],
    ['persons lifecycle --events a --status new', '--day is missing'],
    ['persons funnel --events a,b --dropped', '--dropped needs --step'],
    ['persons funnel --events a,b --step 1 --dropped', '--dropped cannot be used with the first step'],
    ['persons funnel --events a,b --step 0', '--step must be at least 1'],
    ['persons trends --events a --day -7d --interval month', '"-7d" is not the day of a month'],
    ['persons trends --events a,b', 'one of 2 series must be chosen'],
    [
      'persons trends --events a --day 2026-01-05 --date-from -7d',
      '--day cannot be used with --date-from or --date-to',
    ],
    ['persons lifecycle --events a --status old', 'invalid value "old" for --status'],
    ['persons deletion-status --pending --status all', '--pending and --status'],
  ])('is refused for "%s"', async (line, words) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(line);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(service.log).toEqual([]);
  });
});

describe('what only the live service has', () => {
  it('tells how far deletions of events are', async () => {
    const service = await startService([none, none]);
    await service.hogctl('persons deletion-status --pending -o json');
    await service.hogctl('persons deletion-status --person-uuid u -o json');
    expect(requestsTo(service)).toEqual([
      `GET ${at}/deletion_status/?status=pending&limit=100`,
      `GET ${at}/deletion_status/?person_uuid=u&limit=100`,
    ]);
  });

  it('frees a distinct id', async () => {
    const service = await startService([{ status: 202 }]);
    const { code, stderr } = await service.hogctl('persons reset-distinct-id user_42');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Requested that user_42 can be used again. Its next event shows whether it worked.\n',
    });
    expect(service.log[0]).toMatchObject({ method: 'POST', json: { distinct_id: 'user_42' } });
  });

  it('shows the points of a timeline', async () => {
    const timeline = {
      points: [{ timestamp: '2026-01-01', properties: { plan: 'pro' }, relevant_event_count: 2 }],
    };
    const service = await startService([{ json: timeline, times: 2 }]);
    const rows = await service.hogctl('persons timeline 42 --date-from -7d -o csv');
    expect(rows.stdout).toContain('2026-01-01,2,');
    expect(JSON.parse((await service.hogctl('persons timeline 42 -o json')).stdout)).toEqual(timeline);
    expect(requestsTo(service)).toEqual([
      `GET ${at}/42/properties_timeline/?date_from=-7d`,
      `GET ${at}/42/properties_timeline/`,
    ]);
  });
});

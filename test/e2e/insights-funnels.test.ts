import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const at = '/api/projects/1/insights';
const step = (order: number, count: number, extra = {}) => ({
  action_id: `step ${order}`,
  name: `step ${order}`,
  order,
  count,
  type: 'events',
  average_conversion_time: order === 0 ? null : 60,
  median_conversion_time: null,
  ...extra,
});
const shapes = {
  steps: [step(0, 10), step(1, 4)],
  breakdown: [[step(0, 6, { breakdown_value: ['a'] }), step(1, 3, { breakdown_value: ['a'] })]],
  time_to_convert: {
    bins: [
      [60, 2],
      [120, 1],
    ],
    average_conversion_time: null,
  },
  trends: [{ count: 2, data: [50, 0], days: ['2026-01-01', '2026-01-02'], labels: ['a', 'b'] }],
};

describe('funnel answers have several shapes', () => {
  const ask = async (result: unknown, options: string) => {
    const service = await startService([{ on: `POST ${at}/funnel/`, json: { result, is_cached: false } }]);
    return service.hogctl(`insights funnel --events a,b ${options}`);
  };

  it.each([
    ['steps', '', shapes.steps, ['step 1', '40']],
    ['breakdowns', '--breakdown plan', shapes.breakdown, ['a', 'step 1', '50']],
    ['times to convert', '--viz time_to_convert', shapes.time_to_convert, ['120']],
    ['trends', '--viz trends', shapes.trends, ['2026-01-02']],
  ])('prints %s as table, CSV and JSON', async (_, options, result, words) => {
    for (const format of ['table', 'csv']) {
      const { code, stdout, stderr } = await ask(result, `${options} -o ${format}`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const word of words) expect(stdout).toContain(word);
      expect(stdout).not.toMatch(/NaN|undefined|null|\[object/);
    }
    const json = await ask(result, `${options} -o json`);
    expect(JSON.parse(json.stdout)).toEqual({ result, is_cached: false });
  });

  it('leaves averages blank where there are none', async () => {
    const { stdout } = await ask(shapes.steps, '-o csv --columns order,count,median_conversion_time');
    expect(stdout.replaceAll('\r', '')).toBe('order,count,median_conversion_time\n0,10,\n1,4,\n');
  });

  it('takes an empty list for an answer, and null for none', async () => {
    expect(await ask([], '-o json')).toMatchObject({ code: 0, stderr: '' });
    const none = await ask(null, '-o csv');
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('without a result');
  });

  it('shows an unknown shape as JSON, with a note', async () => {
    const { code, stdout, stderr } = await ask({ odd: 1 }, '-o csv');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ result: { odd: 1 }, is_cached: false });
    expect(stderr).toContain('shown as JSON');
  });

  it.each([
    ['nothing', '', 'no event and no action was given'],
    ['an empty event', '--event "" --event paid', 'an event name of --event is empty'],
    ['an unquoted name in a list', '--events signup,,paid', 'quote names that begin with $'],
    ['an action that is no number', '--actions buy', '--actions takes a whole number'],
    ['a body with --get', `--get --body '{"events":[{"id":"a"}]}'`, '--get sends no body'],
    ['minutes or months', '--events a,b --window 30m', 'write 30min for minutes, 30mo for months'],
  ])('refuses %s before anything is sent', async (_, options, words) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(`insights funnel ${options}`);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(service.log).toEqual([]);
  });
});

describe('funnel options on the wire', () => {
  const sent = async (line: string) => {
    const service = await startService([{ json: { result: [] } }]);
    const { code, stderr } = await service.hogctl(`${line} --quiet`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [received] = service.log;
    return received;
  };

  it('keep the order of events and their conditions', async () => {
    const line =
      "insights funnel --event '$pageview' --where url:icontains=/p --where n:gt=1 --property plan=pro --event paid --where vip=true --window 2w --exclude refund --exclude-to 2";
    expect((await sent(line))?.json).toEqual({
      events: [
        {
          id: '$pageview',
          type: 'events',
          order: 0,
          properties: [
            { key: 'url', operator: 'icontains', value: '/p', type: 'event' },
            { key: 'n', operator: 'gt', value: 1, type: 'event' },
          ],
        },
        {
          id: 'paid',
          type: 'events',
          order: 1,
          properties: [{ key: 'vip', operator: 'exact', value: true, type: 'event' }],
        },
      ],
      exclusions: [{ id: 'refund', type: 'events', funnel_from_step: 0, funnel_to_step: 1 }],
      properties: [{ key: 'plan', operator: 'exact', value: 'pro', type: 'event' }],
      funnel_window_interval: 2,
      funnel_window_interval_type: 'WEEK',
    });
  });

  it('go into the address with --get', async () => {
    const received = await sent('insights funnel --events a --get --date-from -7d');
    expect(received?.method).toBe('GET');
    expect(Object.fromEntries(new URL(received?.url ?? '', 'http://a').searchParams)).toEqual({
      events: '[{"id":"a","type":"events","order":0}]',
      date_from: '-7d',
    });
  });

  it('are a whole body as it was given', async () => {
    const body = '{"events":[{"id":"a"}],"layout":"vertical","big":12345678901234567890}';
    expect((await sent(`insights funnel --body '${body}'`))?.body).toBe(body);
  });

  it('warn where one is deprecated, and send it all the same', async () => {
    const service = await startService([{ json: { result: [] } }]);
    const { code, stderr } = await service.hogctl('insights funnel --events a,b --window-days 3 --quiet');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: funnel_window_days is deprecated; --window does the same\n',
    });
    expect(service.log[0]?.json).toMatchObject({ funnel_window_days: 3 });
  });

  it('travel in filters for a correlation', async () => {
    const received = await sent('insights funnel-correlation --events a,b --date-from -7d');
    expect(received).toMatchObject({ method: 'POST', url: `${at}/funnel/correlation/` });
    expect(received?.json).toEqual({
      filters: {
        events: [
          { id: 'a', type: 'events', order: 0 },
          { id: 'b', type: 'events', order: 1 },
        ],
        date_from: '-7d',
      },
    });
  });
});

describe('insights funnel --create', () => {
  const funnel = { on: `POST ${at}/funnel/`, json: { result: shapes.steps, is_cached: false } };
  const created = { on: `POST ${at}/`, status: 201, json: { id: 9, short_id: 'Ab12' } };

  it('keeps the query of the funnel when its figures came', async () => {
    const service = await startService([funnel, created]);
    const line = "insights funnel --events a,b --window 7d --breakdown plan --create 'To b'";
    const { code, stderr } = await service.hogctl(line);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Created insight 9 (Ab12).\n')]);
    expect(JSON.parse(service.log[1]?.body ?? '')).toMatchObject({
      name: 'To b',
      saved: true,
      query: expect.stringContaining('"kind":"FunnelsQuery"'),
    });
    const { source } = JSON.parse(JSON.parse(service.log[1]?.body ?? '').query);
    expect(source).toEqual({
      kind: 'FunnelsQuery',
      series: [
        { kind: 'EventsNode', event: 'a' },
        { kind: 'EventsNode', event: 'b' },
      ],
      breakdownFilter: { breakdown: 'plan' },
      funnelsFilter: { funnelWindowInterval: 7, funnelWindowIntervalUnit: 'day' },
    });
  });

  it.each([
    ['--events a,b --create ""', '--create is empty'],
    [`--body '{"events":["a"],"layout":1}' --create A`, 'the field "layout" cannot be sent in a query'],
  ])('is refused before anything is sent: %s', async (options, message) => {
    const { hogctl, log } = await startService([funnel, created]);
    const { code, stderr } = await hogctl(`insights funnel ${options}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(log).toEqual([]);
  });

  it('sends no second request if the calculation failed, and none in a dry run', async () => {
    const failed = { result: null, query_status: { complete: true, error: true, error_message: 'memory' } };
    const service = await startService([{ ...funnel, json: failed }]);
    expect((await service.hogctl('insights funnel --events a,b --create A')).code).toBe(6);
    const dry = await startService([funnel]);
    const { code, stdout } = await dry.hogctl('insights funnel --events a,b --create A --dry-run');
    expect([code, stdout, dry.log.length]).toEqual([
      0,
      expect.stringContaining(`POST ${dry.origin}${at}/`),
      1,
    ]);
  });
});

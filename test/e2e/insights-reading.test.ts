import { describe, expect, it } from 'vitest';
import { requestsTo, startService } from '../support/service.ts';

const at = '/api/projects/1/insights';
const live = { environment: { HOGCTL_DIALECT: 'live' } };
const empty = { json: { next: null, results: [] } };

describe('the list of insights', () => {
  const asked = async (line: string, setting = {}) => {
    const service = await startService([empty]);
    expect((await service.hogctl(`${line} -o json`, setting)).code).toBe(0);
    return requestsTo(service)[0];
  };

  it('sends what was asked', async () => {
    const line = 'insights list --created-by 5 --search checkout --no-saved --favorited --limit 7 --offset 3';
    expect(await asked(line)).toBe(
      `GET ${at}/?created_by=5&limit=7&offset=3&search=checkout&saved=false&favorited=true`,
    );
    expect(await asked('insights list --created-by 5', live)).toBe(
      `GET ${at}/?created_by=%5B5%5D&limit=100&basic=true`,
    );
  });

  it('leaves results out on the live service unless they are asked for', async () => {
    expect(await asked('insights list')).toBe(`GET ${at}/?limit=100`);
    expect(await asked('insights list', live)).toBe(`GET ${at}/?limit=100&basic=true`);
    expect(await asked('insights list --full', live)).toBe(`GET ${at}/?limit=100`);
    expect(await asked('insights list --refresh blocking', live)).toBe(
      `GET ${at}/?refresh=blocking&limit=100`,
    );
  });
});

describe('one insight', () => {
  const series = [{ label: 'a', count: 3, data: [3], days: ['2026-03-01'], labels: ['1'] }];
  const now = () => Date.parse('2026-03-02T12:00:00Z');
  const insight = { id: 9, short_id: 'zeNY2NOU', result: series, last_refresh: '2026-03-02T11:00:00Z' };

  it('is read by its short id on the live service, unless that looks like a number', async () => {
    const service = await startService([
      { on: /short_id=/, json: { next: null, results: [{ id: 5, short_id: '12345678' }] } },
      { json: insight, times: 2 },
    ]);
    await service.hogctl('insights get zeNY2NOU', live);
    await service.hogctl('insights get --short-id 12345678', live);
    expect(requestsTo(service)).toEqual([
      `GET ${at}/zeNY2NOU/`,
      `GET ${at}/?short_id=12345678&limit=2&basic=true`,
      `GET ${at}/5/`,
    ]);
  });

  it.each([
    ['insights get --refresh 9', 'refresh=blocking'],
    ['insights get 9 --refresh async_except_on_cache_miss', 'refresh=async_except_on_cache_miss'],
    ['insights get 9 --refresh --from-dashboard 3', 'from_dashboard=3&refresh=blocking'],
  ])('is asked for by "%s"', async (line, query) => {
    const service = await startService([{ json: insight }]);
    expect((await service.hogctl(line)).code).toBe(0);
    expect(requestsTo(service)).toEqual([`GET ${at}/9/?${query}`]);
  });

  it.each([
    ['2h', 0],
    ['3600s', 0],
    ['59min', 9],
  ])('may be as old as --max-age %s', async (age, exit) => {
    const service = await startService([{ json: insight }]);
    const { code, stdout } = await service.hogctl(`insights get 9 --max-age ${age} -o json`, { now });
    expect(code).toBe(exit);
    expect(stdout === '').toBe(exit === 9);
  });

  it('is too old where nobody knows its age, or it has no result', async () => {
    const service = await startService([
      { json: { ...insight, last_refresh: null } },
      { json: { id: 9, result: null } },
    ]);
    expect((await service.hogctl('insights get 9 --max-age 24h')).code).toBe(9);
    expect((await service.hogctl('insights get 9 --max-age 24h')).code).toBe(9);
  });

  it('says when it is still being calculated', async () => {
    const running = { query_status: { id: 'q1', complete: false } };
    const service = await startService([
      { status: 202, json: { ...insight, ...running } },
      { status: 202, json: { ...insight, result: null, ...running } },
    ]);
    const stale = await service.hogctl('insights get 9 --refresh async');
    expect(stale.code).toBe(0);
    expect(stale.stdout).toContain('2026-03-01');
    expect(stale.stderr).toContain(
      'still being calculated as query q1; the figures are those of 2026-03-02T11:00:00Z',
    );
    const none = await service.hogctl('insights get 9 --refresh async');
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('as query q1; there is no result yet');
  });

  it('fails where the calculation failed, although the service answers 200', async () => {
    const failed = {
      ...insight,
      result: null,
      query_status: { complete: true, error: true, error_message: 'too many' },
    };
    const service = await startService([{ json: failed }]);
    const { code, stdout, stderr } = await service.hogctl('insights get 9 --refresh -o json');
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toEqual(failed);
    expect(JSON.parse(stderr).error.message).toBe('the calculation of insight 9 (zeNY2NOU) failed: too many');
  });
});

describe('what stands around an insight', () => {
  it('hides the access token unless it is asked for', async () => {
    const sharing = { enabled: true, access_token: 'tok-TESTONLY', created_at: '2026-01-01' };
    const service = await startService([{ on: `GET ${at}/9/sharing/`, json: sharing, times: 3 }]);
    for (const format of ['json', 'table']) {
      const masked = await service.hogctl(`insights sharing 9 -o ${format}`);
      expect(masked.stdout).toContain('***');
      expect(masked.stdout).not.toContain('tok-TESTONLY');
    }
    const shown = await service.hogctl('insights sharing 9 --show-token -o json');
    expect(JSON.parse(shown.stdout)).toEqual(sharing);
    expect((await service.hogctl('insights sharing 9 --server-format json')).code).toBe(2);
    expect(service.log).toHaveLength(3);
  });

  it.each([
    ['insights access-controls 9', `GET ${at}/9/access_controls/`],
    ['insights global-access-controls 9', `GET ${at}/9/global_access_controls/`],
    ['insights activity 9 --limit 5', `GET ${at}/9/activity/?limit=5`],
    ['insights activity --page 2', `GET ${at}/activity/?limit=100&page=2`],
    ['insights last-viewed', `GET ${at}/my_last_viewed/`],
  ])('is read by "%s"', async (line, request) => {
    const service = await startService([empty]);
    expect((await service.hogctl(`${line} -o json`)).code).toBe(0);
    expect(requestsTo(service)).toEqual([request]);
  });

  it('points to what works where global access controls never do', async () => {
    const service = await startService([{ status: 400, json: { detail: 'only for projects' } }]);
    const { code, stderr } = await service.hogctl('insights global-access-controls 9', live);
    expect(code).toBe(5);
    expect(stderr).toContain('use access-controls');
  });
});

describe('insights that were viewed', () => {
  it('are recorded one by one as the specification has it', async () => {
    const service = await startService([{ times: 2 }]);
    expect((await service.hogctl('insights viewed 9 10')).code).toBe(0);
    expect(service.log.map(({ url, body }) => `${url} ${body}`)).toEqual([
      `${at}/9/viewed/ {}`,
      `${at}/10/viewed/ {}`,
    ]);
  });

  it('are read first on the live service, which drops unknown ids', async () => {
    const known = await startService([{ json: { id: 9 } }, { status: 201, json: {} }]);
    expect((await known.hogctl('insights viewed 9', live)).code).toBe(0);
    expect(known.log.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      `GET ${at}/9/ `,
      `POST ${at}/viewed/ {"insight_ids":[9]}`,
    ]);
    const unknown = await startService([{ status: 404, json: { detail: 'Not found.' } }]);
    expect((await unknown.hogctl('insights viewed 9', live)).code).toBe(3);
    expect(unknown.log).toHaveLength(1);
  });
});

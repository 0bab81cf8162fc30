import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestsTo, startService } from '../support/service.ts';

const at = '/api/projects/1/insights';

const insight = {
  id: 9,
  short_id: 'zeNY2NOU',
  name: 'Checkout',
  description: 'd',
  tags: ['q4'],
  dashboards: [3],
  saved: true,
  deleted: false,
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } },
};

/** A file with this content, named as `@file` of an option. */
function fileWith(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'hogctl-insights-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'q.json');
  writeFileSync(file, content);
  return `@${file}`;
}

describe('a saved insight without a cached result', () => {
  const empty = { ...insight, result: null, last_refresh: null, is_cached: false };
  const series = [
    { label: '$pageview', count: 7, data: [3, 4], days: ['2026-01-01', '2026-01-02'], labels: ['1', '2'] },
  ];
  const answers = () =>
    startService([
      {
        on: /refresh=blocking/,
        json: { ...insight, result: series, last_refresh: '2026-03-01T00:00:00Z' },
        headers: { date: new Date('2026-03-01T00:00:10Z').toUTCString() },
        times: 9,
      },
      { on: `GET ${at}/9/`, json: empty, times: 9 },
    ]);

  it('says so and names the refresh option', async () => {
    const { code, stdout, stderr } = await (await answers()).hogctl('insights get 9', { terminal: {} });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(
      'Checkout, insight 9 (zeNY2NOU)\nwarning: insight 9 (zeNY2NOU) has no cached result; calculate one with --refresh\n',
    );
  });

  it('keeps null in JSON', async () => {
    const { code, stdout } = await (await answers()).hogctl('insights get 9 --output json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(empty);
  });

  it('prints no empty table as CSV', async () => {
    const { code, stdout, stderr } = await (await answers()).hogctl('insights get 9 --output csv --quiet');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('no cached result');
  });

  it('prints rows once it is calculated', async () => {
    const service = await answers();
    const { code, stdout, stderr } = await service.hogctl('insights get 9 --refresh blocking -o csv');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('2026-01-02');
    expect(requestsTo(service)).toEqual([`GET ${at}/9/?refresh=blocking`]);
  });

  it('ends with 9 where a result was required', async () => {
    const { code, stdout, stderr } = await (await answers()).hogctl(
      'insights get 9 --require-result -o json',
    );
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      kind: 'check',
      message: 'insight 9 (zeNY2NOU) has no result',
    });
  });
});

describe('the short id of the address in the browser', () => {
  const numbered = () =>
    startService([
      {
        on: /short_id=zeNY2NOU/,
        json: { next: null, results: [{ id: 77, short_id: 'zeNY2NOU' }] },
        times: 2,
      },
      { on: /short_id=12345678/, json: { next: null, results: [{ id: 5, short_id: '12345678' }] } },
      { on: `GET ${at}/12345678/`, status: 404, json: { detail: 'Not found.' } },
      (received) => ({ json: { ...insight, id: 77, result: [], url: received.url } }),
    ]);

  it('is looked up, and the number is used', async () => {
    const service = await numbered();
    expect((await service.hogctl('insights get zeNY2NOU')).code).toBe(0);
    expect((await service.hogctl('insights update zeNY2NOU --name X')).code).toBe(0);
    expect(requestsTo(service)).toEqual([
      `GET ${at}/?short_id=zeNY2NOU&limit=2`,
      `GET ${at}/77/`,
      `GET ${at}/?short_id=zeNY2NOU&limit=2`,
      `PATCH ${at}/77/`,
    ]);
  });

  it('may be all digits where the option says so, and is a number otherwise', async () => {
    const service = await numbered();
    expect((await service.hogctl('insights get --short-id 12345678')).code).toBe(0);
    expect((await service.hogctl('insights get 12345678')).code).toBe(3);
    expect(requestsTo(service)).toEqual([
      `GET ${at}/?short_id=12345678&limit=2`,
      `GET ${at}/5/`,
      `GET ${at}/12345678/`,
    ]);
  });

  it('never picks another insight where the service ignores the filter', async () => {
    const service = await startService([{ json: { next: null, results: [insight, insight] } }]);
    const { code, stderr } = await service.hogctl('insights update aaaaaaaa --name X');
    expect(code).toBe(5);
    expect(stderr).toContain('the service answered with an insight other than "aaaaaaaa"');
    expect(service.log).toHaveLength(1);
  });
});

describe('deleting an insight', () => {
  it('sends one PATCH with deleted alone', async () => {
    const service = await startService([
      { on: `GET ${at}/9/`, status: 404, json: { detail: 'Not found.' } },
      { on: `PATCH ${at}/9/`, json: { ...insight, deleted: true } },
    ]);
    const { code, stderr } = await service.hogctl('insights delete 9 --yes');
    expect(code).toBe(0);
    expect(stderr).toBe(
      'Soft-deleted insight 9; hogctl insights restore 9 restores it, without alerts and subscriptions.\n',
    );
    expect(service.log.slice(1).map(({ method, body }) => `${method} ${body}`)).toEqual([
      'PATCH {"deleted":true}',
    ]);
  });

  it('reports the refusal of a hard deletion plainly', async () => {
    const service = await startService([{ on: `DELETE ${at}/9/`, status: 405 }]);
    const { code, stderr } = await service.hogctl('insights delete 9 --hard --yes');
    expect(code).toBe(5);
    expect(stderr).toBe(
      'error: the service refuses to hard-delete insights (405), so insight 9 is unchanged\nhint: soft-delete it with hogctl insights delete 9\n',
    );
  });

  it('is undone by deleted false alone', async () => {
    const service = await startService([{ on: `PATCH ${at}/9/`, json: insight }]);
    expect((await service.hogctl('insights restore 9')).code).toBe(0);
    expect(service.log.map(({ body }) => body)).toEqual(['{"deleted":false}']);
  });

  it('asks first', async () => {
    const tiles = [
      { id: 1, dashboard_id: 4 },
      { id: 2, dashboard_id: 5 },
    ];
    const shown = { ...insight, dashboard_tiles: tiles, alerts: [{ id: 'a' }] };
    const service = await startService([{ on: `GET ${at}/9/`, json: shown }]);
    expect((await service.hogctl('insights delete 9')).code).toBe(2);
    expect(service.log).toEqual([]);
    const { code, stderr } = await service.hogctl('insights delete 9', { answers: ['n'] });
    expect(code).toBe(7);
    expect(stderr).toContain(
      'soft-delete insight 9; it is removed from 2 dashboards, and its 1 alert and its subscriptions cannot',
    );
    expect(service.log.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('broken query text must not wipe the insight', () => {
  it.each([
    ['half a document', () => ['--query', '{"kind": "Insight']],
    ['a missing file', () => ['--query', '@/nowhere/q.json']],
    ['an empty file', () => ['--query', fileWith('')]],
    ['null', () => ['--query', 'null']],
    ['an empty object', () => ['--query', '{}']],
    ['a string that holds no node', () => ['--query', '"null"']],
    ['filters of null', () => ['--filters', 'null']],
  ])('refuses %s before anything is sent', async (_, words) => {
    const service = await startService([]);
    const { code, stdout } = await service.hogctl(['insights', 'update', '9', ...words()]);
    expect({ code, stdout, log: service.log }).toEqual({ code: 2, stdout: '', log: [] });
  });

  const node = '{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[]}}';
  it.each([
    ['JSON', () => node],
    ['a file with a byte order mark', () => fileWith(`\uFEFF${node}\n`)],
    ['a string that holds JSON', () => fileWith(JSON.stringify(node))],
  ])('sends %s as one JSON string, not encoded twice', async (_, given) => {
    const service = await startService([{ json: insight, times: 2 }]);
    await service.hogctl(['insights', 'update', '9', '--query', given()]);
    expect(service.log[0]?.json).toEqual({ query: node });
    await service.hogctl(['insights', 'update', '9', '--query', given()], {
      environment: { HOGCTL_DIALECT: 'live' },
    });
    expect(service.log[1]?.json).toEqual({ query: JSON.parse(node) });
  });
});

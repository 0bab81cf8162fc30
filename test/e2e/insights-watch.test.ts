import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const insight = (value: number) => ({
  id: 9,
  short_id: 'zeNY2NOU',
  name: 'Checkout',
  last_refresh: `2026-03-02T12:0${value}:00Z`,
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } },
  result: [
    { label: 'a', count: value, data: [value, 7], days: ['2026-03-01', '2026-03-02'], labels: ['', ''] },
  ],
});

/** Waits at once, and is interrupted in the wait of this number. */
function interrupted(at: number) {
  const pauses: number[] = [];
  const controller = new AbortController();
  const wait = async (milliseconds: number) => {
    pauses.push(milliseconds);
    if (pauses.length < at) return;
    controller.abort('SIGINT');
    throw Object.assign(new Error('broken off'), { name: 'AbortError' });
  };
  return { pauses, setting: { wait, signal: controller.signal, terminal: { columns: 80 } } };
}

describe('--watch', () => {
  it('draws an insight again in place until Ctrl-C, and says of when each drawing is', async () => {
    const { hogctl, log } = await startService([{ json: insight(1) }, { json: insight(2) }]);
    const { pauses, setting } = interrupted(2);
    const { code, stdout, stderr } = await hogctl('insights get 9 --watch 60s', setting);
    expect(code).toBe(0);
    expect(pauses).toEqual([60_000, 60_000]);
    expect(log).toHaveLength(2);
    expect(stdout.split('\u001b[2J\u001b[H')).toHaveLength(3);
    expect(stderr).toContain('calculated 2026-03-02T12:01:00Z');
    expect(stderr).toContain('calculated 2026-03-02T12:02:00Z');
    expect(stderr).toContain('again in 60 s; Ctrl-C ends it.');
    expect(stderr).not.toContain('error');
  });

  it('draws a query again', async () => {
    const { hogctl, log } = await startService([{ json: { columns: ['n'], results: [[1]] }, times: 2 }]);
    const { setting } = interrupted(2);
    const argv = ['query', 'select 1 as n', '--watch', '5s'];
    const { code, stdout } = await hogctl(argv, setting);
    expect(code).toBe(0);
    expect(log).toHaveLength(2);
    expect(stdout.match(/^1$/gm)).toHaveLength(2);
  });

  it('ends with the error of a drawing', async () => {
    const { hogctl } = await startService([{ json: insight(1) }, { status: 403, json: { detail: 'no' } }]);
    const { code } = await hogctl('insights get 9 --watch 60s', interrupted(9).setting);
    expect(code).toBe(4);
  });

  it.each([
    ['through a pipe', 'insights get 9 --watch 60s', undefined],
    ['beside -o json', 'insights get 9 --watch 60s -o json', { columns: 80 }],
    ['too often', 'insights get 9 --watch 1s', { columns: 80 }],
    ['beside --async', 'query select --watch 60s --async', { columns: 80 }],
  ])('sends nothing %s', async (_, line, terminal) => {
    const { hogctl, log } = await startService([]);
    const { code, stderr } = await hogctl(line, { ...(terminal && { terminal }) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --watch /);
    expect(log).toEqual([]);
  });
});

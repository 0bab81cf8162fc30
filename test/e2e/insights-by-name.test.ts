import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const insight = (id: number, name: string) => ({ id, short_id: `short${id}`, name, result: null });
const found = [
  insight(1, 'Orders per day'),
  insight(2, 'Orders per day and country'),
  insight(3, 'Made twice'),
  insight(4, 'Made twice'),
];
const at = '/api/projects/1/insights/';

const start = () =>
  startService([
    { on: `GET ${at}`, times: 9, json: { next: null, results: found } },
    { on: `GET ${at}1/`, times: 9, json: insight(1, 'Orders per day') },
  ]);

it('an insight that is only read may be called by its whole name', async () => {
  const service = await start();
  const { code, stdout } = await service.hogctl([
    'insights',
    'get',
    'Orders per day',
    '-o',
    'json',
    '--no-chart',
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).id).toBe(1);
  expect(service.log.map(({ url }) => url)).toEqual([
    expect.stringContaining('search=Orders%20per%20day'),
    expect.stringContaining(`${at}1/`),
  ]);
});

it('one word may be the short id of an insight or its name', async () => {
  const named = { ...insight(7, 'Signups'), result: [{ data: [5], days: ['2026-06-01'], labels: ['1'] }] };
  const lists = [
    { on: /^GET \/api\/projects\/1\/insights\/\?.*short_id=/, times: 9, json: { next: null, results: [] } },
    { on: `GET ${at}`, times: 9, json: { next: null, results: [named] } },
    { on: `GET ${at}7/`, times: 9, json: named },
  ];
  for (const dialect of ['specification', 'live'] as const) {
    const missing = { on: `GET ${at}Signups/`, times: 9, status: 404, json: { detail: 'Not found.' } };
    const service = await startService(dialect === 'live' ? [missing, ...lists] : lists);
    const environment = { HOGCTL_DIALECT: dialect };
    const read = await service.hogctl(['insights', 'get', 'Signups', '-o', 'json'], { environment });
    expect([read.code, read.stderr]).toEqual([0, '']);
    expect(JSON.parse(read.stdout).id).toBe(7);
    const checked = await service.hogctl(['insights', 'check', 'Signups', '--expect', 'last >= 9'], {
      environment,
    });
    expect([checked.code, checked.stderr]).toEqual([9, expect.stringContaining('short7')]);
  }
});

it('a name of several insights is refused with their ids, and one of none is not found', async () => {
  const service = await start();
  const several = await service.hogctl(['insights', 'sharing', 'Made twice']);
  expect([several.code, several.stderr]).toEqual([
    2,
    expect.stringContaining('insight 3 (short3), insight 4 (short4)'),
  ]);
  const part = await service.hogctl(['insights', 'get', 'Orders per']);
  expect([part.code, part.stderr]).toEqual([3, expect.stringContaining('insights list --search')]);
});

it('a command that changes an insight takes no name', async () => {
  const service = await start();
  const { code, stderr } = await service.hogctl(['insights', 'delete', 'Orders per day', '--yes']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('neither an insight id nor a short id')]);
  expect(service.log).toEqual([]);
});

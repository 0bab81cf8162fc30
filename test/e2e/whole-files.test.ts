import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { people, startService, temporaryDirectory } from '../support/service.ts';

const list = () =>
  startService([
    ({ url }) => ({
      json: {
        results: people(100),
        next: `http://127.0.0.1/api/projects/1/persons/?offset=100&${url.length}`,
      },
    }),
  ]);
const answer = (rows: number, hasMore?: boolean) =>
  startService([
    { on: /query/, json: { columns: ['n'], results: Array.from({ length: rows }, (_, n) => [n]), hasMore } },
  ]);

describe('a file of --save', () => {
  it.each([
    ['persons list', 8],
    ['persons list --limit 100', 0],
    ['insights list', 8],
    ['persons activity --page 2', 0],
  ])('is whole, or the exit code says not: %s', async (line, exit) => {
    const { hogctl } = await list();
    const file = join(temporaryDirectory(), 'rows.csv');
    const { code, stderr } = await hogctl(`${line} --save ${file}`);
    expect({ code, stderr }).toMatchObject({ code: exit });
    expect(existsSync(file)).toBe(exit === 0);
    if (exit === 8) {
      expect(stderr).toContain(
        `${file} was not written: these would be the first 100 rows, and the service has more`,
      );
      expect(stderr).toContain('hint: --all reads all of them, and --limit 100 says that these are enough');
    }
    const printed = await (await list()).hogctl(`${line} -o csv`);
    expect(printed.code).toBe(0);
  });

  it.each([
    ['select n from t', 100, true, [], 8],
    ['select n from t', 100, undefined, [], 8],
    ['select n from t', 5, false, [], 0],
    ['select n from t limit 100', 100, true, [], 0],
    ['select n from t', 101, true, ['--limit', '100'], 0],
    ['select n from t limit 70000', 50_000, undefined, [], 8],
  ])('is that of a whole query: %s, %d rows', async (sql, rows, hasMore, options, exit) => {
    const { hogctl } = await answer(rows, hasMore);
    const file = join(temporaryDirectory(), 'rows.csv');
    const { code } = await hogctl(['query', sql, ...options, '--save', file]);
    expect([code, existsSync(file)]).toEqual([exit, exit === 0]);
  });

  it('is that of a whole insight', async () => {
    const insight = {
      id: 9,
      query: { kind: 'TrendsQuery' },
      hasMore: true,
      result: [{ label: 'a', breakdown_value: 'NO', data: [1], days: ['2026-03-01'] }],
    };
    const { hogctl } = await startService([() => ({ json: insight })]);
    const file = join(temporaryDirectory(), 'figures');
    expect(await hogctl(`insights get 9 --save ${file}.csv`)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('the service left out values of the breakdown'),
    });
    expect(existsSync(`${file}.csv`)).toBe(false);
    expect((await hogctl(`insights get 9 --save ${file}.json`)).code).toBe(0);
    expect(readFileSync(`${file}.json`, 'utf8')).toContain('"hasMore": true');
  });
});

describe('--server-format', () => {
  it.each([
    'persons export',
    'persons duplicates --by email',
    'persons delete 1 --yes',
    "insights check 9 --expect 'last > 1'",
    'insights pull folder',
    'insights delete 9 --yes',
    'runs list',
    'runs verify last',
    'auth list',
    'endpoints',
  ])('is refused where rows are chosen or made here: %s', async (line) => {
    const service = await startService([]);
    expect(await service.hogctl(`${line} --server-format csv`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this command has none to print'),
    });
    expect(service.log).toEqual([]);
  });

  it('does not go with --limit of a query, which asks for a row more', async () => {
    const service = await startService([]);
    const { code } = await service.hogctl("query 'select 1' --limit 5 --server-format csv");
    expect([code, service.log.length]).toEqual([2, 0]);
  });

  const ids = Array.from({ length: 1000 }, (_, index) => `anon-${index}`);
  const json = JSON.stringify({ results: [{ id: 1, distinct_ids: ids }], next: null });
  const csv = `id,${ids.map((_, index) => `distinct_ids.${index}`).join(',')}\n1,${ids.join(',')}\n`;

  it.each([
    ['json', json],
    ['csv', csv],
  ])('checks how many distinct ids a person has, as %s', async (format, body) => {
    const service = await startService([() => ({ body, headers: { 'content-type': 'text/plain' } })]);
    const { code, stdout, stderr } = await service.hogctl(`persons list --server-format ${format}`);
    expect([code, stdout]).toEqual([8, body]);
    expect(stderr).toContain('may have more distinct ids than the list shows');
    const file = join(temporaryDirectory(), `people.${format}`);
    expect((await service.hogctl(`persons list --server-format ${format} --save ${file}`)).code).toBe(8);
    expect(existsSync(file)).toBe(false);
  });

  const lines = (count: number) => `id,name\n${'1,"a\nb"\n'.repeat(count)}`;
  const next = 'http://127.0.0.1/api/projects/1/persons/?offset=100';
  it.each([
    ['persons list --server-format json', JSON.stringify({ results: [{ id: 1 }], next }), 'has more', 8],
    ['persons list --server-format csv', lines(100), 'may have more', 8],
    ['persons list --server-format csv', lines(99), undefined, 0],
    ['persons list --server-format csv', lines(50_000), 'may have more', 8],
    // The live service takes no notice of a limit here.
    ['persons list --limit 7 --server-format csv', lines(99), undefined, 0],
    ['persons list --limit 7 --server-format csv', lines(7), 'may have more', 0],
    ['persons activity --server-format csv', lines(10), 'may have more', 8],
    ['persons activity --page 2 --server-format csv', lines(10), 'may have more', 0],
    ["query 'select 1' --server-format json", '{"results":[[1]],"hasMore":true}', 'has more', 8],
    ["query 'select 1' --server-format csv", lines(100), 'may have more', 0],
    ['persons get 1 --server-format csv', lines(100), undefined, 0],
  ])('tells of rows behind the answer: %s', async (line, body, told, code) => {
    const service = await startService([() => ({ body, headers: { 'content-type': 'text/plain' } })]);
    const shown = await service.hogctl(`${line} -q`);
    expect([shown.code, shown.stdout]).toEqual([0, body]);
    if (told === undefined) expect(shown.stderr).toBe('');
    else expect(shown.stderr).toContain(`warning: the service ${told} rows than these; `);
    const file = join(temporaryDirectory(), 'rows');
    const saved = await service.hogctl(`${line} --save ${file}`);
    expect([saved.code, existsSync(file)]).toEqual([code, code === 0]);
  });
});

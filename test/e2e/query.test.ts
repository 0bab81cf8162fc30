import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { startService } from '../support/service.ts';

const rows = { results: [['a', 1]], columns: ['event', 'n'], hasMore: false };
const running = { results: null, query_status: { id: 'q1', complete: false, error: false } };
const status = (about: object) => ({ query_status: { id: 'q1', complete: true, error: false, ...about } });

describe.each(['specification', 'live'] as const)('SQL on the sandbox, %s', (dialect) => {
  const { shows } = golden(`query-${dialect}`, { dialect });
  const counts = 'select event, count() as n from events group by event order by n desc';
  const days = 'select toDate(timestamp) as day, count() as n from events group by day order by day limit 9';
  shows('shows rows by columns', `query '${counts}' --limit 3`);
  shows(
    'tells columns of one name apart',
    "query 'select event, upper(event), e.event from events e limit 1' -o json",
  );
  shows('prints no row but the header', `query "select event from events where event = 'no'" -o csv`);
  shows(
    'takes values apart from the query',
    `query 'select count() as n from persons where properties.plan = {plan}' --value plan=pro -o ndjson`,
  );
  shows(
    'gives a variable of the project a value',
    "query 'select count() as n from persons where properties.country = {variables.country}' --variable country=US -o csv",
  );
  shows('draws a column of days', `query '${days}' --chart`);
  shows('says where the query is wrong', "query 'select event frm events wher'");
  shows('refuses what is not a SELECT', "query 'delete from persons'");
  shows('refuses a limit beside a limit', "query 'select 1 limit 2' --limit 3");
  shows('refuses several statements', "query 'select 1; select 2'");
  shows(
    'takes // and # for comments beside a limit',
    'query "select event from events // limit 5\n# limit 6" --limit 1',
  );
  shows('takes // and # for comments between statements', "query 'select 7 // 2; first\n# second; third'");
  shows('reads a query and sends nothing', `query '${counts}' --check`);
  shows('says what the service would refuse', `query 'select STRFTIME(event) from events' --check`);
  shows(
    'says that OFFSET is refused with a key',
    `query 'select event from events limit 2 offset 1' --check`,
  );
  shows('checks one thing at a time', `query 'select 1' --check --limit 3`);
  shows('lists the tables', 'query --tables');
  shows('lists the columns of a table', 'query --tables events');
  shows('knows no such table', 'query --tables event');
  shows('waits for a query', `query '${counts} limit 1' --async --wait -o csv`);
  shows('reads the query from standard input', 'query - -o csv', { stdin: 'select 1 + 1 as two -- the end' });
});

describe('a query', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hogctl-query-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is sent once, with its values beside it and its name', async () => {
    const service = await startService([() => ({ json: rows })]);
    const line = ['query', 'select {a}, {b}', '--value', 'a=1', '--value', "b=x' or 1", '--name', 'nightly'];
    const { code, stdout } = await service.hogctl([...line, '-o', 'ndjson']);
    expect([code, stdout]).toEqual([0, '{"event":"a","n":1}\n']);
    expect(service.log.map(({ json }) => json)).toEqual([
      {
        query: { kind: 'HogQLQuery', query: 'select {a}, {b}', values: { a: 1, b: "x' or 1" } },
        name: 'nightly',
      },
    ]);
  });

  it('is read from a file, and from nowhere else', async () => {
    const service = await startService([() => ({ json: rows })]);
    writeFileSync(join(folder, 'a.sql'), 'select 1');
    writeFileSync(join(folder, 'empty.sql'), ' \n');
    expect((await service.hogctl(['query', `@${join(folder, 'a.sql')}`])).code).toBe(0);
    expect((await service.hogctl(['query', `@${join(folder, 'none.sql')}`])).code).toBe(2);
    expect((await service.hogctl(['query', `@${join(folder, 'empty.sql')}`])).code).toBe(2);
    expect((await service.hogctl(['query', ''])).code).toBe(2);
    expect(service.log).toHaveLength(1);
  });

  it('is drawn only if that is asked for, and says if it cannot be', async () => {
    const drawn = {
      results: [
        ['2026-01-01', 1],
        ['2026-01-02', 4],
      ],
      columns: ['day', 'n'],
      hasMore: false,
    };
    const service = await startService([() => ({ json: drawn })]);
    const terminal = { terminal: { columns: 80 } };
    expect((await service.hogctl('query "select 1"', terminal)).stdout).toContain('│');
    expect((await service.hogctl('query "select 1" --chart', terminal)).stdout).toContain('┤');
    const file = join(folder, 'days.svg');
    expect((await service.hogctl(['query', 'select 1', '--save', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('<title>Query</title>');
    const texts = await startService([() => ({ json: rows })]);
    const { stdout, stderr } = await texts.hogctl('query "select 1" --chart');
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('event'),
      'This has no chart, so a table shows it.\n',
    ]);
    expect((await texts.hogctl('query "select 1" --chart -o csv')).code).toBe(2);
    expect(texts.log).toHaveLength(1);
  });

  it('warns where the service cut its rows', async () => {
    const service = await startService([() => ({ json: { ...rows, hasMore: true } })]);
    const { stderr } = await service.hogctl('query "select event, n from x" -q');
    expect(stderr).toBe(
      'warning: this is the first row, and there are more; --limit asks for up to 50,000\n',
    );
  });

  it('keeps the digits of numbers, and shows what the service says of a fault', async () => {
    const body = '{"results":[[12345678901234567890,1.0]],"columns":["a","b"]}';
    const service = await startService([
      { body, headers: { 'content-type': 'application/json' } },
      {
        status: 400,
        json: { type: 'validation_error', code: 'syntax', detail: 'no field at line 1, column 8' },
      },
    ]);
    expect((await service.hogctl('query "select a, b" -o csv')).stdout).toBe(
      'a,b\n12345678901234567890,1.0\n',
    );
    const { code, stderr } = await service.hogctl('query "select nothing"');
    expect(code).toBe(5);
    expect(stderr).toContain('no field at line 1, column 8');
    expect(stderr).toContain('hint: line 1, column 8: select  >>> nothing');
  });

  it('that failed is no empty answer', async () => {
    const failed = { results: null, query_status: { error: true, error_message: 'too much memory' } };
    const service = await startService([() => ({ json: failed })]);
    const { code, stdout, stderr } = await service.hogctl('query "select 1"');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('the query failed: too much memory');
  });
});

describe('a query in the background', () => {
  it('is asked for ever more seldom until it has ended', async () => {
    const service = await startService([
      { on: 'POST /api/projects/1/query/', status: 202, json: running },
      { status: 202, json: status({ complete: false }), times: 3 },
      { json: status({ results: rows }) },
    ]);
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const { code, stdout } = await service.hogctl('query "select 1" --async --wait -o csv', { wait });
    expect([code, stdout]).toEqual([0, 'event,n\na,1\n']);
    expect(service.log[0]?.json).toMatchObject({ refresh: 'async' });
    expect(service.log.slice(1).map(({ method, url }) => `${method} ${url}`)).toEqual(
      new Array(4).fill('GET /api/projects/1/query/q1/?show_progress=true'),
    );
    expect(waits).toEqual([500, 750, 1125, 1687.5]);
  });

  it('gives its id where nobody waits', async () => {
    const service = await startService([() => ({ status: 202, json: running })]);
    const { code, stdout, stderr } = await service.hogctl('query "select 1" --async -o json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { id: 'q1', complete: false }]);
    expect(stderr).toContain('hogctl api GET query/q1/');
    expect(service.log).toHaveLength(1);
  });

  it('needs no waiting where the answer is there already', async () => {
    const service = await startService([() => ({ json: rows })]);
    expect((await service.hogctl('query "select 1" --async -o csv')).stdout).toBe('event,n\na,1\n');
  });

  it.each([
    ['says why it failed', { status: 400, json: status({ error: true, error_message: 'no x' }) }, 5, 'no x'],
    ['is forgotten', { status: 404, json: { detail: 'Query q1 not found' } }, 6, 'no longer has query q1'],
    ['ended without results', { json: status({}) }, 6, 'ended without results'],
    [
      'still runs',
      { status: 202, json: status({ complete: false }), times: 99 },
      6,
      'query q1 took longer than 60 s, so it was cancelled',
    ],
  ])('%s', async (_, answer, exit, text) => {
    const service = await startService([
      { on: 'POST /api/projects/1/query/', json: running },
      { on: 'DELETE /api/projects/1/query/q1/', json: { message: 'Query cancelled' } },
      answer,
    ]);
    const line = 'query "select 1" --async --wait --wait-timeout 1min';
    const { code, stdout, stderr } = await service.hogctl(line);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('bug');
  });

  it.each(['--wait', '--async --wait-timeout 1min'])('is refused half asked for: %s', async (options) => {
    const service = await startService([]);
    expect((await service.hogctl(`query "select 1" ${options}`)).code).toBe(2);
    expect(service.log).toEqual([]);
  });
});

describe('rows of a query', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => [index]);
  it.each([
    ['select 1 limit 1 by event', 100, true, 'there are more'],
    ['select limit from x', 100, undefined, 'there may be more'],
    ['select 1 union all select 2', 200, undefined, 'there may be more'],
    ['select 1 union all select 2', 137, undefined, 'there may be more'],
    ['select 1 union all select 2 limit 5000', 137, undefined, 'there may be more'],
    ['select 1 limit 100 union all select 2', 200, undefined, 'there may be more'],
    ['select 1 limit 100000', 50_000, true, 'there are more'],
  ])('are never cut off without a word: %s, %i rows', async (text, count, hasMore, told) => {
    const { hogctl } = await startService([{ json: { results: numbered(count), columns: ['n'], hasMore } }]);
    const { code, stderr } = await hogctl(['query', text, '-o', 'ndjson']);
    expect([code, stderr.includes(told)]).toEqual([0, true]);
  });

  it('take --limit beside LIMIT n BY', async () => {
    const { hogctl, log } = await startService([
      { json: { results: numbered(3), columns: ['n'], hasMore: false } },
    ]);
    expect((await hogctl(['query', 'select a limit 2 by a', '--limit', '1000'])).code).toBe(0);
    expect(JSON.stringify(log[0]?.json)).toContain('LIMIT 1001');
  });

  it('are none where the answer tells an error', async () => {
    const { hogctl } = await startService([
      { json: { results: [], columns: ['n'], error: 'no such field' } },
    ]);
    const { code, stderr } = await hogctl(['query', 'select 1']);
    expect([code, stderr.includes('no such field')]).toEqual([5, true]);
  });
});

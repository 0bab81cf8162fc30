import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { formats, namedFormats } from '../../src/print/formats.ts';
import { people, person, startService, temporaryDirectory } from '../support/service.ts';
import { MOST, sqlOver } from '../support/sql-service.ts';

/** What another reader finds in a file: its columns, and its rows as texts. */
async function read(file: string, select = '*') {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  try {
    await connection.run("set TimeZone = 'UTC'");
    return {
      columns: (await rows(`describe select * from '${file}'`)).map(([name, type]) => `${name} ${type}`),
      rows: await rows(`select ${select} from '${file}'`),
      groups: await rows(
        `select distinct row_group_id, row_group_num_rows from parquet_metadata('${file}') order by 1`,
      ),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const file = () => join(temporaryDirectory(), 'a.parquet');

describe('a Parquet file', () => {
  it('keeps the types and digits of a query', async () => {
    const types = [
      ['text', 'Nullable(String)', 'a,ü\n', null],
      ['whole', 'Int64', '-9223372036854775808', 9007199254740993n],
      ['large', 'UInt64', 18446744073709551615n, 1],
      ['small', 'UInt8', 255, 0],
      ['part', 'Float64', 0.1, 'nan'],
      ['flag', 'Bool', true, 0],
      ['day', 'Date', '1969-12-31', '2026-02-28'],
      ['time', "DateTime64(6, 'UTC')", '2026-01-02T03:04:05.123456+02:00', '1969-12-31 23:59:59.5'],
      ['list', 'Array(UInt64)', [9007199254740993n], []],
      ['other', 'Map(String, String)', 12.5, 'x"y'],
      ['money', 'Nullable(Decimal(18, 2))', '12.50', '-0.5'],
      ['sum', 'Decimal(38, 2)', '123456789012345678901234567890123456.78', 7],
      ['local', "DateTime('Europe/Berlin')", '2026-11-01 00:00:00', '2026-07-01 12:30:00'],
    ] as const;
    const rows = [types.map((column) => column[2]), types.map((column) => column[3])];
    // JSON.stringify knows no long integers.
    const text = JSON.stringify(
      {
        columns: types.map(([name]) => name),
        types: types.map(([name, type]) => [name, type]),
        results: rows,
        hasMore: false,
      },
      (_, value) => (typeof value === 'bigint' ? `long ${value}` : value),
    ).replace(/"long (\d+)"/g, '$1');
    const service = await startService([{ body: text, headers: { 'content-type': 'application/json' } }]);
    const saved = file();
    const { code, stdout, stderr } = await service.hogctl(['query', 'select 1', '--save', saved]);
    expect([code, stdout, stderr]).toEqual([0, '', `Saved 2 rows to ${saved}.\n`]);
    expect(statSync(saved).mode & 0o777).toBe(0o600);
    const found = await read(saved, '* replace (time::timestamp as time, local::timestamp as local)');
    const largest = await read(
      saved,
      `large from '${saved}' where large > 9223372036854775808 and whole < 0 --`,
    );
    expect(largest.rows).toEqual([['18446744073709551615']]);
    expect(found.columns).toEqual([
      'text VARCHAR',
      'whole BIGINT',
      'large UBIGINT',
      'small BIGINT',
      'part DOUBLE',
      'flag BOOLEAN',
      'day DATE',
      'time TIMESTAMP WITH TIME ZONE',
      'list JSON',
      'other JSON',
      'money DECIMAL(18,2)',
      'sum DECIMAL(38,2)',
      'local TIMESTAMP WITH TIME ZONE',
    ]);
    expect(found.rows).toEqual([
      [
        'a,ü\n',
        '-9223372036854775808',
        '18446744073709551615',
        '255',
        0.1,
        true,
        '1969-12-31',
        '2026-01-02 01:04:05.123456',
        '[9007199254740993]',
        '12.5',
        '12.50',
        '123456789012345678901234567890123456.78',
        '2026-10-31 23:00:00',
      ],
      [
        null,
        '9007199254740993',
        '1',
        '0',
        'NaN',
        false,
        '2026-02-28',
        '1969-12-31 23:59:59.5',
        '[]',
        '"x\\"y"',
        '-0.50',
        '7.00',
        '2026-07-01 10:30:00',
      ],
    ]);
  });

  it('holds all persons, a group of rows at a time', async () => {
    const total = 4 * MOST + 7;
    const service = await startService([sqlOver(total)]);
    const saved = file();
    expect((await service.hogctl(['persons', 'export', '--save', saved])).code).toBe(0);
    const found = await read(
      saved,
      'count(*), count(distinct id), min(created_at::timestamp), max(distinct_ids::varchar)',
    );
    expect(found.columns).toEqual([
      'id VARCHAR',
      'distinct_ids JSON',
      'created_at TIMESTAMP WITH TIME ZONE',
      'properties JSON',
    ]);
    expect(found.rows).toEqual([[`${total}`, `${total}`, '2026-01-02 03:04:05', '["user_9999"]']]);
    expect(found.groups).toEqual([
      ['0', '10000'],
      ['1', '7'],
    ]);
    const { rows } = await read(
      saved,
      `properties->>'email' from '${saved}' where id = '${person(3).uuid}' --`,
    );
    expect(rows).toEqual([[person(3).properties?.email]]);
  });

  it('holds the columns that were chosen, and none of nobody', async () => {
    const service = await startService([sqlOver(2), sqlOver(2)]);
    const saved = file();
    await service.hogctl(['persons', 'export', '--columns', 'created_at,properties.email', '--save', saved]);
    expect(await read(saved)).toMatchObject({
      columns: ['created_at TIMESTAMP WITH TIME ZONE', 'properties.email JSON'],
      rows: [
        [expect.anything(), `"${person(1).properties?.email}"`],
        [expect.anything(), `"${person(2).properties?.email}"`],
      ],
    });
    const empty = await startService([sqlOver(0)]);
    await empty.hogctl(['persons', 'export', '--save', saved]);
    expect(await read(saved)).toMatchObject({ rows: [], columns: expect.arrayContaining(['id VARCHAR']) });
  });

  it('is not there if a value is not what the service says, or an answer fails', async () => {
    const saved = file();
    const answer = { columns: ['n'], types: [['n', 'Int64']], results: [[1], ['one']], hasMore: false };
    const service = await startService([{ json: answer }]);
    const { code, stderr } = await service.hogctl(['query', 'select 1', '--save', saved]);
    expect([code, stderr]).toEqual([
      6,
      'error: the column "n" should contain whole numbers, but contains "one"\nhint: save it as .ndjson\n',
    ]);
    const failing = await startService([
      { on: /query/, times: 9, status: 403, json: { code: 'permission_denied' } },
      (received) =>
        /offset=/.test(received.url)
          ? { status: 400, json: { detail: 'no' } }
          : {
              json: { results: people(1000), next: `${failing.origin}/api/projects/1/persons/?offset=1000` },
            },
    ]);
    expect((await failing.hogctl(['persons', 'export', '--save', saved])).code).not.toBe(0);
    expect([existsSync(saved), readdirSync(join(saved, '..'))]).toEqual([false, []]);
  });

  it.each([
    ...namedFormats
      .filter((format) => format !== 'json' && !formats[format].isForSpreadsheets)
      .map((format) => [
        `persons export 42 -o ${format}`,
        `one person is exported as json, csv or tsv, not ${format}`,
      ]),
    ['persons export 42 --save a.parquet', 'one person is exported as json, csv or tsv, not as Parquet'],
    ['persons export -o csv --save a.parquet', 'a.parquet is a Parquet file, which cannot contain csv'],
    ['persons export --save a.parquet --resume s', '--resume needs a format that can be continued'],
    ['persons list --save a.parquet', 'this command cannot write .parquet files'],
  ])('is refused where none is written: %s', async (line, message) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message ?? '')]);
    expect(service.log).toEqual([]);
  });
});

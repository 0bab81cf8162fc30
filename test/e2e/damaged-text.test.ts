import { describe, expect, it } from 'vitest';
import { person, startService } from '../support/service.ts';
import type { StubAnswer } from '../support/stub-server.ts';

/** Two persons, in the text of one of whom stands a byte that is no character. */
function damaged(before: string, rows: readonly unknown[], after: string): StubAnswer {
  const json = `${before}${rows.map((row) => JSON.stringify(row)).join(',')}${after}`;
  const body = Buffer.from(json.replaceAll('DAMAGED', 'ab~cd'), 'latin1');
  return {
    body: body.map((byte) => (byte === 0x7e ? 0xff : byte)),
    headers: { 'content-type': 'application/json' },
  };
}

const broken = { ...person(2), name: 'DAMAGED' };
const sure = { times: 9, on: 'GET /api/projects/1/persons/' };

describe('an answer that is not UTF-8', () => {
  it.each([
    'persons list -o ndjson',
    'persons list -o json',
    'persons list -o csv',
    'persons list -o tsv',
    'persons list',
    'persons list --all -o csv --columns name',
    'persons export --via list -o csv',
  ])('is an error that names the row, and not asked for again: %s', async (words) => {
    const service = await startService([
      { ...sure, ...damaged('{"next":null,"results":[', [person(1), broken, person(3)], ']}') },
    ]);
    const { code, stdout, stderr } = await service.hogctl(words);
    expect([code, stdout, service.log.length]).toEqual([6, '', 1]);
    expect(stderr).toContain(`the row ${person(2).uuid} is not UTF-8 (status 200`);
  });

  it('ends a list where it stands, after the pages before', async () => {
    const next = '/api/projects/1/persons/?cursor=2';
    const service = await startService([
      { on: /cursor=2$/, ...damaged('{"next":null,"results":[', [broken], ']}') },
      { json: { next, results: [person(1)] } },
    ]);
    const { code, stdout, stderr } = await service.hogctl('persons list --all -o ndjson');
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([6, 1]);
    expect(stderr).toContain('is not UTF-8');
    expect(stderr).toContain('on page 2 after 1 row"');
  });

  it('is an error as a single one', async () => {
    const service = await startService([damaged('', [broken], '')]);
    const { code, stdout, stderr } = await service.hogctl('persons get 2 -o json');
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain('the answer is not UTF-8 (status 200');
  });

  it.each(['csv', 'ndjson'])('is an error through SQL: %s', async (format) => {
    const service = await startService([
      { json: { results: [[person(1).uuid]] } },
      { json: { results: [[person(1).uuid, ['a']]] } },
      { times: 9, ...damaged('{"results":[', [[person(1).uuid, '{"a":"DAMAGED"}', null]], ']}') },
    ]);
    const { code, stderr } = await service.hogctl(`persons export --via query -o ${format}`);
    expect([code, service.log.length]).toEqual([6, 3]);
    expect(stderr).toContain('the answer is not UTF-8 (status 200');
  });

  it('is passed on as it is where answers are', async () => {
    const service = await startService([damaged('', [broken], '')]);
    const { code, stderr } = await service.hogctl('api GET persons/2/');
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('half of a character', () => {
  const serving = () =>
    startService([
      {
        times: 9,
        body: `{"next":null,"results":[{"id":1,"name":"a"},{"id":2,"name":"x\\ud83d"},{"id":3,"name":{"n":"\\ud83d"}}]}`,
      },
    ]);

  it.each(['csv', 'tsv'])('is told of where it cannot be written: %s', async (format) => {
    const { code, stdout, stderr } = await (await serving()).hogctl(`persons list -o ${format}`);
    expect([code, stderr]).toEqual([
      0,
      'warning: 1 text cell contains half a character, written as U+FFFD; -o ndjson keeps it\n',
    ]);
    expect(stdout).toContain('x\ufffd');
    expect(stdout).toContain('\\ud83d');
  });

  it.each(['json', 'ndjson'])('is kept in %s', async (format) => {
    const { stdout, stderr } = await (await serving()).hogctl(`persons list -o ${format}`);
    expect([stdout.match(/\\ud83d/g)?.length, stderr]).toEqual([2, '']);
  });
});

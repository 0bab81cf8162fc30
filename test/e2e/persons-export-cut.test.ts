import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, startService, temporaryDirectory } from '../support/service.ts';
import { type Asked, sqlAnswers } from '../support/sql-service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

/** What would mislead whoever looks for the ends of rows, and numbers with digits of their own. */
const HOSTILE = [
  '},{',
  '],[',
  ']],"error":"no"}',
  '"results":[[',
  '\\',
  '\\"],["',
  'ä€😀',
  '\u2028\u0000\ud800',
  '\ufeff<html>',
  '=1+1',
];

const people = Array.from({ length: 120 }, (_, index) => {
  const own = HOSTILE[index % HOSTILE.length] ?? '';
  const text = JSON.stringify({ own, [own]: [own], fill: own.repeat(200) });
  const { uuid } = person(index + 1);
  return {
    uuid,
    distinct_ids: index % 7 === 0 ? [] : [`b${own}`, `a${index}`],
    properties: text.replace('{', '{"n":12345678901234567890,"m":-1.50e2,'),
  };
});

/** Answers with rows by so many, and says that there are more. */
function inLots(size: number) {
  const answer = sqlAnswers(people);
  return (received: Received) => {
    const { results, hasMore } = answer(received);
    return { results: results.slice(0, size), hasMore: hasMore || results.length > size };
  };
}

/** The same numbers each time, from 0 up to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Cuts so large a share of the answers at a byte by chance, in one of the ways that bodies are sent. */
function cutting(share: number, seed: number, size: number): (received: Received) => StubAnswer {
  const random = numbers(seed);
  const answer = inLots(size);
  return (received) => {
    const body = JSON.stringify({ columns: ['results'], ...answer(received), types: [] });
    const how = random() < 0.5 ? { chunked: true as const } : {};
    const cut = random() < share ? { cutAt: Math.floor(random() * Buffer.byteLength(body)) } : {};
    return { body, headers: { 'content-type': 'application/json' }, ...how, ...cut };
  };
}

async function whole(format: string): Promise<string> {
  const service = await startService([cutting(0, 1, 1000)]);
  const { code, stdout } = await service.hogctl(['persons', 'export', '-o', format]);
  expect(code).toBe(0);
  return stdout;
}

const line = (folder: string, format: string) =>
  `persons export -o ${format} --retries 0 --save ${join(folder, 'out')} --resume ${join(folder, 'state')}`;

describe('an export through SQL whose answers break off', () => {
  it('holds what the service holds, whatever stands in it', async () => {
    const rows = (await whole('ndjson')).trimEnd().split('\n');
    expect(rows).toHaveLength(people.length);
    for (const [index, { uuid, distinct_ids: ids, properties }] of people.entries()) {
      const created = '"created_at":"2026-01-02T03:04:05Z"';
      expect(JSON.parse(rows[index] ?? '')).toEqual(
        JSON.parse(
          `{"id":"${uuid}","distinct_ids":${JSON.stringify([...ids].sort())},"properties":${properties},${created}}`,
        ),
      );
      expect(rows[index]).toContain('"n":12345678901234567890,"m":-1.50e2,');
    }
  });

  it.each([1, 2, 3])('is the same when they break off anywhere: %d', async (seed) => {
    const service = await startService([cutting(0.4, seed, 40)]);
    const { code, stdout, stderr } = await service.hogctl('persons export -o ndjson --retries 10');
    expect([code, stdout]).toEqual([0, await whole('ndjson')]);
    expect(stderr).toContain('was cut off');
  });

  it.each(['csv', 'ndjson'])('is the same when it is begun over and over: %s', async (format) => {
    const folder = temporaryDirectory();
    const service = await startService([cutting(0.3, 9, 20)]);
    let runs = 1;
    while ((await service.hogctl(line(folder, format))).code !== 0 && runs < 200) runs += 1;
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(await whole(format));
    expect(runs).toBeGreaterThan(3);
  });

  it('has one mark for spreadsheets when it is begun over', async () => {
    const folder = temporaryDirectory();
    const service = await startService([cutting(0.3, 9, 20)]);
    const safe = `${line(folder, 'csv')} --spreadsheet-safe`;
    let runs = 1;
    while ((await service.hogctl(safe)).code !== 0 && runs < 200) runs += 1;
    const unbroken = await startService([cutting(0, 1, 1000)]);
    const { stdout } = await unbroken.hogctl('persons export -o csv --spreadsheet-safe');
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(stdout);
  });
});

describe('an answer with rows', () => {
  const isPersons = ({ body }: Received) => body.includes('properties');
  /** The second lot of persons has rows missing, and something beside them. */
  const failing =
    (body: (rows: string) => string) =>
    (received: Received): StubAnswer => {
      const { results, hasMore } = inLots(40)(received);
      const { after } = (received.json as Asked).query.values;
      if (!isPersons(received) || after === undefined) return { json: { results, hasMore } };
      return { body: body(JSON.stringify(results.filter((_, index) => index % 3 !== 0))) };
    };

  it.each([
    ['an error behind them', (rows: string) => `{"results":${rows},"error":"out of memory"}`],
    ['an error before them', (rows: string) => `{"error":"out of memory","results":${rows}}`],
    [
      'a failed query behind them',
      (rows: string) => `{"results":${rows},"query_status":{"error":true,"error_message":"out of memory"}}`,
    ],
    [
      'a query that runs on',
      (rows: string) => `{"results":${rows},"query_status":{"complete":false,"error":false}}`,
    ],
    ['no end', (rows: string) => `{"results":${rows}`],
    ['broken JSON among them', (rows: string) => `{"results":${rows.replace('],[', ']["x",[')}}`],
    ['something behind it', (rows: string) => `{"results":${rows}} {}`],
    ['no rows but values', () => '{"results":[1,2]}'],
    ['no rows', () => '{"results":null}'],
    ['a web page in its place', () => '<html>sign in</html>'],
  ])('is not believed with %s', async (_, body) => {
    const folder = temporaryDirectory();
    let answer = failing(body);
    const service = await startService([(received) => answer(received)]);
    const { code } = await service.hogctl(line(folder, 'ndjson'));
    expect([code, existsSync(join(folder, 'out'))]).toEqual([6, false]);
    expect(JSON.parse(readFileSync(join(folder, 'state'), 'utf8')).place.rows).toBe(40);
    answer = cutting(0, 1, 40);
    expect((await service.hogctl(line(folder, 'ndjson'))).code).toBe(0);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(await whole('ndjson'));
  });

  it.each([
    ['white space', (json: string) => `\uFEFF ${JSON.stringify(JSON.parse(json), null, 1)}\n`],
    ['a name that is escaped', (json: string) => json.replace('"results"', '"r\\u0065sults"')],
    [
      'the same words elsewhere',
      (json: string) => json.replace('{', '{"a":{"results":[[1]]},"b":"results","c":["results",[[]]],'),
    ],
    ['more behind the rows', (json: string) => json.replace(/\}$/, ',"types":[["id","UUID"]],"error":null}')],
  ])('is read with %s', async (_, change) => {
    const answer = inLots(1000);
    const service = await startService([
      (received) => ({ body: change(JSON.stringify({ results: answer(received).results })) }),
    ]);
    const { code, stdout } = await service.hogctl('persons export -o ndjson');
    expect([code, stdout]).toEqual([0, await whole('ndjson')]);
  });

  it('is asked on until there are no rows, though an answer is short and says nothing', async () => {
    const answer = inLots(1000);
    const service = await startService([
      (received) => {
        const { results } = answer(received);
        return { json: { results: results.slice(0, isPersons(received) ? 50 : 30) } };
      },
    ]);
    const { code, stdout } = await service.hogctl('persons export -o ndjson');
    expect([code, stdout]).toEqual([0, await whole('ndjson')]);
  });

  it('ends an export that goes nowhere', async () => {
    const service = await startService([
      (received) => ({ json: { ...inLots(10)({ ...received, json: first(received) }), hasMore: true } }),
    ]);
    const { code, stderr } = await service.hogctl('persons export -o ndjson');
    expect(code).toBe(6);
    expect(stderr).toContain('the query sent the same rows again');
  });
});

/** A request for the same without the place it goes on from. */
function first({ json }: Received): unknown {
  const { query } = json as Asked;
  return { query: { ...query, values: query.query.includes('person_id') ? query.values : {} } };
}

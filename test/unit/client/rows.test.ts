import { describe, expect, it } from 'vitest';
import { platform } from '../../../src/api/endpoints/platform.ts';
import type { ClientSettings } from '../../../src/client/client.ts';
import { cutRows } from '../../../src/client/cut-rows.ts';
import { CliError } from '../../../src/errors.ts';
import { isList, type Json } from '../../../src/json/kinds.ts';
import type { Script, Stub } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

/** Numbered rows of 1 KB each. */
const rows = (count: number, first = 0): Json[][] =>
  Array.from({ length: count }, (_, index) => [first + index, 'x'.repeat(1000)]);
const placeOf = (row: Json | undefined): Json => (isList(row) ? (row[0] ?? null) : null);
const ask = (check: () => void = () => {}) =>
  watched.client.rows(platform.query, (after) => ({ query: { after: placeOf(after) } }), check);

async function read(reading = ask()) {
  const numbers: Json[] = [];
  let next = await reading.next();
  for (; !next.done; next = await reading.next()) numbers.push(...next.value.map(placeOf));
  return { numbers, end: next.value };
}

const countTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('rows that are handed on as they come', () => {
  it.each([{}, { chunked: true }, { gzip: true }] as const)('are all there: %j', async (how) => {
    await open([{ json: { a: 1, results: rows(500), hasMore: false }, ...how }]);
    const { numbers, end } = await read();
    expect(numbers).toEqual(countTo(500));
    expect(end).toMatchObject({ rows: 500, envelope: { a: 1, hasMore: false } });
    expect(placeOf(end.last)).toBe(499);
  });

  it('are asked for again after the last one that was handed on', async () => {
    await open([
      { json: { results: rows(500) }, cutAt: 200_000 },
      ({ json }) => {
        const { after } = (json as { query: { after: number } }).query;
        const cut = after < 400 ? { gzip: true as const, chunked: true as const, cutAt: 2000 } : {};
        return { json: { results: rows(499 - after, after + 1) }, ...cut };
      },
    ]);
    const groups: Json[] = [];
    for await (const group of ask()) groups.push(...group.map(placeOf));
    const [, second] = stub.log.map(({ json }) => (json as { query: { after: number } }).query.after);
    expect(second).toBeGreaterThan(0);
    expect(groups).toEqual(countTo(500));
  });

  it('come to an end where every try brings nothing new', async () => {
    await open([() => ({ json: { results: rows(100) }, cutAt: 10_000 })], { retries: 2 });
    expect(await failureOf(read())).toMatchObject({ kind: 'unavailable', message: /broke off/ });
    expect(stub.log).toHaveLength(3);
  });

  it.each([200_000, 100])('end with the time of a request where %d bytes come and no more', async (cutAt) => {
    await open([{ json: { results: rows(500) }, cutAt, stall: true }], { timeout: 60 });
    expect((await failureOf(read())).message).toMatch(/gave no whole answer within 0\.1 s$/);
    expect(stub.log).toHaveLength(1);
  });

  it('wait as long as it takes for whoever handles them', async () => {
    await open([{ json: { results: rows(3000) } }, { never: true }], { timeout: 2000 });
    const reading = ask();
    const first = await reading.next();
    // More than that passes for another request.
    await failureOf(watched.client.call(platform.project, {}, { timeout: 2100 }));
    const { numbers } = await read(reading);
    expect((first.done ? [] : first.value).length + numbers.length).toBe(3000);
  });

  it('end with the signal', async () => {
    const controller = new AbortController();
    await open([{ json: { results: rows(3000) } }], { signal: controller.signal });
    const reading = ask();
    await reading.next();
    controller.abort();
    expect(await failureOf(read(reading))).toMatchObject({ kind: 'interrupted' });
  });

  it('leave the service alone when nobody wants more', async () => {
    await open([{ json: { results: rows(500) }, cutAt: 200_000, stall: true }, { json: {} }]);
    for await (const _ of ask()) break;
    await watched.client.call(platform.project, {});
    expect(stub.log).toHaveLength(2);
  });

  it('are not handed on where what stands before them is refused', async () => {
    await open([{ json: { error: 'x', results: rows(500) } }]);
    const refuse = () => {
      throw new CliError('unavailable', 'refused');
    };
    await expect(ask(refuse).next()).rejects.toThrow('refused');
  });

  it.each([
    ['', 'the answer is empty'],
    ['<html>', 'the answer is a web page'],
    ['{"results":{}}', 'the answer holds no list of results'],
    ['[]', 'the answer is not what the service documents'],
    ['oops', 'the answer is not JSON'],
    ['{"results":[[1]', 'the answer is broken JSON'],
    ['{"results":[[1]],"a":[}', 'the answer is broken JSON'],
  ])('are missed in %j', async (body, message) => {
    await open([() => ({ body })], { retries: 1 });
    expect((await failureOf(read())).message).toContain(message);
  });

  it('keep the digits of their numbers', async () => {
    await open([{ body: '{"results":[[12345678901234567890,1.0]]}' }]);
    const { end } = await read();
    expect(JSON.stringify(end.last)).toContain('12345678901234567890');
  });
});

describe('cutting rows', () => {
  const text =
    '{"a":["results",{"results":[[0]]}],"results" : [["},{\\"]",[1,{"b":"ä]€"}]],\n["😀\\\\"]],"c":{}}';

  it.each(countTo(Buffer.byteLength(text)))('finds them whatever comes at once: %d bytes', (size) => {
    const bytes = Buffer.from(text);
    const cut = cutRows();
    const pieces: string[] = [];
    for (let at = 0; at < bytes.length; at += size + 1) {
      cut.add(bytes.subarray(at, at + size + 1));
      for (const piece of cut.pieces()) pieces.push(piece.text);
    }
    pieces.push(cut.rest().text);
    expect(pieces).toEqual([
      '{"a":["results",{"results":[[0]]}],"results" : [',
      '["},{\\"]",[1,{"b":"ä]€"}]],\n["😀\\\\"]',
      '],"c":{}}',
    ]);
  });
});

import { gzipSync } from 'node:zlib';
import { isLosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Received, Script, Stub, StubAnswer } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';
import { all, LIST, person, range, serve } from './serve-persons.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const list = (limit?: number) => watched.client.pages(persons.list, {}, limit === undefined ? {} : { limit });

describe('the end of a list', () => {
  it.each([
    ['absent', {}],
    ['null', { count: null }],
  ])('O-02 is decided by next alone, whatever the page holds, with count %s', async (_, count) => {
    const at = (offset: number) => `${LIST}?limit=100&offset=${offset}`;
    await open([
      { json: { ...count, results: range(0, 98), next: at(100) } },
      {
        on: (received) => received.url === at(100),
        json: { ...count, results: range(100, 200), next: at(200) },
      },
      {
        on: (received) => received.url === at(200),
        json: { ...count, results: range(200, 240), next: null },
      },
    ]);
    const { rows, pages } = await all(watched.client.pages(persons.list, { limit: 100 }));
    expect(rows).toHaveLength(238);
    expect(pages.map(({ count: total, more }) => [total, more])).toEqual([
      [undefined, true],
      [undefined, true],
      [undefined, false],
    ]);
  });

  it('of an empty list is success', async () => {
    await open([{ json: { results: [], next: null, count: 0 } }]);
    const { rows, pages } = await all(list());
    expect(rows).toEqual([]);
    expect(pages).toMatchObject([{ next: null, count: 0, dropped: 0, more: false }]);
  });

  it('of a bare array is its end', async () => {
    await open([{ json: [{ id: 1 }, { id: 2 }] }]);
    expect((await all(watched.client.pages(insights.lastViewed, {}))).rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('takes the total from total_count, too', async () => {
    await open([{ json: { results: [{ id: 'a' }], next: null, total_count: 12 } }]);
    expect((await all(watched.client.pages(persons.activity, { id: '42' }))).pages).toMatchObject([
      { count: 12 },
    ]);
  });
});

describe('--limit', () => {
  it('is a number of rows over as many pages as it takes', async () => {
    await open([serve(400)]);
    const { rows, pages } = await all(list(250));
    expect(rows).toEqual(range(0, 250));
    expect(pages.at(-1)).toMatchObject({ more: true, dropped: 50 });
    expect(stub.log.map(({ url }) => url)).toEqual([
      `${LIST}?limit=250`,
      `${LIST}?limit=250&offset=100`,
      `${LIST}?limit=250&offset=200`,
    ]);
  });

  it('asks for no page beyond it', async () => {
    await open([serve(400)]);
    const { rows, pages } = await all(list(200));
    expect([rows.length, stub.log.length, pages.at(-1)?.more]).toEqual([200, 2, true]);
  });

  it('says that there is no more where it is met exactly', async () => {
    await open([serve(100)]);
    expect((await all(list(100))).pages.at(-1)).toMatchObject({ more: false, dropped: 0 });
  });

  it('never asks for pages of more than 1,000, and takes the size that is given', async () => {
    await open([serve(3)]);
    await all(list(50_000));
    await all(watched.client.pages(persons.list, { email: 'a' }, { pageSize: 500 }));
    await all(watched.client.pages(persons.list, { limit: 20 }, { limit: 9 }));
    expect(stub.log.map(({ url }) => url)).toEqual([
      `${LIST}?limit=1000`,
      `${LIST}?email=a&limit=500`,
      `${LIST}?limit=20`,
    ]);
  });
});

describe('one page ahead', () => {
  it('asks for the next page while the present one is handled, and for no further one', async () => {
    await open([serve(400)]);
    const pages = list()[Symbol.asyncIterator]();
    await pages.next();
    while (stub.log.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(stub.log).toHaveLength(2);
    await pages.return?.();
  });

  it('drops the page ahead when the reader leaves', async () => {
    await open([{ json: { results: [person(1)], next: `${LIST}?offset=1` } }, { never: true }]);
    for await (const page of list()) {
      expect(page.rows).toHaveLength(1);
      break;
    }
    expect(watched.notes).toEqual([]);
  });

  it('ends with the signal', async () => {
    const controller = new AbortController();
    await open([{ json: { results: [person(1)], next: `${LIST}?offset=1` } }, { never: true }], {
      signal: controller.signal,
    });
    const failing = failureOf(
      (async () => {
        for await (const _ of list()) controller.abort();
      })(),
    );
    expect(await failing).toMatchObject({ kind: 'interrupted' });
  });
});

describe('numbers in pages', () => {
  it('keep their digits where a JavaScript number would lose some ()', async () => {
    await open([{ body: '{"next":null,"results":[{"id":1,"n":9007199254740993,"f":1e400,"g":1.5}]}' }]);
    const [row] = (await all(list())).rows;
    expect(row).toMatchObject({ id: 1, g: 1.5, n: { value: '9007199254740993' }, f: { value: '1e400' } });
    expect(typeof row === 'object' && row !== null && 'n' in row && isLosslessNumber(row.n)).toBe(true);
  });
});

describe('pages of very different lengths', () => {
  it.each([['plain'], ['gzip']])('keep their own rows, %s, also behind an error', async (packing) => {
    const sizes = [400, 3, 900, 1, 350, 2, 1000];
    const page = (index: number) =>
      Array.from({ length: sizes[index] ?? 0 }, (_, row) => ({
        id: `${index}-${row}`,
        name: `${index} `.repeat(200),
      }));
    let failed = false;
    const answer = ({ url, headers }: Received): StubAnswer => {
      const index = Number(new URL(url, 'http://stub').searchParams.get('offset') ?? 0);
      if (index === 3 && !failed) {
        failed = true;
        return { status: 503, json: { detail: 'x'.repeat(100_000) } };
      }
      const next = index + 1 < sizes.length ? `http://${headers.host}${LIST}?offset=${index + 1}` : null;
      const body = Buffer.from(JSON.stringify({ next, results: page(index) }));
      if (packing === 'plain') return { body };
      return { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } };
    };
    await open([answer]);
    const { rows } = await all(list());
    expect(rows).toEqual(sizes.flatMap((_, index) => page(index)));
  });
});

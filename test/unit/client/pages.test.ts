import { isLosslessNumber } from 'lossless-json';
import { afterEach, describe, expect, it } from 'vitest';
import { insights } from '../../../src/api/endpoints/insights.ts';
import { persons } from '../../../src/api/endpoints/persons.ts';
import { platform } from '../../../src/api/endpoints/platform.ts';
import type { Json } from '../../../src/api/json.ts';
import type { ClientSettings } from '../../../src/client/client.ts';
import type { Page } from '../../../src/client/pages.ts';
import {
  type Received,
  readCertificate,
  type Script,
  type Stub,
  startStub,
} from '../../support/stub-server.ts';
import { failureOf, makeClient, type Watched } from './make-client.ts';

const LIST = '/api/projects/7/persons/';
const closing: (() => Promise<void>)[] = [];
let stub: Stub;
let watched: Watched;

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  stub = await startStub(script);
  watched = makeClient(stub.origin, settings);
  closing.push(stub.close, watched.client.close);
}

/** A row as the live service lists it. */
function person(number: number): { id: string; uuid: string; name: string } {
  const uuid = `0190c2f5-7a1b-7c3d-8e4f-${String(number).padStart(12, '0')}`;
  return { id: uuid, uuid, name: `person ${number}` };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => person(from + index));

/** Serves `total` persons in pages of at most `most` rows. */
function serve(total: number, most = 100): (received: Received) => { json: unknown } {
  return ({ url, headers }) => {
    const query = new URL(url, 'http://stub').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const end = Math.min(offset + Math.min(Number(query.get('limit') ?? most), most), total);
    const next = `http://${headers.host}${LIST}?limit=${query.get('limit') ?? most}&offset=${end}`;
    return { json: { next: end < total ? next : null, previous: null, results: range(offset, end) } };
  };
}

async function all(pages: AsyncIterable<Page>): Promise<{ rows: Json[]; pages: Page[] }> {
  const rows: Json[] = [];
  const seen: Page[] = [];
  for await (const page of pages) {
    rows.push(...page.rows());
    seen.push(page);
  }
  return { rows, pages: seen };
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
  it('O-04 is a number of rows over as many pages as it takes', async () => {
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
      expect(page.rows()).toHaveLength(1);
      break;
    }
    expect(watched.notes).toEqual([]);
  });

  it('hands out bytes that hold until the next page is asked for', async () => {
    await open([serve(300)]);
    const texts: string[] = [];
    for await (const page of list()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      texts.push(JSON.parse(Buffer.from(page.bytes).toString()).results[0].name);
    }
    expect(texts).toEqual(['person 0', 'person 100', 'person 200']);
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

describe('O-01 links with another scheme or host', () => {
  it('are followed on the configured https origin only', async () => {
    const { key, cert, authority } = readCertificate('server');
    const plain = await startStub([() => ({ json: {} })]);
    const secure = await startStub(
      [
        { json: { results: [person(1)], next: `http://127.0.0.1:${plain.port}${LIST}?offset=1` } },
        {
          on: ({ url }) => url === `${LIST}?offset=1`,
          json: { results: [person(2)], next: `http://internal${LIST}?offset=2` },
        },
        { on: ({ url }) => url === `${LIST}?offset=2`, json: { results: [person(3)], next: null } },
      ],
      { tls: { key, cert } },
    );
    watched = makeClient(secure.origin, { ca: authority });
    closing.push(watched.client.close, plain.close, secure.close);
    expect((await all(list())).rows).toEqual([person(1), person(2), person(3)]);
    expect(plain.connections()).toBe(0);
  });

  it('keep the path that the service lives under, whether the link knows it or not', async () => {
    await open([
      { json: { results: [person(1)], next: `http://inner${LIST}?offset=1` } },
      { json: { results: [person(2)], next: `http://inner/ph${LIST}?offset=2` } },
      { json: { results: [person(3)], next: '?offset=3' } },
      { json: { results: [], next: null } },
    ]);
    watched = makeClient(`${stub.origin}/ph`);
    closing.push(watched.client.close);
    await all(list());
    expect(stub.log.map(({ url }) => url)).toEqual([
      `/ph${LIST}`,
      `/ph${LIST}?offset=1`,
      `/ph${LIST}?offset=2`,
      `/ph${LIST}?offset=3`,
    ]);
  });

  it.each([
    ['/api/projects/8/persons/?offset=1', 'leaves the project'],
    ['/api/projects/7/../8/persons/', 'leaves the project'],
    ['/api/projects/7/%2e%2e%2f8/persons/', 'leaves the project'],
    ['/elsewhere', 'leaves the project'],
    ['javascript:alert(1)', 'is not an address'],
    ['http://[', 'is not an address'],
    [7, 'is not text'],
  ])('are refused for %j, after the rows of their page', async (next, words) => {
    await open([{ json: { results: [person(1)], next } }, () => ({ json: {} })]);
    const rows: Json[] = [];
    const error = await failureOf(
      (async () => {
        for await (const page of list()) rows.push(...page.rows());
      })(),
    );
    expect(error.kind).toBe('unavailable');
    expect(error.message).toContain(words);
    expect(error.message).toContain('after 1 rows');
    expect(rows).toEqual([person(1)]);
    expect(stub.log).toHaveLength(1);
  });

  it('outside a project stay on the path that was asked for', async () => {
    await open([{ json: { results: [{ id: 1 }], next: '/api/organizations/?offset=1' } }]);
    expect((await failureOf(all(watched.client.pages(platform.projects, {})))).message).toContain('leaves');
  });
});

describe('O-03 pagination that does not advance', () => {
  it.each([
    ['its own address', () => LIST],
    ['its own address, empty', () => ''],
    ['pages in a circle', (url: string) => `${LIST}?offset=${url.endsWith('=1') ? 2 : 1}`],
  ])('is noticed within a few requests: %s', async (_, next) => {
    await open([({ url }) => ({ json: { results: range(0, 100), next: next(url) } })]);
    const error = await failureOf(all(list()));
    expect(error.kind).toBe('unavailable');
    expect(error.message).toMatch(/pagination did not advance.*after 100 rows/);
    expect(stub.log.length).toBeLessThan(5);
  });
});

describe('a service that always sends the same rows', () => {
  it('is noticed though its links move on', async () => {
    let offset = 0;
    await open([
      () => {
        offset += 10;
        return { json: { results: range(0, 10), next: `${LIST}?offset=${offset}` } };
      },
    ]);
    const error = await failureOf(all(list()));
    expect(error.message).toMatch(/did not advance.*after 10 rows/);
    expect(stub.log).toHaveLength(4);
  });
});

describe('rows that come more than once', () => {
  it('are dropped by uuid, counted, and told once', async () => {
    await open([
      { json: { results: range(0, 100), next: `${LIST}?offset=100` } },
      { json: { results: range(98, 150), next: null } },
    ]);
    const { rows, pages } = await all(list());
    expect(rows).toEqual(range(0, 150));
    expect(pages.map(({ dropped }) => dropped)).toEqual([0, 2]);
    expect(watched.notes).toEqual(['2 rows came more than once and were shown once']);
  });

  it('are known by their id where they have no uuid, number and text apart', async () => {
    await open([
      {
        json: {
          results: [{ id: 1 }, { id: '1' }, { id: 1 }, { name: 'x' }, { name: 'x' }, 5, 5],
          next: null,
        },
      },
    ]);
    expect((await all(list())).rows).toEqual([{ id: 1 }, { id: '1' }, { name: 'x' }, { name: 'x' }, 5, 5]);
  });
});

describe('O-45 a page that breaks off', () => {
  const first = { json: { results: range(0, 100), next: `${LIST}?offset=100` } };
  const second = { json: { results: range(100, 200), next: null } };

  it('is read again', async () => {
    await open([
      first,
      { ...second, cutAt: 500 },
      { ...second, chunked: true, cutAt: 500 },
      { ...second, gzip: true, cutAt: 60 },
      second,
    ]);
    expect((await all(list())).rows).toEqual(range(0, 200));
    expect(watched.notes).toHaveLength(3);
  });

  it('ends, if it stays so, with the page and the rows so far', async () => {
    await open([first, { ...second, cutAt: 500, times: 9 }], { retries: 2 });
    const error = await failureOf(all(list()));
    expect(error).toMatchObject({ kind: 'unavailable', status: 200 });
    expect(error.message).toMatch(/broke off.*on page 2 after 100 rows/);
  });

  it('is found in the rows of a page whose end happens to fit', async () => {
    await open([{ body: '{"next":null,"results":[{"uuid":"a","list":[1]}', times: 9 }], { retries: 1 });
    expect((await failureOf(all(list()))).message).toContain('broken JSON');
    expect(stub.log).toHaveLength(2);
  });

  it('is an error at once when it is no list at all', async () => {
    await open([{ json: { detail: 'x' } }]);
    expect((await failureOf(all(list()))).message).toContain('holds no list of results');
    expect(stub.log).toHaveLength(1);
  });
});

describe('lists behind an analysis', () => {
  it('are flat: people come out of their groups, and count as rows', async () => {
    await open([{ json: { results: [{ people: range(0, 3), count: 3 }, person(9)], next: null } }]);
    expect((await all(watched.client.pages(persons.funnelGet, {}))).rows).toEqual([
      ...range(0, 3),
      person(9),
    ]);
  });

  it('that are POSTed go on where the link says, with the same question', async () => {
    await open([
      { json: { results: [], next: '/api/projects/7/persons/funnel/?offset=100' } },
      { json: { results: [], next: null } },
    ]);
    await all(watched.client.pages(persons.funnel, { funnel_step: 1, limit: 100, offset: 0 }));
    expect(stub.log.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/api/projects/7/persons/funnel/', '{"funnel_step":1,"limit":100,"offset":0}'],
      ['POST', '/api/projects/7/persons/funnel/?offset=100', '{"funnel_step":1}'],
    ]);
  });
});

describe('numbers in pages', () => {
  it('keep their digits where a JavaScript number would lose some (O-34)', async () => {
    await open([{ body: '{"next":null,"results":[{"id":1,"n":9007199254740993,"f":1e400,"g":1.5}]}' }]);
    const [row] = (await all(list())).rows;
    expect(row).toMatchObject({ id: 1, g: 1.5, n: { value: '9007199254740993' }, f: { value: '1e400' } });
    expect(typeof row === 'object' && row !== null && 'n' in row && isLosslessNumber(row.n)).toBe(true);
  });
});

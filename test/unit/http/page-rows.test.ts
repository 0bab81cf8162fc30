import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Script, Stub } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';
import { all, LIST, person, range } from './serve-persons.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const list = (limit?: number) => watched.client.pages(persons.list, {}, limit === undefined ? {} : { limit });

describe('rows that come more than once', () => {
  it('are dropped by uuid, counted, and told once', async () => {
    await open([
      { json: { results: range(0, 100), next: `${LIST}?offset=100` } },
      { json: { results: range(98, 150), next: null } },
    ]);
    const { rows, pages } = await all(list());
    expect(rows).toEqual(range(0, 150));
    expect(pages.map(({ dropped }) => dropped)).toEqual([0, 2]);
    expect(watched.notes).toEqual(['2 rows came more than once, and are shown once']);
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

describe('a page that breaks off', () => {
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
    expect(error.message).toMatch(/was cut off.*on page 2 after 100 rows/);
  });

  it('is found in the rows of a page whose end happens to fit', async () => {
    await open([{ body: '{"next":null,"results":[{"uuid":"a","list":[1]}', times: 9 }]);
    expect((await failureOf(all(list()))).message).toContain('broken JSON, at line 1');
    expect(stub.log).toHaveLength(1);
  });

  it('is an error at once when it is no list at all', async () => {
    await open([{ json: { detail: 'x' } }]);
    expect((await failureOf(all(list()))).message).toContain('has no list of results');
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

describe('a row that is nested too deeply', () => {
  const nested = (levels: number) => `{"uuid":"deep","a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it.each([
    ['', ''],
    [' beside a number that is read with its digits', ',"n":12345678901234567890'],
  ])('is left out and named, and the others are shown%s', async (_, number) => {
    const rows = `{"uuid":"a"${number}},${nested(100_000)},{"uuid":"b"},${nested(900).replace('deep', 'fine')}`;
    await open([{ body: `{"next":null,"results":[${rows}]}` }]);
    const shown: unknown[] = [];
    const error = await failureOf(
      (async () => {
        for await (const page of list()) shown.push(...page.rows.map((row) => Object(row).uuid));
      })(),
    );
    expect(shown).toEqual(['a', 'b', 'fine']);
    expect(error).toMatchObject({ kind: 'partial' });
    expect(error.message).toBe('1 row nested more than 1,000 levels deep was left out: deep');
  });
});

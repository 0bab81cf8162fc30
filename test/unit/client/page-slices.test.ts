import { describe, expect, it } from 'vitest';
import { persons } from '../../../src/api/endpoints/persons.ts';
import type { Page } from '../../../src/client/pages.ts';
import { LIST, open, person, range, serve } from './serve-persons.ts';

/** What each page holds, read while it is there. */
async function read(pages: AsyncIterable<Page>) {
  const seen: { rows: unknown; batches: unknown; slices: unknown; size: number }[] = [];
  for await (const page of pages) {
    const slices = textsOf(page)?.map((text) => JSON.parse(text));
    const parsed = slices?.map((_, index) => page.slices()?.parse(index));
    expect(parsed).toEqual(slices);
    seen.push({ rows: page.rows(), batches: [...page.batches()].flat(), slices, size: page.size });
  }
  return seen;
}

function textsOf(page: Page): readonly string[] | undefined {
  const slices = page.slices();
  const bytes = Buffer.from(slices?.bytes ?? []);
  return (
    slices && Array.from(slices.starts, (start, index) => bytes.toString('utf8', start, slices.ends[index]))
  );
}

function sameThrice(rows: readonly unknown[]) {
  return { rows, batches: rows, slices: rows, size: rows.length };
}

describe('the rows of a page', () => {
  it('are the same parsed, in parts and as bytes, without those that came before', async () => {
    const { watched, pages } = await openList([
      { json: { results: range(0, 100), next: `${LIST}?offset=100` } },
      { json: { results: [...range(98, 150), person(5), person(200)], next: null } },
    ]);
    expect(await read(pages())).toEqual([
      sameThrice(range(0, 100)),
      sameThrice([...range(100, 150), person(200)]),
    ]);
    expect(watched.notes).toEqual(['3 rows came more than once and were shown once']);
  });

  it('end where the limit does', async () => {
    const { pages } = await openList([serve(400)]);
    expect((await read(pages(250))).at(-1)).toEqual(sameThrice(range(200, 250)));
  });

  it('come in several parts where the page is large', async () => {
    const rows = range(0, 1000).map((row) => ({ ...row, text: '"},{"'.repeat(40) }));
    const { pages } = await openList([{ json: { results: rows, next: null } }]);
    for await (const page of pages()) {
      const batches = [...page.batches()];
      expect(batches.length).toBeGreaterThan(5);
      expect(batches.flat()).toEqual(rows);
    }
  });

  it('are no bytes of their own where the service sent white space', async () => {
    const body = JSON.stringify({ results: range(0, 3), next: null }, null, 1);
    const { pages } = await openList([{ body }]);
    expect(await read(pages())).toEqual([{ ...sameThrice(range(0, 3)), slices: undefined }]);
  });

  it('are no bytes of their own where people stand in groups', async () => {
    const { client } = await open([{ json: { results: [{ people: range(0, 3) }], next: null } }]);
    expect(await read(client.pages(persons.funnelGet, {}))).toEqual([
      { ...sameThrice(range(0, 3)), slices: undefined },
    ]);
  });

  it('cannot be asked for when their bytes have made room for others', async () => {
    const { pages } = await openList([serve(400)]);
    const kept: Page[] = [];
    for await (const page of pages()) kept.push(page);
    expect(() => kept[0]?.rows()).toThrow('asked for after the next page');
    expect(() => kept[0]?.slices()).toThrow('asked for after the next page');
  });
});

async function openList(script: Parameters<typeof open>[0]) {
  const watched = await open(script);
  const pages = (limit?: number) =>
    watched.client.pages(persons.list, {}, limit === undefined ? {} : { limit });
  return { watched, pages };
}

import type { Page } from '../../../src/http/pages.ts';
import type { Json } from '../../../src/json/kinds.ts';
import type { Received } from '../../support/stub-server.ts';

export const LIST = '/api/projects/7/persons/';

/** A row as the live service lists it. */
export function person(number: number): { id: string; uuid: string; name: string } {
  const uuid = `0190c2f5-7a1b-7c3d-8e4f-${String(number).padStart(12, '0')}`;
  return { id: uuid, uuid, name: `person ${number}` };
}

export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => person(from + index));

/** Serves `total` persons in pages of at most `most` rows. */
export function serve(total: number, most = 100): (received: Received) => { json: unknown } {
  return ({ url, headers }) => {
    const query = new URL(url, 'http://stub').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const end = Math.min(offset + Math.min(Number(query.get('limit') ?? most), most), total);
    const next = `http://${headers.host}${LIST}?limit=${query.get('limit') ?? most}&offset=${end}`;
    return { json: { next: end < total ? next : null, previous: null, results: range(offset, end) } };
  };
}

export async function all(pages: AsyncIterable<Page>): Promise<{ rows: Json[]; pages: Page[] }> {
  const rows: Json[] = [];
  const seen: Page[] = [];
  for await (const page of pages) {
    rows.push(...page.rows);
    seen.push(page);
  }
  return { rows, pages: seen };
}

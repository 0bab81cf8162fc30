import { persons } from '../../../api/endpoints/persons.ts';
import { objectRows, WHOLE_LIST } from '../../../api/ids.ts';
import type { Person } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { type ListPlace, rowOfPerson, type Section } from './exported-row.ts';
import { parsedPage } from './gather-rows.ts';

const { pageSize, shared } = WHOLE_LIST;

/**
 * Persons from the list, newest first, from a place on. Where persons have come or gone meanwhile, it is gone on behind
 * the last rows that are there still.
 */
export async function* readByList(from: ListPlace | undefined, context: Context): AsyncGenerator<Section> {
  const client = await context.client();
  let { offset, last } = from ?? { offset: 0, last: [] };
  const start = Math.max(0, offset - shared);
  const input = start === 0 ? {} : { offset: start };
  const overlap = { rows: shared, after: last };
  for await (const page of client.pages(persons.list, input, { pageSize, overlap })) {
    const rows = objectRows<Person>(page).map(rowOfPerson);
    // There may be thousands more.
    if (page.next !== null) context.saveMemory({ alsoOld: true });
    offset = offsetOf(page.next) ?? offset + rows.length;
    last = [...last, ...rows.map(({ id }) => id)].slice(-pageSize);
    yield {
      ...{ page: parsedPage(rows), size: rows.length, total: page.count },
      ...{ settled: rows.at(-1)?.id, list: { offset, last } },
    };
  }
}

function offsetOf(next: string | null): number | undefined {
  const offset = next === null ? null : new URL(next, 'http://host').searchParams.get('offset');
  return offset === null ? undefined : Number(offset);
}

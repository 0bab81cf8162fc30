import { persons } from '../../../api/endpoints/persons.ts';
import type { Person } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { objectRows } from '../../object-rows.ts';
import { rowOfPerson, type Section } from './exported-row.ts';
import { parsedPage } from './gather-rows.ts';

/** The largest page that the service is asked for (docs/service.md). */
const PAGE = 1000;

/** Persons from the list, newest first, without the first so many. */
export async function* readByList(offset: number, context: Context): AsyncGenerator<Section> {
  const client = await context.client();
  const input = offset === 0 ? {} : { offset };
  for await (const page of client.pages(persons.list, input, { pageSize: PAGE })) {
    const rows = objectRows<Person>(page).map(rowOfPerson);
    yield { page: parsedPage(rows), size: rows.length, settled: rows.at(-1)?.id };
  }
}

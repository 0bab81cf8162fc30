import { persons } from '../../../api/endpoints/persons.ts';
import type { Person } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { objectRows } from '../../object-rows.ts';
import { type ExportedRow, rowOfPerson } from './exported-row.ts';

/** The largest page that the service is asked for (docs/service.md). */
const PAGE = 1000;

/** Persons from the list, newest first, without the first so many. */
export async function* readByList(offset: number, context: Context): AsyncGenerator<readonly ExportedRow[]> {
  const client = await context.client();
  const input = offset === 0 ? {} : { offset };
  for await (const page of client.pages(persons.list, input, { pageSize: PAGE })) {
    yield objectRows<Person>(page).map(rowOfPerson);
  }
}

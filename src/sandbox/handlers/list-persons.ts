import type { persons } from '../../api/endpoints/persons.ts';
import type { Handler } from '../call.ts';
import { neighbours, readPart } from '../paging.ts';
import { personsCondition } from '../person-condition.ts';
import { countPersons, selectPersons } from '../store/persons.ts';
import { personRow } from './person-answers.ts';

/** The live service's CSV leaves paging out and stops here. */
const CSV_ROWS = 50_000;

export const listPersons: Handler<typeof persons.list> = async (call) => {
  const { input, dialect, store, address } = call;
  const condition = await personsCondition(store, { ...input, withNames: dialect === 'live' });
  const isWholeCsv = dialect === 'live' && call.format === 'csv';
  const part = isWholeCsv ? { limit: CSV_ROWS, offset: 0 } : readPart(input);
  const found = await selectPersons(store, condition, { ...part, limit: part.limit + 1 });
  const page = {
    ...neighbours(address, part, found.length > part.limit),
    results: found.slice(0, part.limit).map((person) => personRow(person, dialect)),
  };
  if (dialect === 'live' && input.include_total === undefined) return { status: 200, body: page };
  return { status: 200, body: { count: await countPersons(store, condition), ...page } };
};

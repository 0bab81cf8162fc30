import { persons } from '../../../api/endpoints/persons.ts';
import type { Person } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Json } from '../../../json/kinds.ts';

/** What the service holds about one person beside their events. Null where the key may not read it. */
export type PersonRecord = {
  readonly person: Person;
  readonly cohorts: readonly Json[] | null;
  readonly activity: readonly Json[] | null;
  /** What is not in here, and why. */
  readonly missing: readonly string[];
};

/** Reads it all. What the key may not read is named in `missing`, so that nobody takes the rest for everything. */
export async function readRecord(id: string, context: Context): Promise<PersonRecord> {
  const client = await context.client();
  const person = await client.call(persons.get, { id });
  const missing: string[] = [];
  const unlessRefused = async (what: string, read: () => Promise<readonly Json[]>) => {
    try {
      return await read();
    } catch (failure) {
      if (!(failure instanceof CliError) || failure.status !== 403) throw failure;
      missing.push(`${what}: ${failure.message}`);
      return null;
    }
  };
  const cohorts = await unlessRefused('cohorts', async () => {
    const { results } = await client.call(persons.cohorts, { person_id: id });
    return results;
  });
  const activity = await unlessRefused('activity', async () => {
    const rows: Json[] = [];
    for await (const page of client.pages(persons.activity, { id }, { pageSize: 100 }))
      rows.push(...page.rows());
    return rows;
  });
  return { person, cohorts, activity, missing };
}

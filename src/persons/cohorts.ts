import type { Context } from '../cli/context.ts';
import { CliError, changed, counted, firstOf } from '../errors.ts';
import type { Page } from '../http/pages.ts';
import type { Column } from '../json/kinds.ts';
import { cohortState } from '../semantics/person-conditions.ts';
import { idText, objectRows } from '../service/endpoint.ts';
import { platform } from '../service/platform.ts';
import type { Cohort } from '../service/schemas.ts';

export const cohortColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'count' },
  { key: 'is_static', title: 'static' },
  { key: 'last_calculation', title: 'calculated' },
];

/** One cohort; warns if its people are not final. */
export async function readCohort(id: number, context: Context): Promise<Cohort> {
  const client = await context.client();
  const cohort = await client.call(platform.cohort, { id }).catch((failure: unknown) => {
    if (!(failure instanceof CliError) || failure.status !== 404 || failure.hint) throw failure;
    const message = `cohort ${id} was not found: ${failure.message}`;
    throw changed(failure, { message, hint: 'hogctl cohorts list shows all cohorts' });
  });
  const state = cohortState(cohort);
  if (state !== undefined) context.warn(`warning: cohort ${idText(cohort.id)} is not final: ${state}`);
  return cohort;
}

/** Warns of those of the cohorts whose people are not final, if the key may ask. */
export async function tellCohorts(ids: readonly string[], context: Context): Promise<void> {
  for (const id of ids.filter((text) => /^\d{1,15}$/.test(text))) {
    try {
      await readCohort(Number(id), context);
    } catch (failure) {
      // What there is to say of the cohort itself, the list says.
      if (!(failure instanceof CliError) || ![403, 404].includes(failure.status ?? 0)) throw failure;
    }
  }
}

type PersonsInput = {
  readonly id: number;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly all?: boolean | undefined;
};

/** The pages of the persons of a cohort; warns first if they are not final. */
export async function listCohortPersons(
  { all, ...input }: PersonsInput,
  context: Context,
): Promise<AsyncIterable<Page>> {
  await readCohort(input.id, context);
  return context.list(platform.cohortPersons, input, { all });
}

/** Cohorts that one warning names. */
const MOST_NAMED = 10;

/** The same pages of cohorts; at their end a warning names those that are not final. */
export async function* tellStates(
  pages: AsyncIterable<Page>,
  context: Pick<Context, 'warn'>,
): AsyncGenerator<Page> {
  const states: string[] = [];
  for await (const page of pages) {
    for (const cohort of objectRows<Cohort>(page)) {
      const state = cohortState(cohort);
      if (state !== undefined) states.push(`${idText(cohort.id)} (${state})`);
    }
    yield page;
  }
  if (states.length === 0) return;
  const names = firstOf(states, MOST_NAMED);
  context.warn(`warning: ${counted(states.length, 'cohort is', 'cohorts are')} not final: ${names}`);
}

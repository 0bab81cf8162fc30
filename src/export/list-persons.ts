import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import type { Page } from '../http/pages.ts';
import { idText, mayHaveMoreIds, objectRows } from '../service/ids.ts';
import { countUnmet } from '../service/judge-person.ts';
import {
  type ConditionOptions,
  cohortOf,
  cohortState,
  conditionParameters,
  hasConditions,
  type PersonConditions,
  readConditions,
} from '../service/person-conditions.ts';
import { persons } from '../service/persons.ts';
import { platform } from '../service/platform.ts';
import type { Cohort, Person } from '../service/schemas.ts';

type ListInput = ConditionOptions & {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly all?: boolean | undefined;
};

/** The pages of a list of persons; says at the end who does not satisfy its conditions. */
export async function listPersons(
  { limit, offset, all, ...options }: ListInput,
  context: Context,
): Promise<AsyncIterable<Page>> {
  const { dialect } = await context.settings();
  const conditions = readConditions(options, { dialect });
  await tellCohorts(conditions, context);
  const input = { ...conditionParameters(conditions), limit, offset };
  const pages = await context.list(persons.list, input, { all });
  const unmet = hasConditions(options)
    ? await countUnmet(conditions, { withNames: dialect === 'live' })
    : undefined;
  const told = tellUnmet(pages, { conditions, unmet, isFirst: true }, context);
  return refuseCut(told, context);
}

/** Whether what is printed is for a program that takes the distinct ids for all of them. */
function showsIds(context: Context): boolean {
  const { format, columns } = context.outputFormat();
  return format !== 'table' && (columns === undefined || columns.includes('distinct_ids'));
}

/**
 * The same pages; at their end an error if what is printed shows distinct ids and persons may have more of them than
 * the list names.
 */
export async function* refuseCut(pages: AsyncIterable<Page>, context: Context): AsyncGenerator<Page> {
  let cut = 0;
  for await (const page of pages) {
    cut += objectRows<Person>(page).filter(mayHaveMoreIds).length;
    yield page;
  }
  if (cut === 0 || !showsIds(context)) return;
  throw new CliError(
    'partial',
    `${counted(cut, 'person has', 'people have')} as many distinct ids as the list names, and may have more`,
    { hint: 'hogctl persons export has all of them, as has persons get of one person', outcome: 'not-done' },
  );
}

/** Warns of cohorts among the conditions whose people are not final, if the key may ask. */
export async function tellCohorts({ filters }: PersonConditions, context: Context): Promise<void> {
  const client = await context.client();
  for (const id of filters.map(cohortOf)) {
    if (id === undefined || !/^\d{1,15}$/.test(id)) continue;
    try {
      tellCohort(await client.call(platform.cohort, { id: Number(id) }), context);
    } catch (failure) {
      // What there is to say of the cohort itself, the list says.
      if (!(failure instanceof CliError) || ![403, 404].includes(failure.status ?? 0)) throw failure;
    }
  }
}

export function tellCohort(cohort: Cohort, context: Pick<Context, 'warn'>): void {
  const state = cohortState(cohort);
  if (state !== undefined) context.warn(`warning: cohort ${idText(cohort.id)} is not final: ${state}`);
}

type Judging = {
  readonly conditions: PersonConditions;
  /** Absent where there are no conditions. */
  readonly unmet?: Awaited<ReturnType<typeof countUnmet>> | undefined;
  /** Whether these are the first pages that are read. */
  readonly isFirst: boolean;
};

/** The same pages; at their end a warning names who does not satisfy a condition, and a hint follows if nobody came. */
export async function* tellUnmet(
  pages: AsyncIterable<Page>,
  { conditions, unmet, isFirst }: Judging,
  context: Pick<Context, 'note' | 'warn'>,
): AsyncGenerator<Page> {
  const { email, distinctId } = conditions;
  let isEmpty = isFirst;
  for await (const page of pages) {
    for (const person of objectRows<Person>(page)) unmet?.add(person);
    isEmpty &&= page.rows.length === 0;
    yield page;
  }
  const warning = unmet?.warning();
  if (warning !== undefined) context.warn(warning);
  if (isEmpty && (email !== undefined || distinctId !== undefined))
    context.note(`Emails and distinct ids have to match letter by letter; ${LOOKS_WIDER}.`);
}

const LOOKS_WIDER = 'hogctl persons list --search looks wider';

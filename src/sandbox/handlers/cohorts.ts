import { isList } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/parse.ts';
import type { persons } from '../../service/persons.ts';
import type { platform } from '../../service/platform.ts';
import type { Cohort } from '../../service/schemas.ts';
import { writeMoment } from '../operator.ts';
import { neighbours, readPart } from '../parameters.ts';
import { cohortCondition } from '../person-filters.ts';
import { notFound, required } from '../refusal.ts';
import type { Circumstances, Handler } from '../routes.ts';
import type { Store } from '../store/open-store.ts';
import { type Condition, countPersons } from '../store/persons.ts';
import { type StoredCohort, selectCohorts } from '../store/state.ts';
import { findPerson, personsPage } from './person-answers.ts';

export const listCohorts: Handler<typeof platform.cohorts> = async (call) => {
  const part = readPart(call.input);
  const cohorts = await selectCohorts(call.store);
  const end = part.offset + part.limit;
  const results: Cohort[] = [];
  for (const cohort of cohorts.slice(part.offset, end)) results.push(await cohortAnswer(cohort, call));
  const page = neighbours(call.address, part, end < cohorts.length);
  return { status: 200, body: { count: cohorts.length, ...page, results } };
};

export const getCohort: Handler<typeof platform.cohort> = async (call) => {
  return { status: 200, body: await cohortAnswer(await findCohort(call.store, call.input.id), call) };
};

export const listCohortMembers: Handler<typeof platform.cohortPersons> = async (call) => {
  const { id, definition } = await findCohort(call.store, call.input.id);
  const condition = cohortCondition(String(id), definition);
  return { status: 200, body: await personsPage(call, condition, readPart(call.input)) };
};

/** P12: the cohorts of a person; without one, which only the specification allows, all cohorts. */
export const listPersonCohorts: Handler<typeof persons.cohorts> = async ({ input, dialect, store }) => {
  if (input.person_id === undefined && dialect === 'live') throw required('person_id');
  const person = input.person_id === undefined ? undefined : await findPerson(store, input.person_id);
  const results = [];
  for (const { id, name, definition } of await selectCohorts(store)) {
    const condition = cohortCondition(String(id), definition);
    if (person !== undefined && !(await isMember(store, person.id, condition))) continue;
    results.push({ id: toJsonInteger(id), name, count: await countPersons(store, condition) });
  }
  return { status: 200, body: { results } };
};

async function isMember(store: Store, personId: bigint, { sql, values }: Condition): Promise<boolean> {
  const own = { sql: `(${sql}) and p.id = ${personId}`, values };
  return (await countPersons(store, own)) > 0;
}

async function findCohort(store: Store, id: number): Promise<StoredCohort> {
  const cohort = (await selectCohorts(store)).find((one) => one.id === BigInt(id));
  if (cohort === undefined) throw notFound('Not found.');
  return cohort;
}

/** A cohort as single answers and lists show it. One with filters is calculated now, so that it is never out of date. */
async function cohortAnswer(
  { id, name, definition }: StoredCohort,
  { store, now }: Pick<Circumstances, 'store' | 'now'>,
): Promise<Cohort> {
  const isStatic = !isList(definition);
  const group = { type: 'AND', values: isStatic ? [] : definition };
  return {
    id: toJsonInteger(id),
    name,
    description: '',
    groups: [],
    deleted: false,
    filters: isStatic ? {} : { properties: { type: 'OR', values: [group] } },
    is_calculating: false,
    last_calculation: isStatic ? null : writeMoment(now),
    errors_calculating: 0,
    count: await countPersons(store, cohortCondition(String(id), definition)),
    is_static: isStatic,
  };
}

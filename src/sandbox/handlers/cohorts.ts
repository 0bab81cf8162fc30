import { isList } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/parse.ts';
import type { platform } from '../../service/platform.ts';
import type { Cohort } from '../../service/schemas.ts';
import { writeMoment } from '../operator.ts';
import { neighbours, readPart } from '../parameters.ts';
import { cohortCondition } from '../person-filters.ts';
import { notFound } from '../refusal.ts';
import type { Circumstances, Handler } from '../routes.ts';
import type { Store } from '../store/open-store.ts';
import { countPersons, selectPersons } from '../store/persons.ts';
import { type StoredCohort, selectCohorts } from '../store/state.ts';
import { personRow } from './person-answers.ts';

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
  const { input, dialect, store, address } = call;
  const { id, definition } = await findCohort(store, input.id);
  const part = readPart(input);
  const condition = cohortCondition(String(id), definition);
  const found = await selectPersons(store, condition, { ...part, limit: part.limit + 1 });
  const page = neighbours(address, part, found.length > part.limit);
  const results = found.slice(0, part.limit).map((person) => personRow(person, dialect));
  return { status: 200, body: { ...page, results } };
};

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

import type { Context } from '../../cli/context.ts';
import { CliError, foreseen, usageError } from '../../errors.ts';
import { toText } from '../../json/text.ts';
import { createJudge, LOOK_AT_LIST, type Unmet } from '../../semantics/judge-person.ts';
import {
  type ConditionOptions,
  cohortOf,
  cohortState,
  conditionParameters,
  type PersonConditions,
  readConditions,
  WHOLE_LIST,
} from '../../semantics/person-conditions.ts';
import { queryRows, sqlQuery } from '../../semantics/sql.ts';
import { idText, isUuid, objectRows } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import type { Cohort, Person } from '../../service/schemas.ts';
import { inLanes } from '../../system/lanes.ts';
import { createIdCollector, type GivenPeople } from '../input/given.ts';
import { createResolution, stopIfAsked } from './resolve.ts';
import { toKnown } from './stores.ts';

/** Who is to be erased, by what the service is asked. */
export type Selection = Omit<ConditionOptions, 'email' | 'distinct_id'> & {
  readonly allowStale?: boolean | undefined;
};

/**
 * Reads everybody who matches, to the end, before anything is deleted. Each one is checked here as well: a service that
 * ignores a filter must not decide who is erased. Throws `refused` for a person who does not match, and for a condition
 * that nothing can check.
 */
export async function selectPersons(selection: Selection, context: Context) {
  const { dialect } = await context.settings();
  const conditions = readConditions(selection, { dialect });
  const isLive = dialect === 'live';
  const cohorts = await readCohorts(conditions, selection, context);
  const unmet = await createJudge(conditions, { withNames: isLive });
  const client = await context.client();
  const collector = createIdCollector({
    kind: 'ids',
    places: 'argument',
    name: 'the selection',
    odd: 'send',
  });
  // A row of the list holds up to 1000 distinct ids, where a look-up of many persons tells ten of each.
  let resolution: ReturnType<typeof createResolution> | undefined = createResolution({ withNames: true });
  const known = new Set<string>();
  const progress = context.progress({ label: 'persons found' });
  let count = 0;
  const { pageSize, shared } = WHOLE_LIST;
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  const options = { pageSize, overlap: { rows: shared, after: [] }, onTime };
  for await (const page of client.pages(persons.list, conditionParameters(conditions), options)) {
    for (const person of objectRows<Person>(page)) {
      const fault = unmet(person);
      if (fault !== undefined) throw await unmetError({ person, fault, conditions }, context);
      count += 1;
      const { sendAs, ...one } = toKnown(person);
      collector.add(one.uuid, count);
      // A row without a UUID has to be looked up.
      if (!isUuid(one.uuid)) resolution = undefined;
      if (!known.has(one.uuid)) resolution?.add(isLive ? one : { ...one, sendAs });
      known.add(one.uuid);
    }
    progress.update(count);
    stopIfAsked(context);
  }
  progress.end();
  const list = collector.finish();
  await checkCohorts(list.ids, conditions, context);
  const isEverybody = count > 0 && (await areAll(count, context));
  const people: GivenPeople = { list, resolution };
  return { people, isEverybody, serviceTime, cohorts };
}

type UnmetRow = { readonly person: Person; readonly fault: Unmet; readonly conditions: PersonConditions };

async function unmetError({ person, fault, conditions }: UnmetRow, context: Context): Promise<CliError> {
  const message = `the service selected person ${idText(person.id)}, ${fault.text}`;
  if (!fault.isSearch) {
    return new CliError('refused', message, {
      hint: 'nothing was deleted; the service may ignore the filter, so give the people with --from',
    });
  }
  const { search, ...others } = conditions;
  return uncheckedError({ what: `--search "${search}"`, message, conditions, others }, context);
}

type Unchecked = {
  readonly what: string;
  readonly message: string;
  readonly conditions: PersonConditions;
  readonly others: PersonConditions;
};

/** Says as well if the service counts as many persons without the condition; that it counts others proves nothing. */
async function uncheckedError(
  { what, message, conditions, others }: Unchecked,
  context: Context,
): Promise<CliError> {
  const [total, without] = [await totalOf(conditions, context), await totalOf(others, context)];
  if (total === undefined || total !== without)
    return new CliError('refused', message, { hint: LOOK_AT_LIST });
  return new CliError('refused', `${message}; ${what} changes nothing: ${total} match without it too`, {
    hint: `leave out a condition that changes nothing, or ${LOOK_AT_LIST}`,
  });
}

async function totalOf(conditions: PersonConditions, context: Context): Promise<number | undefined> {
  const client = await context.client();
  const input = { ...conditionParameters(conditions), include_total: true, limit: 1 };
  for await (const page of client.pages(persons.list, input, { limit: 1 })) return page.count;
  return undefined;
}

/** Whether the project has no more persons: by their total, if the service tells one, else by reading just past them. */
async function areAll(count: number, context: Context): Promise<boolean> {
  const total = await totalOf({ filters: [] }, context);
  if (total !== undefined) return total <= count;
  const client = await context.client();
  for await (const page of client.pages(persons.list, { offset: count, limit: 1 }, { limit: 1 }))
    if (page.rows.length > 0) return false;
  return true;
}

/** No row shows the cohorts that a person is in, so the service is asked in another way. */
async function checkCohorts(
  ids: readonly string[],
  conditions: PersonConditions,
  context: Context,
): Promise<void> {
  for (const filter of conditions.filters) {
    const cohort = cohortOf(filter);
    if (cohort === undefined) continue;
    const members = await membersOf(cohort, ids, context);
    const other = ids.find((id) => !members.ids.has(id.toLowerCase()));
    if (other === undefined) continue;
    const message = `the service selected person ${other}, who is not in cohort ${cohort} according to ${members.source}`;
    const others = { ...conditions, filters: conditions.filters.filter((one) => one !== filter) };
    throw await uncheckedError({ what: `the cohort ${cohort}`, message, conditions, others }, context);
  }
}

/**
 * The cohorts that are asked for, with when their people were calculated. Throws a usage error for one whose people may
 * be others by now, if nobody sees the warning; if the key may not ask, nothing is said.
 */
async function readCohorts(
  { filters }: PersonConditions,
  { allowStale }: Selection,
  context: Context,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const id of filters.map(cohortOf)) {
    if (id === undefined || !/^\d{1,15}$/.test(id)) continue;
    const cohort = await readCohort(Number(id), context);
    if (cohort === undefined) continue;
    const state = cohortState(cohort, context.now());
    if (state !== undefined && context.options.yes && !context.dryRun && !allowStale)
      throw usageError(
        `cohort ${id} is not final: ${state}`,
        'have it calculated anew, or add --allow-stale if its persons are meant as they are',
      );
    if (state !== undefined) context.warn(`warning: cohort ${id} is not final: ${state}`);
    const { last_calculation: last } = cohort;
    told.push(last ? `cohort ${id}, calculated ${last}` : `cohort ${id}`);
  }
  return told;
}

async function readCohort(id: number, context: Context): Promise<Cohort | undefined> {
  const client = await context.client();
  try {
    return await client.call(platform.cohort, { id });
  } catch (error) {
    const failure = foreseen(error);
    if (failure.status !== 403 && failure.status !== 404) throw failure;
    return undefined;
  }
}

type Members = { readonly ids: ReadonlySet<string>; readonly source: string };

/** Persons asked about one by one, if the key may not query. */
const MOST_SINGLE = 500;
const SQL_IDS = 1000;
const REFUSED: readonly unknown[] = [400, 403, 404, 405, 501];

async function membersOf(cohort: string, ids: readonly string[], context: Context): Promise<Members> {
  if (!/^\d{1,15}$/.test(cohort)) throw uncheckable(cohort, 'is not a cohort id');
  try {
    return { ids: await membersBySql(cohort, ids, context), source: 'SQL' };
  } catch (error) {
    const failure = foreseen(error);
    if (!REFUSED.includes(failure.status)) throw failure;
    if (ids.length > MOST_SINGLE) throw uncheckable(cohort, `cannot be checked: ${failure.message}`);
    context.note(`Asking for the cohorts of each person, since SQL is refused: ${failure.message}.`);
    return { ids: await membersOneByOne(cohort, ids, context), source: 'persons/cohorts' };
  }
}

function uncheckable(cohort: string, why: string): CliError {
  return new CliError('refused', `the cohort ${cohort} ${why}`, {
    hint: `a key with query:read can ask through SQL; or ${LOOK_AT_LIST}`,
  });
}

async function membersBySql(cohort: string, ids: readonly string[], context: Context) {
  const client = await context.client();
  const members = new Set<string>();
  for (let at = 0; at < ids.length; at += SQL_IDS) {
    const query = sqlQuery({
      sql: `SELECT toString(id) FROM persons WHERE toString(id) IN {ids} AND id IN COHORT ${cohort} LIMIT ${SQL_IDS}`,
      values: { ids: ids.slice(at, at + SQL_IDS) },
    });
    // Who is in the cohort by now counts.
    const answer = await client.query({ query, refresh: 'force_blocking' }, { isNew: true });
    const { rows } = queryRows(answer);
    for (const [id = null] of rows) members.add(toText(id).toLowerCase());
    stopIfAsked(context);
  }
  return members;
}

/** The answer may be about another project, the one that the key's owner has open; then it does not name the cohort. */
async function membersOneByOne(cohort: string, ids: readonly string[], context: Context) {
  const client = await context.client();
  const named = await inLanes(ids, async (id) => {
    stopIfAsked(context);
    const { results } = await client.call(persons.cohorts, { person_id: id });
    return results.some((one) => idText(one.id) === cohort) ? [id.toLowerCase()] : [];
  });
  return new Set(named.flat());
}

export const MATCHES_NOBODY = 'no person matches the selection';

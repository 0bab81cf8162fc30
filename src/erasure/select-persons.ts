import type { PropertyFilter } from '../cli/command/values.ts';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import { isExactNumber, type Json, type JsonObject } from '../json/kinds.ts';
import { idText, objectRows, WHOLE_LIST } from '../service/ids.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import { createIdCollector } from './collect-ids.ts';
import { actOn } from './ids.ts';
import { type People, type ProgressOptions, progressKind, stopIfAsked } from './resolve.ts';

/** Who is to be erased, by what the service is asked. */
export type Selection = {
  readonly search?: string | undefined;
  readonly email?: string | undefined;
  readonly property?: readonly PropertyFilter[] | undefined;
  readonly cohort?: number | undefined;
};

export type Selected = {
  readonly people: People;
  /** Ten of them, for the question. */
  readonly examples: readonly string[];
  /** Everybody in the project matches. */
  readonly isEverybody: boolean;
};

/** Whether any selection was given. */
export function isSelection({ search, email, property, cohort }: Selection): boolean {
  return [search, email, property, cohort].some((value) => value !== undefined);
}

/**
 * Reads everybody who matches, to the end, before anything is deleted. Each one is checked here as well: a service that
 * ignores a filter must not decide who is erased. Throws `refused` for a person who does not match.
 */
export async function selectPersons(
  selection: Selection & ProgressOptions,
  context: Context,
): Promise<Selected> {
  const client = await context.client();
  const { dialect } = await context.settings();
  if (selection.cohort !== undefined && dialect !== 'live') {
    throw usageError('this service is not known to select by cohort', 'select by --property, or give ids');
  }
  const collector = createIdCollector('ids', {
    places: 'argument',
    name: 'the selection',
    allowSuspicious: true,
  });
  const examples: string[] = [];
  const progress = context.progress({ label: 'persons found', kind: progressKind(selection, context) });
  let count = 0;
  const { pageSize, shared } = WHOLE_LIST;
  const options = { pageSize, overlap: { rows: shared, after: [] } };
  for await (const page of client.pages(persons.list, filtersOf(selection), options)) {
    for (const person of objectRows<Person>(page)) {
      refuseOthers(person, selection);
      count += 1;
      if (examples.length < EXAMPLES) examples.push(person.name || idText(person.id));
      collector.add(actOn(person.uuid ?? person.id), count);
    }
    progress.update(count);
    stopIfAsked(context);
  }
  progress.end();
  return { people: { list: collector.finish() }, examples, isEverybody: await isEverybody(count, context) };
}

const EXAMPLES = 10;

function filtersOf({ search, email, property, cohort }: Selection) {
  const conditions: Json[] = (property ?? []).map((condition) => ({ ...condition, type: 'person' }));
  if (cohort !== undefined) conditions.push({ key: 'id', value: cohort, type: 'cohort' });
  return { search, email, properties: conditions.length > 0 ? conditions : undefined };
}

function refuseOthers(person: Person, { email, property = [] }: Selection): void {
  const properties = person.properties ?? {};
  const wrong = property.find((condition) => !satisfies(properties, condition));
  const hint = 'the service may ignore the filter; nothing was deleted';
  if (email !== undefined && properties.email !== email) {
    throw new CliError(
      'refused',
      `the service selected person ${idText(person.id)}, whose email is not "${email}"`,
      { hint },
    );
  }
  if (wrong) {
    throw new CliError(
      'refused',
      `the service selected person ${idText(person.id)}, who does not satisfy the condition on "${wrong.key}"`,
      { hint },
    );
  }
}

/** Compares with the unfiltered list: by its total where the service tells one, else by reading just past the count. */
async function isEverybody(count: number, context: Context): Promise<boolean> {
  if (count === 0) return false;
  const client = await context.client();
  for await (const page of client.pages(persons.list, { include_total: true, limit: 1 }, { limit: 1 })) {
    if (page.count !== undefined) return page.count <= count;
  }
  for await (const page of client.pages(persons.list, { offset: count, limit: 1 }, { limit: 1 })) {
    if (page.rows.length > 0) return false;
  }
  return true;
}

type Test = (have: string, want: string) => boolean;

const TESTS: Readonly<Record<string, Test>> = {
  exact: (have, want) => have === want,
  is_not: (have, want) => have !== want,
  icontains: (have, want) => have.toLowerCase().includes(want.toLowerCase()),
  not_icontains: (have, want) => !have.toLowerCase().includes(want.toLowerCase()),
  gt: (have, want) => compare(have, want) > 0,
  gte: (have, want) => compare(have, want) >= 0,
  lt: (have, want) => compare(have, want) < 0,
  lte: (have, want) => compare(have, want) <= 0,
};
/** Operators that a person without the property satisfies. */
const FOR_ABSENT = new Set(['is_not', 'not_icontains', 'not_regex', 'is_not_set', 'not_in']);

/**
 * Whether properties satisfy a condition, as far as that can be told here. Operators that only the service can judge
 * (regular expressions of its database, dates, cohorts) are taken for satisfied.
 */
function satisfies(properties: JsonObject, { key, operator, value }: PropertyFilter): boolean {
  const have = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (operator === 'is_set') return have !== undefined && have !== null;
  if (operator === 'is_not_set') return have === undefined || have === null;
  const test = TESTS[operator];
  if (!test) return true;
  if (have === undefined || have === null) return FOR_ABSENT.has(operator);
  return test(textOf(have), textOf(value ?? null));
}

function compare(have: string, want: string): number {
  const [left, right] = [Number(have), Number(want)];
  if (Number.isNaN(left) || Number.isNaN(right)) return have < want ? -1 : Number(have > want);
  return left - right;
}

function textOf(value: Json): string {
  if (isExactNumber(value)) return numberText(value.value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `1.0` and `1` are one number. */
function numberText(digits: string): string {
  const plain = Number(digits);
  return Number.isSafeInteger(plain) ? String(plain) : digits;
}

import { persons } from '../../../api/endpoints/persons.ts';
import { idText, objectRows, WHOLE_LIST } from '../../../api/ids.ts';
import type { Person } from '../../../api/schemas.ts';
import type { PropertyFilter } from '../../../cli/command/property-filter.ts';
import type { Context } from '../../../cli/context.ts';
import { createIdCollector } from '../../../erasure/collect-ids.ts';
import type { People } from '../../../erasure/resolve-ids.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { Json } from '../../../json/kinds.ts';
import { actOn } from '../../person-id.ts';
import { type ProgressWish, progressKind } from './progress-kind.ts';
import { satisfies } from './property-match.ts';
import { stopIfAsked } from './stop-if-asked.ts';

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
  selection: Selection & ProgressWish,
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

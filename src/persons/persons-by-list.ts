import type { Context } from '../cli/context.ts';
import { counted } from '../errors.ts';
import type { Page } from '../http/pages.ts';
import type { Column, Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { countUnmet, type UnmetCount } from '../semantics/judge-person.ts';
import {
  type ConditionOptions,
  cohortOf,
  conditionParameters,
  cutIds,
  hasConditions,
  mayHaveMoreIds,
  type PersonConditions,
  readConditions,
  WHOLE_LIST,
} from '../semantics/person-conditions.ts';
import { objectRows } from '../service/endpoint.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';

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
  const { format, columns } = context.output.format();
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
  if (cut > 0 && showsIds(context)) throw cutIds(counted(cut, 'person', 'persons'));
}

/** Warns of cohorts among the conditions whose people are not final. */
async function tellCohorts({ filters }: PersonConditions, context: Context): Promise<void> {
  const ids = filters.map(cohortOf).filter((id) => id !== undefined);
  if (ids.length > 0) await (await import('./cohorts.ts')).tellCohorts(ids, context);
}

type Judging = {
  readonly conditions: PersonConditions;
  /** Absent without conditions. */
  readonly unmet?: Awaited<ReturnType<typeof countUnmet>> | undefined;
  /** Whether these are the first pages that are read. */
  readonly isFirst: boolean;
};

/** The same pages, then a warning about people who do not satisfy a condition, and a hint if the list was empty. */
async function* tellUnmet(
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
    context.note(`Emails and distinct ids must match exactly; ${LOOKS_WIDER}.`);
}

const LOOKS_WIDER = 'search more widely with hogctl persons list --search';

/** One person of an export, the same whichever way it was read. `id` is the uuid if the service has one. */
export type ExportedRow = JsonObject & {
  readonly id: string;
  readonly distinct_ids: readonly string[];
  readonly properties: Json;
  readonly created_at: string | null;
};

/** A place in a list whose rows move: the offset where it was last, and the ids of the last rows before it. */
export type ListPlace = {
  readonly offset: number;
  readonly last: readonly string[];
  readonly unmet: UnmetCount;
};

/** Rows as they are read; `settled` is the id to go on after, and `list` where that stands in the list. */
export type Section = {
  readonly rows: readonly ExportedRow[];
  readonly settled?: string | undefined;
  readonly list?: ListPlace;
  /** How many persons there are, if the service tells it. */
  readonly total?: number | undefined;
};

export const exportColumns: readonly Column[] = [
  { key: 'id', kind: 'id', type: 'text' },
  { key: 'distinct_ids' },
  { key: 'created_at', type: 'time' },
  { key: 'properties' },
];

const { pageSize, shared } = WHOLE_LIST;

type ListReading = { readonly from: ListPlace | undefined; readonly conditions: PersonConditions };

/**
 * Persons from the list, newest first, from a place on. Pages share rows; if one shares none, the export ends, since
 * rows may be missing.
 */
export async function* readByList(
  { from, conditions }: ListReading,
  context: Context,
): AsyncGenerator<Section> {
  const { dialect } = await context.settings();
  await tellCohorts(conditions, context);
  const client = await context.client();
  let { offset, last } = from ?? { offset: 0, last: [] };
  const start = Math.max(0, offset - shared);
  const input = { ...conditionParameters(conditions), ...(start === 0 ? {} : { offset: start }) };
  const overlap = { rows: shared, after: last };
  const pages = client.pages(persons.list, input, { pageSize, overlap });
  const unmet = await countUnmet(conditions, { withNames: dialect === 'live', before: from?.unmet });
  const isFirst = from === undefined;
  for await (const page of tellUnmet(pages, { conditions, unmet, isFirst }, context)) {
    const rows: ExportedRow[] = [];
    for (const person of objectRows<Person>(page)) {
      const id = person.uuid ?? String(person.id);
      rows.push(rowOfPerson(mayHaveMoreIds(person) ? await client.call(persons.get, { id }) : person));
    }
    offset = offsetOf(page.next) ?? offset + rows.length;
    last = [...last, ...rows.map(({ id }) => id)].slice(-pageSize);
    yield { rows, total: page.count, settled: rows.at(-1)?.id, list: { offset, last, unmet: unmet.found() } };
  }
}

function offsetOf(next: string | null): number | undefined {
  const offset = next === null ? null : new URL(next, 'http://host').searchParams.get('offset');
  return offset === null ? undefined : Number(offset);
}

/** A person of the list as a row. */
export function rowOfPerson(person: Person): ExportedRow {
  const { id, uuid, distinct_ids: ids = [], properties, created_at: created } = person;
  return {
    id: uuid ?? (typeof id === 'string' ? id : toJsonText(id)),
    distinct_ids: [...ids].sort(),
    created_at: moment(created),
    properties: properties ?? {},
  };
}

/** A time in one spelling: SQL writes a space, an offset of nothing or zeros behind the seconds. */
export function moment(text: Json | undefined): string | null {
  if (typeof text !== 'string') return null;
  return text
    .replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
    .replace(/\.(\d*)(?=Z|[+-]|$)/, (part) => part.replace(/(?<!0)0+$/, '').replace(/^\.$/, ''))
    .replace(/(\+00:?00)$/, 'Z')
    .replace(/(T[\d:.]+)$/, '$1Z');
}

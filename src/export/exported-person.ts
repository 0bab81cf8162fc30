import type { Context } from '../cli/context.ts';
import type { Column, Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { mayHaveMoreIds, objectRows, WHOLE_LIST } from '../service/ids.ts';
import { countUnmet, type UnmetCount } from '../service/judge-person.ts';
import { conditionParameters, type PersonConditions } from '../service/person-conditions.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import { tellUnmet } from './list-persons.ts';

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
  { key: 'id', kind: 'id' },
  { key: 'distinct_ids' },
  { key: 'properties' },
  { key: 'created_at' },
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
    properties: properties ?? {},
    created_at: moment(created),
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

import type { Person } from '../../../api/schemas.ts';
import type { Json, JsonObject } from '../../../json/kinds.ts';
import { toJsonText } from '../../../json/write.ts';
import type { Column } from '../../../output/look.ts';
import type { RowPage } from '../../../output/row-page.ts';

/** One person of an export, the same whichever way it was read. `id` is the uuid where the service has one. */
export type ExportedRow = JsonObject & {
  readonly id: string;
  readonly distinct_ids: readonly string[];
  readonly properties: Json;
  readonly created_at: string | null;
};

/** Rows as a way reads them; `settled` is the id to go on after, and `list` where that stands in the list. */
export type Section = {
  readonly page: RowPage;
  readonly size: number;
  readonly settled?: string | undefined;
  readonly list?: ListPlace;
  /** How many persons there are, where the service tells it. */
  readonly total?: number | undefined;
};

/** A place in a list whose rows move: the offset where it was last, and the ids of the last rows before it. */
export type ListPlace = { readonly offset: number; readonly last: readonly string[] };

export const exportColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'distinct_ids' },
  { key: 'properties' },
  { key: 'created_at' },
];

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

/** Nearly all moments are spelled like this, with zeros behind the digits of the seconds. */
const COMMON_MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:(\.\d*[1-9])0*|\.0+)?(Z?)$/;

/** A time in one spelling: SQL writes a space, an offset of nothing or zeros behind the seconds. */
export function moment(text: Json | undefined): string | null {
  if (typeof text !== 'string') return null;
  const [, day, time, digits, zone] = COMMON_MOMENT.exec(text) ?? [];
  if (zone !== undefined) return `${day}T${time}${digits ?? ''}Z`;
  return text
    .replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
    .replace(/\.(\d*?)0+(?=Z|[+-]|$)/, (_, digits: string) => (digits === '' ? '' : `.${digits}`))
    .replace(/(\+00:?00)$/, 'Z')
    .replace(/(T[\d:.]+)$/, '$1Z');
}

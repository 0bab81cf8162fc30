import type { Context } from '../cli/context.ts';
import { counted, usageError } from '../errors.ts';
import type { Column, Json, JsonObject } from '../json/kinds.ts';
import { toText } from '../json/text.ts';
import { begun } from '../print/rows.ts';
import { addressInSql, foldAddress, hasForms, SEVERAL_FORMS } from '../semantics/address.ts';
import { failedQuery } from '../semantics/sql.ts';

import { allRows, askSql, type Row } from './persons-by-key.ts';
import { moment } from './persons-by-list.ts';

/** A person who shares a value with others; `value` is what is compared. */
type Duplicate = {
  readonly value: string;
  /** How many persons share it. */
  readonly people: number;
  readonly id: string;
  readonly written: Json;
  readonly created_at: string | null;
  readonly first_event: string | null;
  readonly last_event: string | null;
  readonly events: number;
};

const columns: readonly Column[] = [
  { key: 'value', prominent: true },
  { key: 'people' },
  { key: 'id', kind: 'id' },
  { key: 'written', minor: true },
  { key: 'created_at', title: 'created', minor: true },
  { key: 'first_event', title: 'first event' },
  { key: 'last_event', title: 'last event' },
  { key: 'events' },
];

/** Prints which persons share a property's value, group by group in the order of the values. */
export async function printDuplicates(by: string | undefined, context: Context): Promise<void> {
  if (by === undefined) throw usageError('--by is missing', 'give a property, as in --by email');
  const property = propertyOf(by);
  const rows = await begun(duplicates(property, context));
  let [groups, people, mayBeRounded] = [0, 0, false];
  async function* counting(): AsyncGenerator<readonly Json[]> {
    let last: string | undefined;
    for await (const page of rows) {
      people += page.length;
      yield page.map((row): Json => {
        const isFirst = row.value !== last;
        last = row.value;
        mayBeRounded ||= LONG_NUMBER.test(row.value);
        groups += isFirst ? 1 : 0;
        return isFirst || !isTable ? row : { ...row, value: null, people: null };
      });
    }
  }
  const isTable = context.output.format().format === 'table';
  await context.print(counting(), columns);
  if (mayBeRounded) context.warn(ROUNDED);
  if (groups > 0) {
    context.note(
      `${counted(people, 'person shares', 'persons share')} ${counted(groups, 'value')} of "${by}".`,
    );
    context.note(NEXT_STEP);
  } else await tellNone(by, property, context);
}

/** Beyond 64 bits, and in fractions with an exponent, a number may be one of double precision. */
const LONG_NUMBER = /^-?\d{19,}$|^-?\d+(\.\d+)?e[+-]?\d+$/i;

const ROUNDED =
  'warning: SQL may round numbers of more than 18 digits: check these persons with persons get before you change them';

const NEXT_STEP =
  'No operation of the service merges persons. Compare them with hogctl persons get <id>; hogctl persons delete <id> deletes one.';

type Property = {
  /** The property itself, and what is compared, both in SQL. */
  readonly written: string;
  readonly compared: string;
  readonly values: JsonObject;
  readonly isAddress: boolean;
};

const EMAIL = /^\$?e-?mail$/i;

/**
 * What is stored, whatever type the project gives the property: a text without its quotes, anything else as JSON. The
 * name is a value, so that it can be any.
 */
const RAW = 'JSONExtractRaw(properties, {property})';
const STORED = `if(startsWith(${RAW}, '"'), JSONExtractString(properties, {property}), replaceRegexpOne(${RAW}, '^null$', ''))`;

function propertyOf(key: string): Property {
  const values = { property: key };
  if (!EMAIL.test(key)) return { written: STORED, compared: STORED, values, isAddress: false };
  const compared = addressInSql(STORED);
  return {
    written: STORED,
    compared: compared.sql,
    values: { ...values, ...compared.values },
    isAddress: true,
  };
}

async function* duplicates(property: Property, context: Context): AsyncGenerator<readonly Duplicate[]> {
  const progress = context.progress({ label: 'persons', first: 'waiting for the groups', amidRows: true });
  let done = 0;
  try {
    for await (const shared of sharedValues(property, context)) {
      for (const values of inParts([...shared.keys()])) {
        for await (const persons of personsOf(property, values, context)) {
          const rows = await withEvents(persons, shared, context);
          done += rows.length;
          progress.update(done);
          yield rows;
        }
      }
    }
  } finally {
    progress.end();
  }
}

/** Values of several persons with the number of these, in order, part by part; last addresses that have several forms. */
async function* sharedValues(
  property: Property,
  context: Context,
): AsyncGenerator<ReadonlyMap<string, Sharers>> {
  for await (const values of countValues(property, 'count() > 1', context)) {
    const alike = [...values].filter(([value]) => !property.isAddress || !hasForms(value));
    yield new Map(alike.map(([value, people]) => [value, { value, people }]));
  }
  if (property.isAddress) yield* sharedForms(property, context);
}

/** The value that persons share, and how many they are. */
type Sharers = { readonly value: string; readonly people: number };

async function* countValues(
  { compared, values }: Property,
  which: string,
  context: Context,
): AsyncGenerator<ReadonlyMap<string, number>> {
  const after = (row: Row | undefined) => ({
    sql: `SELECT ${compared} AS value, count() FROM persons WHERE ${compared} > {after} GROUP BY value HAVING ${which} ORDER BY value`,
    values: { ...values, after: row?.[0] ?? '' },
  });
  for await (const rows of allRows({ after }, context))
    yield new Map(rows.map(([value = null, count = null]) => [toText(value), Number(toText(count))]));
}

/** Addresses that SQL may tell apart, though they are one: by their accents, or by the form of their domain. */
async function* sharedForms(
  property: Property,
  context: Context,
): AsyncGenerator<ReadonlyMap<string, Sharers>> {
  const found = new Map<string, Map<string, number>>();
  const which = `match(value, '${SEVERAL_FORMS}')`;
  for await (const values of countValues(property, which, context))
    for (const [value, people] of [...values].filter(([one]) => hasForms(one))) {
      const folded = foldAddress(value);
      found.set(folded, (found.get(folded) ?? new Map<string, number>()).set(value, people));
    }
  for (const [value, forms] of [...found].toSorted()) {
    const people = [...forms.values()].reduce((sum, count) => sum + count, 0);
    if (people > 1) yield new Map([...forms.keys()].map((form) => [form, { value, people }]));
  }
}

/** Characters of values in one statement: its text stays below what the service's database takes. */
const MOST_TEXT = 100_000;

function inParts(values: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let length = MOST_TEXT;
  for (const value of values) {
    length += value.length;
    const part = parts.at(-1);
    if (part !== undefined && length <= MOST_TEXT) part.push(value);
    else {
      parts.push([value]);
      length = value.length;
    }
  }
  return parts;
}

type Sharing = {
  readonly id: string;
  readonly value: string;
  readonly written: Json;
  readonly created: Json;
};

/** The persons who have one of these values, by value and then by id. */
async function* personsOf(
  { compared, written, values }: Property,
  wanted: readonly string[],
  context: Context,
): AsyncGenerator<readonly Sharing[]> {
  const after = (row: Row | undefined) => {
    const [last = null, value = null] = row ?? [];
    const behind =
      row === undefined ? 'true' : `${compared} > {value} OR (${compared} = {value} AND id > {last})`;
    return {
      sql: `SELECT id, ${compared} AS value, ${written}, created_at FROM persons WHERE ${compared} IN {wanted} AND (${behind}) ORDER BY value, id`,
      values: { ...values, wanted, ...(row === undefined ? {} : { value, last }) },
    };
  };
  for await (const rows of allRows({ after }, context))
    yield rows.map(([id = null, value = null, text = null, created = null]) => ({
      id: toText(id),
      value: toText(value),
      written: text,
      created,
    }));
}

async function withEvents(
  persons: readonly Sharing[],
  shared: ReadonlyMap<string, Sharers>,
  context: Context,
): Promise<readonly Duplicate[]> {
  if (persons.length === 0) return [];
  const sql = `SELECT toString(person_id), min(timestamp), max(timestamp), count() FROM events WHERE toString(person_id) IN {ids} GROUP BY person_id LIMIT ${persons.length}`;
  const values = { ids: persons.map(({ id }) => id) };
  const { rows, hasMore } = await askSql({ sql, values }, context);
  if (hasMore) throw failedQuery('the query about events answered with fewer rows than it found');
  const events = new Map(rows.map(([id = null, ...figures]) => [toText(id), figures]));
  return persons.map(({ id, value, written, created }) => {
    const [first, last, count = 0] = events.get(id) ?? [];
    return {
      value: shared.get(value)?.value ?? value,
      people: shared.get(value)?.people ?? 0,
      id,
      written,
      created_at: moment(created),
      first_event: moment(first),
      last_event: moment(last),
      events: Number(toText(count)),
    };
  });
}

/** A name that is spelt wrong has no duplicates either. */
async function tellNone(by: string, { written, values }: Property, context: Context): Promise<void> {
  const sql = `SELECT count() FROM persons WHERE ${written} != '' LIMIT 1`;
  const { rows } = await askSql({ sql, values }, context);
  const count = Number(toText(rows[0]?.[0] ?? 0));
  if (count === 0) context.warn(`warning: no person has the property "${by}"`);
  else context.note(`No duplicates among ${counted(count, 'person', 'persons')} with "${by}".`);
}

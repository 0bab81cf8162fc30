import { join, resolve } from 'node:path';
import type { Options, PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import type { Column, Json } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { formatOfName, formats, type NamedFormat, namedFormats, tableFormats } from '../print/formats.ts';
import { begun } from '../print/rows.ts';
import { keyed } from '../semantics/answer.ts';
import { type ConditionOptions, hasConditions } from '../semantics/person-conditions.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';

import { allRows, type Row, readProperties } from './persons-by-key.ts';

type PersonExportInput = { readonly withEvents: boolean };

type Pages = AsyncIterable<readonly Json[]>;

/** Exports everything about one person: as one JSON document, or as tables in the folder of `--save`. */
export async function exportOne(
  id: string,
  { withEvents }: PersonExportInput,
  context: Context,
): Promise<void> {
  const record = await readRecord(id, context);
  for (const what of record.missing) context.warn(`warning: not in this export: ${what}`);
  const events = withEvents ? await begun(personEvents(uuidOf(record), context)) : undefined;
  const { output, save } = context.options;
  if (isTables(output) && save !== undefined) await writeTables(record, events, context);
  else await printDocument(record, events, context);
}

/** Whether a format is one of tables, which hold one kind of rows each. */
export function isTables(output: NamedFormat | undefined): boolean {
  return output !== undefined && formats[output].isForSpreadsheets;
}

/** Events know persons by their uuid. */
export function uuidOf({ person: { uuid, id } }: Pick<PersonRecord, 'person'>): string {
  if (uuid !== undefined) return uuid;
  if (typeof id === 'string') return id;
  throw new CliError('unavailable', 'the service sent no uuid of the person, which events need', {
    hint: 'leave out --with-events',
  });
}

async function printDocument(
  record: PersonRecord,
  events: Pages | undefined,
  context: Context,
): Promise<void> {
  const { project, host } = await context.settings();
  const head = {
    exported_at: new Date(context.now()).toISOString(),
    host: host.address,
    project: project.id,
    ...record,
  };
  // Events may be many: they are written as they come, into the document that waits for them.
  const text = toJsonText(head, { indent: 2 });
  if (events === undefined) return context.output.raw(`${text}\n`);
  await context.output.raw(`${text.slice(0, -2)},\n  "events": [`);
  let separator = '\n';
  for await (const page of events) {
    await context.output.raw(`${separator}${page.map((event) => `    ${toJsonText(event)}`).join(',\n')}`);
    separator = ',\n';
  }
  await context.output.raw(separator === '\n' ? ']\n}\n' : '\n  ]\n}\n');
}

async function writeTables(record: PersonRecord, events: Pages | undefined, context: Context): Promise<void> {
  const { output = 'csv', save = '' } = context.options;
  const { person, cohorts, activity } = record;
  const { distinct_ids: ids = [], ...rest } = person;
  const tables: readonly (readonly [string, Pages | undefined, readonly Column[]])[] = [
    ['person', once([rest]), []],
    ['distinct-ids', once(ids.map((id) => ({ distinct_id: id }))), keyed('distinct_id')],
    ['cohorts', cohorts === null ? undefined : once(cohorts), ifEmpty(cohorts, ['id', 'name'])],
    ['activity', activity === null ? undefined : once(activity), ifEmpty(activity, ACTIVITY)],
    ['events', events, eventColumns],
  ];
  const written = tables.filter(([, rows]) => rows !== undefined).map(([name]) => `${name}.${output}`);
  await refuseLeftTables(written, context);
  for (const [name, rows, columns] of tables) {
    if (rows === undefined) continue;
    const file = join(save, `${name}.${output}`);
    await context.files.writeRows(file, rows, columns);
    context.note(`Saved to ${file}.`);
  }
}

/** The fields of an entry, for the header of a table without one. */
const ACTIVITY = ['id', 'user', 'activity', 'scope', 'item_id', 'created_at', 'detail'];

/** Rows bring their own columns; a table without any would be a file of no bytes, which says nothing. */
function ifEmpty(rows: readonly Json[] | null, keys: readonly string[]): readonly Column[] {
  return rows?.length === 0 ? keyed(...keys) : [];
}

const TABLE = new RegExp(`^(?:person|distinct-ids|cohorts|activity|events)\\.(?:${tableFormats.join('|')})$`);

/** A table that an earlier export left may be about another person, and would be handed out with these. */
async function refuseLeftTables(written: readonly string[], { files, options }: Context): Promise<void> {
  const { save = '' } = options;
  const there = (await files.list(save)) ?? [];
  const left = there.filter((name) => TABLE.test(name) && !written.includes(name));
  if (left.length > 0)
    throw usageError(
      `${save} contains ${left.join(' and ')} of an earlier export, which this one would not replace`,
      'remove them, or choose another folder',
    );
}

async function* once(rows: readonly Json[]): AsyncGenerator<readonly Json[]> {
  yield rows;
}

/** What the service holds about one person beside their events. Null if the key may not read it. */
type PersonRecord = {
  readonly person: Person;
  readonly cohorts: readonly Json[] | null;
  readonly activity: readonly Json[] | null;
  /** What is not in here, and why. */
  readonly missing: readonly string[];
};

/** Reads it all. What the key may not read is named in `missing`, so that the rest does not pass for everything. */
async function readRecord(id: string, context: Context): Promise<PersonRecord> {
  const client = await context.client();
  const person = await client.call(persons.get, { id });
  const missing: string[] = [];
  const unlessRefused = async (what: string, read: () => Promise<readonly Json[]>) => {
    try {
      return await read();
    } catch (failure) {
      if (!(failure instanceof CliError) || failure.status !== 403) throw failure;
      missing.push(`${what}: ${failure.message}`);
      return null;
    }
  };
  const cohorts = await unlessRefused('cohorts', async () => {
    const { results } = await client.call(persons.cohorts, { person_id: id });
    return results;
  });
  const activity = await unlessRefused('activity', async () => {
    const rows: Json[] = [];
    for await (const page of client.pages(persons.activity, { id }, { pageSize: 100 }))
      for (const one of page.rows) rows.push(one);
    return rows;
  });
  return { person, cohorts, activity, missing };
}

const eventColumns: readonly Column[] = [
  { key: 'uuid', kind: 'id' },
  ...keyed('event', 'timestamp', 'distinct_id', 'properties'),
];

const SELECT =
  'SELECT uuid, event, timestamp, distinct_id, properties FROM events WHERE person_id = {person}';

/** What is behind an event in either order of time. */
const BEHIND = {
  oldest: ' AND (timestamp > toDateTime({time}) OR (timestamp = toDateTime({time}) AND uuid > {last}))',
  newest: ' AND (timestamp < toDateTime({time}) OR (timestamp = toDateTime({time}) AND uuid < {last}))',
};

const ORDER = { oldest: 'timestamp, uuid', newest: 'timestamp DESC, uuid DESC' };

/** All events of a person in the order of time, part by part as they come. */
export async function* personEvents(
  person: string,
  context: Context,
  first: 'oldest' | 'newest' = 'oldest',
): AsyncGenerator<readonly PersonEvent[]> {
  const after = (row: Row | undefined) => {
    const [last = null, , time = null] = row ?? [];
    const place = row === undefined ? undefined : { time, last };
    const sql = `${SELECT}${place === undefined ? '' : BEHIND[first]} ORDER BY ${ORDER[first]}`;
    return { sql, values: { person, ...place } };
  };
  for await (const rows of allRows({ after }, context)) yield rows.map(eventOf);
}

export type PersonEvent = {
  readonly [Field in 'uuid' | 'event' | 'timestamp' | 'distinct_id' | 'properties']: Json;
};

function eventOf([
  uuid = null,
  event = null,
  timestamp = null,
  distinct = null,
  properties,
]: Row): PersonEvent {
  return { uuid, event, timestamp, distinct_id: distinct, properties: readProperties(properties) };
}

export const exportOptions = {
  withEvents: { type: 'flag', description: 'Also export all events of the person' },
  withCohorts: { type: 'flag', description: 'Also name the cohorts, in an .html or .zip file' },
  resume: {
    type: 'file',
    placeholder: 'file',
    description: 'Keep the progress in this file, and continue from there; with --save',
  },
  via: {
    type: 'text',
    choices: ['auto', 'query', 'list'],
    placeholder: 'way',
    description: 'auto, query or list; auto uses the list if the key may not run SQL',
  },
} as const satisfies Options;

type Input = {
  readonly person?: string | undefined;
  readonly withEvents?: boolean | undefined;
  readonly withCohorts?: boolean | undefined;
  readonly resume?: string | undefined;
  readonly via?: string | undefined;
} & ConditionOptions;

/**
 * The one person to export: an id, or an email or a distinct id that no other condition stands beside; undefined if
 * persons are selected. Throws a usage error for options that do not go together.
 */
export function readTarget(
  { person: id, withEvents, withCohorts, resume, via, ...conditions }: Input,
  { options }: Pick<Context, 'options'>,
): PersonReference | undefined {
  if (id !== undefined && hasConditions(conditions))
    throw usageError('a person and conditions cannot be used together', 'give one of them');
  const person = id === undefined ? namedPerson(conditions) : { id };
  if (withCohorts && !isForThePerson(options))
    throw usageError('--with-cohorts needs an .html or .zip file', 'give one with --save');
  if (person !== undefined) checkOne({ resume, via }, options);
  else if (isForThePerson(options))
    throw usageError(`${options.save} is about one person`, 'give a person id, --email or --distinct-id');
  else if (withEvents)
    throw usageError(
      '--with-events can only be used for one person',
      'give a person id, --email or --distinct-id',
    );
  else if (hasConditions(conditions) && via === 'query')
    throw usageError('--via query cannot be used with conditions, which need the list', 'leave out --via');
  if (resume !== undefined) checkParts(resume, options);
  return person;
}

function namedPerson({ email, distinct_id: distinctId, ...others }: ConditionOptions) {
  if (hasConditions(others) || (email === undefined) === (distinctId === undefined)) return undefined;
  return email === undefined ? { distinctId: distinctId ?? '' } : { email };
}

/** Names as in "json, csv or tsv". */
function anyOf(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}

function refuseFormat(name: string, hint?: string) {
  return usageError(`one person is exported as ${anyOf(['json', ...tableFormats])}, not ${name}`, hint);
}

function checkOne(
  { resume, via }: Pick<Input, 'resume' | 'via'>,
  { output, save, columns }: Context['options'],
): void {
  if (resume !== undefined || via !== undefined)
    throw usageError(`--${resume === undefined ? 'via' : 'resume'} can only be used for many persons`);
  if (save !== undefined && /\.parquet$/i.test(save))
    throw refuseFormat('as Parquet', 'choose another file name');
  if (columns !== undefined)
    throw usageError('--columns cannot be used for one person, who is exported whole', 'leave it out');
  if (isForThePerson({ save })) {
    if (output === undefined) return;
    throw usageError(`${save} cannot contain ${output}`, 'leave out the format, or choose another file name');
  }
  if (output !== undefined && output !== 'json' && !isTables(output)) throw refuseFormat(output);
  if (isTables(output) && save !== undefined && isTables(formatOfName(save)))
    throw usageError(
      `${save} names a file, but ${output} of one person needs a folder`,
      `give a folder, as in -o ${output} --save ${save.replace(/\.\w+$/, '')}`,
    );
  if (isTables(output) && save === undefined)
    throw usageError(
      `${output} of one person needs a folder`,
      'give a folder with --save, or use persons list --email for one row',
    );
}

/** Whether the file is one to send to the person: a page, or an archive of page and JSON. */
export function isForThePerson({ save = '' }: Pick<Context['options'], 'save'>): boolean {
  return /\.(?:html?|zip)$/i.test(save);
}

function checkParts(resume: string, { output, save }: Context['options']): void {
  if (save === undefined) throw usageError('--resume needs --save', 'give the file to write with --save');
  if (output === undefined || !formats[output].isByLine) {
    const names = anyOf(namedFormats.filter((name) => formats[name].isByLine));
    throw usageError('--resume needs a format that can be continued', `add -o ${names}`);
  }
  const taken = [save, `${save}.part`, `${save}.part.lock`].map((file) => resolve(file));
  if (taken.includes(resolve(resume)))
    throw usageError(
      '--resume and --save need different files',
      `give --resume another, such as ${save}.state`,
    );
}

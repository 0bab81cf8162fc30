import type {
  GivenNode,
  InsightReference,
  NamedInsight,
  Option,
  Options,
} from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, changed, counted, usageError } from '../../errors.ts';
import {
  asList,
  asObject,
  type Column,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
} from '../../json/kinds.ts';
import { readQuestion } from '../../semantics/answer.ts';
import { type InputOf, idText, objectRows } from '../../service/endpoint.ts';
import { insights } from '../../service/insights.ts';
import { insightFields, REFRESH_MODES } from '../../service/parameters.ts';
import type { Insight } from '../../service/schemas.ts';
import { isInWords } from './history.ts';
import { readGivenNode } from './query-node.ts';

/** The match is checked here as well: a service that ignores the filter must not decide which insight a command touches. */
export async function findInsightId(reference: NamedInsight, context: Context): Promise<string> {
  if ('id' in reference) return reference.id;
  if ('name' in reference) return findByName(reference.name, 'name', context);
  const { shortId, orName } = reference;
  const listed = await listedAs(shortId, context);
  const found = listed.find((insight) => insight.short_id === shortId);
  if (found !== undefined) return idText(found.id);
  if (listed.length > 0) {
    throw new CliError('refused', `the service answered with an insight other than "${shortId}"`, {
      hint: 'give the insight id instead',
    });
  }
  if (orName) return findByName(shortId, 'short id or name', context);
  throw new CliError('not-found', `no insight has the short id "${shortId}"`, {
    hint: 'if it is deleted, give its insight id: no list shows it',
  });
}

/** The one insight of a name. Throws `not-found` for none and `usage` for several, with their ids. */
async function findByName(
  name: string,
  what: 'name' | 'short id or name',
  context: Context,
): Promise<string> {
  const client = await context.client();
  const found: Insight[] = [];
  const input = { search: name, ...(await withoutResults(context)) };
  for await (const page of client.pages(insights.list, input, { pageSize: 100 }))
    for (const one of objectRows<Insight>(page).filter((insight) => nameOf(insight) === name))
      found.push(one);
  const [only, second] = found;
  if (only === undefined)
    throw new CliError('not-found', `no insight has the ${what} "${name}"`, {
      hint: 'hogctl insights list --search finds it by a part of its name; if it is deleted, give its insight id',
    });
  if (second === undefined) return idText(only.id);
  throw usageError(
    `${counted(found.length, 'insight')} have the name "${name}"`,
    `give the id of one: ${found.map(describeInsight).join(', ')}`,
  );
}

/** Reads one insight by its id: the live service takes its short id too, unless that looks like a number. */
export async function readNamed<Answer>(
  reference: NamedInsight,
  read: (id: string) => Promise<Answer>,
  context: Context,
): Promise<Answer> {
  const { dialect } = await context.settings();
  if (dialect !== 'live' || !('shortId' in reference) || /^\d+$/.test(reference.shortId))
    return read(await findInsightId(reference, context));
  const { shortId, orName } = reference;
  try {
    return await read(shortId);
  } catch (failure) {
    if (!orName || !(failure instanceof CliError) || failure.status !== 404) throw failure;
    return read(await findByName(shortId, 'short id or name', context));
  }
}

type Client = Awaited<ReturnType<Context['client']>>;

/** What the service lists under a short id; a service that ignores it lists others. */
export async function listedAs(shortId: string, context: Context): Promise<readonly Insight[]> {
  const client = await context.client();
  const found: Insight[] = [];
  const input = { short_id: shortId, ...(await withoutResults(context)) };
  for await (const page of client.pages(insights.list, input, { limit: 2 })) {
    for (const one of objectRows<Insight>(page)) found.push(one);
  }
  return found;
}

/** The live service leaves results out of a list when asked to; whole rows have answered 500 there. */
export async function withoutResults(context: Context): Promise<{ readonly basic?: true }> {
  const { dialect } = await context.settings();
  return dialect === 'live' ? { basic: true } : {};
}

/** `insight 77 (zeNY2NOU)`, as far as the service told; some answer a write without a body. */
export function describeInsight(insight: Insight | undefined): string {
  if (insight?.id === undefined) return 'an insight; the service did not say which';
  return `insight ${idText(insight.id)}${insight.short_id ? ` (${insight.short_id})` : ''}`;
}

export function nameOf(insight: Insight): string | undefined {
  const name = insight.name || insight.derived_name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Every field of an insight, for commands that take none of them as options. */
export const insightFieldNames = insightFields.map(({ name }) => name);

type Definition = { readonly query?: GivenNode | undefined; readonly unchecked?: boolean | undefined };

type Fields = Definition & { readonly filters?: Json | undefined };

/** The fields that were given, with a query that the service knows. Throws a usage error for what would wipe it. */
async function givenFields<Given extends Fields>(fields: Given, context: Context) {
  const { query, unchecked = false, ...others } = fields;
  if (unchecked && query === undefined) throw usageError('--unchecked is about --query, which is missing');
  if (others.filters === null)
    throw usageError('--filters null would clear the filters', 'give {} to clear them');
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const definition = query === undefined ? {} : { query: await readGivenNode(query, unchecked, context) };
  // Entries that are undefined are gone, which the type of the fields allows.
  return { ...(Object.fromEntries(given) as Omit<Given, keyof Definition>), ...definition };
}

const DASHBOARDS_WARNING =
  'warning: dashboards is deprecated and replaces the list of dashboards; add tiles to a dashboard instead';

/** What comes of a definition that is sent; legacy filters are refused as if the key were at fault. */
async function withFilters<Answer>(filters: Json | undefined, sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.status !== 403 || filters === undefined) throw failure;
    const hint = 'the service may no longer accept legacy filters: give the definition with --query';
    throw changed(failure, { hint });
  }
}

type Created = Omit<InputOf<typeof insights.create>, 'deleted' | 'query'> & Definition;

/** Creates an insight, saved unless the fields say otherwise. Throws a usage error for none. */
export async function createFrom({ saved = true, ...given }: Created, context: Context): Promise<void> {
  const fields = await givenFields(given, context);
  if (Object.keys(fields).length === 0)
    throw usageError('there is nothing to create', 'give --name and --query');
  if (fields.dashboards !== undefined) context.warn(DASHBOARDS_WARNING);
  const client = await context.client();
  const answer = await withFilters(fields.filters, client.call(insights.create, { ...fields, saved }));
  context.report(`Created ${describeInsight(answer)}.`);
  if (answer === undefined) return;
  // It exists, but no list shows it, which surprises people.
  if (answer.saved === false)
    context.warn(
      `warning: ${describeInsight(answer)} is not saved, so no list shows it; hogctl insights update ${idText(answer.id)} --saved saves it`,
    );
  await context.print(answer, changedColumns);
}

type TagFlags = {
  readonly tags?: readonly string[] | undefined;
  readonly addTag?: readonly string[] | undefined;
  readonly removeTag?: readonly string[] | undefined;
  readonly clearTags?: boolean | undefined;
};

/** What finds out the tags that an insight is to have. Throws a usage error for two ways at once and for empty tags. */
function chooseTags({ tags, addTag = [], removeTag = [], clearTags }: TagFlags) {
  const changes = addTag.length + removeTag.length > 0;
  if ([tags !== undefined, clearTags === true, changes].filter(Boolean).length > 1) {
    throw usageError('--tags, --clear-tags, and --add-tag or --remove-tag cannot be used together');
  }
  if ([...addTag, ...removeTag].includes('')) throw usageError('a tag is empty');
  if (tags === undefined && !clearTags && !changes) return undefined;
  return async (id: string, client: Client): Promise<readonly string[]> => {
    if (!changes) return tags ?? [];
    // The service replaces the whole list.
    const present = (await client.call(insights.get, { id })).tags ?? [];
    return [...new Set([...present, ...addTag])].filter((tag) => !removeTag.includes(tag));
  };
}

export const tagOptions = {
  tags: {
    type: 'texts',
    description: 'Tags, instead of the present ones',
    empty: 'use --clear-tags to remove all tags',
  },
  addTag: { type: 'repeated', placeholder: 'tag', description: 'Add a tag' },
  removeTag: { type: 'repeated', placeholder: 'tag', description: 'Remove a tag' },
  clearTags: { type: 'flag', description: 'Remove all tags' },
} as const satisfies Options;

type Changes = Omit<InputOf<typeof insights.update>, 'id' | 'tags' | 'deleted' | 'query'> &
  Definition &
  TagFlags;

/** Sends only what was named. Throws a usage error if nothing was. */
export async function changeInsight(
  insight: InsightReference,
  { tags, addTag, removeTag, clearTags, ...given }: Changes,
  context: Context,
): Promise<void> {
  const chosenTags = chooseTags({ tags, addTag, removeTag, clearTags });
  const fields = await givenFields(given, context);
  if (chosenTags === undefined && Object.keys(fields).length === 0)
    throw usageError('there is nothing to change', 'give a field, such as --name');
  if (fields.dashboards !== undefined) context.warn(DASHBOARDS_WARNING);
  const client = await context.client();
  const id = await findInsightId(insight, context);
  const changes = { ...fields, ...(chosenTags && { tags: await chosenTags(id, client) }) };
  const answer = await withFilters(fields.filters, client.call(insights.update, { id, ...changes }));
  context.report(`Changed insight ${id}: ${Object.keys(changes).join(', ')}.`);
  if (answer !== undefined) await context.print(answer, changedColumns);
}

export const insightColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'short_id', kind: 'id' },
  { key: 'name' },
  { key: 'saved', minor: true },
  { key: 'favorited', minor: true },
  { key: 'tags', minor: true },
  { key: 'last_modified_at' },
];

const listedColumns: readonly Column[] = [
  ...insightColumns.slice(0, 3),
  { key: 'kind', kind: 'id' },
  ...insightColumns.slice(3),
];

/** Prints a list of insights. A table for people says of what kind each is, which the others read from its query. */
export function printInsights(
  rows: AsyncIterable<{ readonly rows: readonly Json[] }>,
  context: Context,
): Promise<void> {
  return isInWords('kind', context)
    ? context.print(withKinds(rows), listedColumns)
    : context.print(rows, insightColumns);
}

async function* withKinds(pages: AsyncIterable<{ readonly rows: readonly Json[] }>) {
  for await (const page of pages)
    yield { ...page, rows: page.rows.map((row) => (isObject(row) ? { ...row, kind: kindText(row) } : row)) };
}

/** The name of the command that calculates the like, as far as there is one. */
function kindText(insight: JsonObject): string | null {
  const { kind } = readQuestion(insight);
  if (kind === undefined) return null;
  return KINDS[kind] ?? kind.replace(/Query$/, '').toLowerCase();
}

const KINDS: Readonly<Record<string, string>> = { HogQLQuery: 'SQL', FunnelsQuery: 'funnel' };

/** What a change answers is a whole insight; a table shows what can be changed. */
export const changedColumns: readonly Column[] = [
  ...insightColumns.slice(0, 3),
  { key: 'description' },
  ...insightColumns.slice(3),
  { key: 'deleted' },
];

/** What goes for good when an insight is deleted, as the end of a sentence. */
async function lostWith(id: string, context: Context): Promise<string> {
  const client = await context.client();
  try {
    const insight = await client.call(insights.get, { id });
    const tiles = asList(insight.dashboard_tiles)?.length ?? asList(insight.dashboards)?.length ?? 0;
    const alerts = asList(insight.alerts)?.length;
    return [
      ...(tiles > 0 ? [`it is removed from ${counted(tiles, 'dashboard')}`] : []),
      alerts === undefined || alerts === 0
        ? LOST
        : `its ${counted(alerts, 'alert')} and its subscriptions cannot be restored`,
    ].join(', and ');
  } catch (failure) {
    // A deleted one is not found there, and is deleted again all the same.
    if (failure instanceof CliError && (failure.status === 403 || failure.status === 404)) return LOST;
    throw failure;
  }
}

const LOST = 'its alerts and subscriptions cannot be restored';

/** Deletes an insight softly, after a question that says what does not come back with `insights restore`. */
export async function softDelete(id: string, context: Context): Promise<void> {
  const client = await context.client();
  await context.confirm({ action: `soft-delete insight ${id}; ${await lostWith(id, context)}` });
  await client.call(insights.update, { id, deleted: true });
  context.report(
    `Soft-deleted insight ${id}; hogctl insights restore ${id} restores it, without alerts and subscriptions.`,
  );
}

/** Asks for what the service documents to refuse, and says plainly what it answered. */
export async function hardDelete(id: string, context: Context): Promise<void> {
  const client = await context.client();
  try {
    await client.call(insights.delete, { id });
    context.report(`The service accepted the deletion of insight ${id}.`);
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.status !== 405) throw failure;
    throw changed(failure, {
      kind: 'refused',
      message: `the service refuses to hard-delete insights (405), so insight ${id} is unchanged`,
      hint: `soft-delete it with hogctl insights delete ${id}`,
      outcome: 'not-done',
    });
  }
}

export const refreshOption = {
  type: 'text',
  placeholder: 'mode',
  choices: REFRESH_MODES,
  bare: 'blocking',
  description: 'Whether and when to calculate; without a value: blocking',
} as const satisfies Option;

export function insightRowsOf(answer: Json | object | undefined): readonly Json[] {
  // The types of answers are objects of JSON.
  const given = answer as Json | undefined;
  const rows = asList(given) ?? asList(asObject(given)?.results);
  if (rows !== undefined) return rows;
  throw new CliError('unavailable', 'the service answered with something that is not a list of insights');
}

/** The same answer with every access token masked, wherever in it one stands: some servers answer with a list. */
export function maskTokens(answer: Json): Json {
  if (Array.isArray(answer)) return answer.map(maskTokens);
  if (typeof answer !== 'object' || answer === null || isExactNumber(answer)) return answer;
  const entries = Object.entries(answer).map(([name, value]) =>
    name === 'access_token' && value ? [name, '***'] : [name, maskTokens(value)],
  );
  return Object.fromEntries(entries);
}

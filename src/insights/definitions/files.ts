import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import {
  asList,
  asObject,
  isExactNumber,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../json/kinds.ts';
import { parseJson, toJsonText } from '../../json/text.ts';
import { field, textField } from '../../semantics/answer.ts';
import type { Insight } from '../../service/schemas.ts';
import { readDefinition } from '../answers/query-node.ts';

/** What people decide about an insight, in the order of its file. Results, times and what the service derives are not. */
export const DEFINITION_FIELDS = [
  'name',
  'description',
  'tags',
  'favorited',
  'saved',
  'filters',
  'query',
] as const;

export type DefinitionField = (typeof DEFINITION_FIELDS)[number];

export type Definition = { readonly [Name in DefinitionField]?: Json };

/** `query` is the digest of the query alone: one that nobody changed is never refused. */
type Version = {
  readonly modified: string | null;
  readonly digest: string;
  readonly query?: string;
};

export type Origin = { readonly host: string; readonly id: string };

/** The names of the cohorts and actions that a definition uses, by number: another project has other numbers. */
export type Names = { readonly cohorts: NamesById; readonly actions: NamesById };

type NamesById = { readonly [id: string]: string };

/** The insight that a push made of the file in another project, and what it was afterwards. */
export type Pushed = Origin & { readonly short_id: string; readonly digest: string };

/** The definition in what the service answers. Empty filters are left out: the query took their place. */
export function definitionOf(insight: Insight): Definition {
  const { name = null, description = null, tags = [], favorited = false, saved = false } = insight;
  const { filters, query } = insight;
  return tidy({
    name,
    description,
    tags,
    favorited,
    saved,
    ...(isEmpty(filters) ? {} : { filters }),
    ...(query === undefined || query === null ? {} : { query }),
  });
}

function isEmpty(filters: Json | undefined): boolean {
  return (
    filters === undefined || filters === null || Object.keys(asObject(filters) ?? { filters }).length === 0
  );
}

/** The fields in the order of files; tags are a set, and keys have one order. */
function tidy(fields: Definition): Definition {
  const entries = DEFINITION_FIELDS.flatMap((name): readonly (readonly [string, Json])[] => {
    const value = fields[name];
    if (value === undefined) return [];
    return [[name, name === 'tags' && isList(value) ? value.map(String).sort() : ordered(value)]];
  });
  return Object.fromEntries(entries);
}

/** Keys by name, `kind` first, since it says what the others mean. */
function ordered(value: Json): Json {
  if (isList(value)) return value.map(ordered);
  const object = asObject(value);
  if (object === undefined) return plainNumber(value);
  const { kind, ...others } = object;
  const keys = [...(kind === undefined ? [] : ['kind']), ...Object.keys(others).sort()];
  return Object.fromEntries(keys.map((key) => [key, ordered(object[key] ?? null)]));
}

/** `1.0` and `1` are one number, and the service may turn the one into the other. */
function plainNumber(value: Json): Json {
  if (!isExactNumber(value)) return value;
  const number = Number(value.value);
  return Number.isSafeInteger(number) ? number : value;
}

export function digestOf(fields: Definition): string {
  return createHash('sha256')
    .update(toJsonText(tidy(fields)))
    .digest('hex')
    .slice(0, 16);
}

export function versionOf(insight: Insight): Version {
  const modified = insight.last_modified_at ?? insight.updated_at ?? null;
  const definition = definitionOf(insight);
  return {
    modified: typeof modified === 'string' ? modified : null,
    digest: digestOf(definition),
    ...(definition.query === undefined ? {} : { query: digestOf({ query: definition.query }) }),
  };
}

/** Whether the query is the one that was pulled. */
export function hasPulledQuery({ version, definition: { query } }: LocalInsight): boolean {
  return query !== undefined && version?.query === digestOf({ query });
}

/** What a file says otherwise than the service. A field that the file does not name is not its business. */
export function changedFields(wanted: Definition, present: Definition): readonly DefinitionField[] {
  return DEFINITION_FIELDS.filter((name) => {
    const value = wanted[name];
    return value !== undefined && text(value) !== text(present[name]);
  });
}

function text(value: Json | undefined): string {
  return value === undefined ? '' : toJsonText(value);
}

/** What one file holds. Without a short id it stands for an insight that is still to be created. */
type InsightFile = {
  readonly shortId: string | undefined;
  readonly version: Version | undefined;
  /** Undefined in files that people wrote, and in older ones. */
  readonly project: Origin | undefined;
  readonly names: Names;
  readonly pushed: readonly Pushed[];
  readonly definition: Definition;
};

type Marks = Partial<Pick<InsightFile, 'project' | 'names' | 'pushed'>>;

export function fileText(insight: Insight, { project, names = NO_NAMES, pushed = [] }: Marks = {}): string {
  const named = Object.entries(names).filter(([, byId]) => Object.keys(byId).length > 0);
  const content: JsonObject = {
    short_id: shortIdOf(insight),
    ...(project === undefined ? {} : { project }),
    version: versionOf(insight),
    ...(named.length === 0 ? {} : { names: Object.fromEntries(named) }),
    ...(pushed.length === 0 ? {} : { pushed }),
    ...definitionOf(insight),
  };
  return `${toJsonText(content, { indent: 2 })}\n`;
}

/** What the file holds, with what a push made of it in place of what an earlier one made there. */
export function withPushed({ text, pushed }: Pick<LocalInsight, 'text' | 'pushed'>, now: Pushed): string {
  const others = pushed.filter((one) => !isSameProject(one, now));
  return `${toJsonText({ ...asObject(parseJson(text)), pushed: [...others, now] }, { indent: 2 })}\n`;
}

export function isSameProject(left: Origin, right: Origin): boolean {
  return left.id === right.id && left.host === right.host;
}

/**
 * A readable name with the short id, such as `weekly-checkout-zeNY2NOU.json`, that is none of those in `taken`, which are
 * in small letters: to Windows and macOS two names that differ in their case are one.
 */
export function fileName(insight: Insight, taken: ReadonlySet<string> = new Set()): string {
  const name = String(insight.name || insight.derived_name || '');
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|(?<!-)-+$/g, '');
  const shortId = shortIdOf(insight);
  // Windows keeps these for devices, whatever stands behind a dot.
  const first = slug === '' && /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(shortId) ? 'insight-' : '';
  const whole = `${first}${slug === '' ? '' : `${slug}-`}${shortId}`;
  let found = `${whole}.json`;
  for (let number = 2; taken.has(found.toLowerCase()); number += 1) found = `${whole}-${number}.json`;
  return found;
}

/** The short id, which becomes part of a file name. Throws `unavailable` for one that could name another place. */
export function shortIdOf({ short_id: shortId }: Insight): string {
  if (typeof shortId === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(shortId)) return shortId;
  throw new CliError('unavailable', `the service gave an insight the short id ${JSON.stringify(shortId)}`, {
    hint: 'an insight without a usable short id cannot be kept as a file',
  });
}

export const NO_NAMES: Names = { cohorts: {}, actions: {} };

const KEYS: readonly string[] = ['short_id', 'project', 'version', 'names', 'pushed', ...DEFINITION_FIELDS];

/** Reads what `fileText` or a person wrote. Throws a usage error that names the file. */
export function readInsightFile(file: string, content: Json): InsightFile {
  const wrong = (what: string) => usageError(`${file} is not the file of an insight: ${what}`);
  const object = asObject(content);
  if (object === undefined) throw wrong('it holds no JSON object');
  const unknown = Object.keys(object).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`it has the unknown field "${unknown}"`);
  const { short_id: shortId, project, version, names, pushed, query, ...rest } = object;
  if (shortId !== undefined && !(typeof shortId === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(shortId)))
    throw wrong('its short_id is not valid');
  const problem = problemOf(rest);
  if (problem !== undefined) throw wrong(problem);
  const definition = tidy({ ...rest, ...(query === undefined ? {} : { query: readQuery(file, query) }) });
  if (Object.keys(definition).length === 0) throw wrong('it has no fields of an insight');
  const origin = project === undefined ? undefined : readOrigin(project);
  if (project !== undefined && origin === undefined) throw wrong('its project has no host and id');
  const records = readPushedTo(pushed);
  if (records === undefined) throw wrong('its pushed is no list of host, id, short_id and digest');
  const marks = { project: origin, names: readNames(names), pushed: records };
  return { shortId, version: readVersion(version), ...marks, definition };
}

/** Undefined if something else stands there: a record that is not understood must not count as none. */
function readPushedTo(pushed: Json = []): readonly Pushed[] | undefined {
  const records = asList(pushed)?.flatMap((one) => {
    const [origin, shortId] = [readOrigin(one), textField(one, 'short_id')];
    const digest = textField(one, 'digest');
    return origin && shortId && digest ? [{ ...origin, short_id: shortId, digest }] : [];
  });
  return records?.length === asList(pushed)?.length ? records : undefined;
}

function readOrigin(project: Json): Origin | undefined {
  const [host, id] = [textField(project, 'host'), textField(project, 'id')];
  return host === undefined || id === undefined ? undefined : { host, id };
}

function readNames(names: Json | undefined): Names {
  const read = (key: string): NamesById => {
    const entries = Object.entries(asObject(field(names, key)) ?? {});
    return Object.fromEntries(
      entries.flatMap(([id, name]) => (typeof name === 'string' ? [[id, name]] : [])),
    );
  };
  return { cohorts: read('cohorts'), actions: read('actions') };
}

function readQuery(file: string, query: Json): Json {
  try {
    return readDefinition(query);
  } catch (cause) {
    throw usageError(
      `${file}: its query is not a query node`,
      cause instanceof CliError ? cause.hint : undefined,
    );
  }
}

/** Fields that the service would take for something else. */
function problemOf({ name, description, tags, favorited, saved, filters }: Definition): string | undefined {
  const isText = (value: Json = null) => value === null || typeof value === 'string';
  const isFlag = (value: Json = false) => typeof value === 'boolean';
  if (!isText(name)) return 'its name is not a text';
  if (!isText(description)) return 'its description is not a text';
  if (tags !== undefined && !(isList(tags) && tags.every((tag) => typeof tag === 'string')))
    return 'its tags are not a list of texts';
  if (!isFlag(favorited)) return 'its favorited must be true or false';
  if (!isFlag(saved)) return 'its saved must be true or false';
  return filters === undefined || isObject(filters) ? undefined : 'its filters are not a JSON object';
}

function readVersion(version: Json | undefined): Version | undefined {
  const { modified, digest, query } = asObject(version) ?? {};
  if (typeof digest !== 'string') return undefined;
  return {
    modified: typeof modified === 'string' ? modified : null,
    digest,
    ...(typeof query === 'string' ? { query } : {}),
  };
}

export type LocalInsight = InsightFile & { readonly file: string; readonly text: string };

/** Undefined if the folder does not exist. Throws a usage error for other JSON files and for two files of one insight. */
export async function readFolder(
  directory: string,
  context: Context,
): Promise<readonly LocalInsight[] | undefined> {
  const names = await context.files.list(directory);
  if (names === undefined) return undefined;
  const found: LocalInsight[] = [];
  const files = new Map<string, string>();
  for (const name of names.filter(isRead)) {
    const file = join(directory, name);
    const text = await context.files.readListed(file);
    const insight = { ...readInsightFile(file, parse(file, text)), file, text };
    const twin = insight.shortId === undefined ? undefined : files.get(insight.shortId);
    if (twin !== undefined)
      throw usageError(
        `${twin} and ${file} are both insight ${insight.shortId}`,
        'remove short_id, version and pushed from the copy to create another insight',
      );
    if (insight.shortId !== undefined) files.set(insight.shortId, file);
    found.push(insight);
  }
  return found;
}

function parse(file: string, text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(`${file} is not JSON, ${cause.message}`);
  }
}

function isRead(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}

/** Throws a usage error for an empty folder, and with --prune for a file that is not read: both would delete insights. */
export async function readPushed(
  directory: string,
  prune: boolean,
  context: Context,
): Promise<readonly LocalInsight[]> {
  const below = prune ? await context.files.list(directory, { recursive: true }) : undefined;
  const unread = below?.find((path) => /\.json$/i.test(path) && !(isRead(path) && basename(path) === path));
  if (unread !== undefined)
    throw usageError(
      `${join(directory, unread)} would not be read, so --prune would delete its insight`,
      'rename it to *.json without a leading dot, and keep all files in one folder',
    );
  const local = await readFolder(directory, context);
  if (local === undefined)
    throw usageError(`the folder ${directory} does not exist`, 'create it with hogctl insights pull');
  if (local.length === 0)
    throw usageError(`${directory} contains no insight files`, 'fill it with hogctl insights pull');
  return local;
}

/** The insights of a project that are not deleted, by short id. */
export type Present = {
  readonly insights: ReadonlyMap<string, Insight>;
  /** How many more insights the service counts than it listed. */
  readonly missing: number;
};

import { join } from 'node:path';
import type { GlobalOptions } from '../cli/command/options.ts';
import type { Client } from '../http/client.ts';
import { type Column, isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { isPages, type Printable } from '../print/rows.ts';
import { cacheDirectory } from '../settings/project-file.ts';
import { readSmallFile } from '../system/files.ts';
import { isBelowForeignHome } from '../system/own-files.ts';
import type { System } from '../system/system.ts';
import { systemReason } from '../system/text.ts';
import { markOf, removeCacheFile, removeCacheFiles, writeCacheFile } from '../system/write-whole.ts';

/** What commands have shown of one project, for completion: only names, no values. */
export type CompletionCache = {
  readonly insights: readonly (readonly [shortId: string, name: string])[];
  /** Keys of properties of persons. */
  readonly properties: readonly string[];
  /** Of the last answer of each command. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
};

/** Whose names they are; `undefined` for what belongs to no project. */
export type CachedProject = { readonly host: string; readonly project: string } | undefined;

/** What one command has shown. */
type Shown = {
  readonly insights: ReadonlyMap<string, string>;
  /** Short ids of insights that are deleted. */
  readonly deleted: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
};

type Where = Pick<System, 'environment' | 'platform'>;

const VERSION = 1;

const MOST = { insights: 200, properties: 500, columns: 150, commands: 60 };

export const EMPTY: CompletionCache = { insights: [], properties: [], columns: {} };

/** What is kept of a project; nothing if it cannot be read, or names are not to be kept. */
export function readCache(where: Where, project: CachedProject): CompletionCache {
  const directory = openDirectory(where);
  return directory === undefined
    ? EMPTY
    : parseCache(readSmallFile(join(directory, fileNameOf(project))), project);
}

/** Adds to it, if that changes anything. Throws what the system says. */
function addToCache(
  directory: string,
  project: CachedProject,
  { shown, command, mark }: { readonly shown: Shown; readonly command: string; readonly mark: string },
): void {
  const name = fileNameOf(project);
  const before = readSmallFile(join(directory, name));
  const after = cacheText(addShown(parseCache(before, project), shown, command), project);
  if (after !== before) writeCacheFile({ directory, pattern }, { name, text: after, mark });
}

/** Removes what is kept of one project, or of all; returns of how many. Throws what the system says. */
export function clearCache(where: Where, project?: CachedProject): number {
  const directory = directoryOf(where);
  if (directory === undefined) return 0;
  const files = { directory, pattern };
  return project === undefined ? removeCacheFiles(files) : removeCacheFile(files, fileNameOf(project));
}

/** Where names are kept; undefined if there is no such place, or none are to be kept. */
function openDirectory(where: Where): string | undefined {
  const { HOGCTL_NO_CACHE, HOGCTL_NO_NAMES } = where.environment;
  return HOGCTL_NO_CACHE || HOGCTL_NO_NAMES ? undefined : directoryOf(where);
}

function directoryOf({ environment, platform }: Where): string | undefined {
  const directory = cacheDirectory(environment, platform);
  return directory === undefined ? undefined : join(directory, 'completion');
}

/** Readable, and safe on every disk. Two long names may be the same, so the text names the project too. */
function fileNameOf(project: CachedProject): string {
  if (project === undefined) return 'no-project.json';
  const host = project.host.replace(/^https?:\/\//, '').replace(/[^\w.-]+/g, '-');
  return `${host.slice(0, 150)}-${project.project.replace(/[^\w-]+/g, '-').slice(0, 40)}.json`;
}

/** Names as above, also of a file that was not finished. */
const pattern = /^\.?(?:no-project|[\w.-]+-(?:\d+|-current))\.json(?:\.[\w.-]+\.part)?$/;

/** What was kept, with what a command has shown now. If a list is full, the oldest entries go. */
export function addShown(cache: CompletionCache, shown: Shown, command: string): CompletionCache {
  const insights = new Map(cache.insights);
  for (const [shortId, name] of shown.insights) insights.set(shortId, name);
  for (const shortId of shown.deleted) insights.delete(shortId);
  const properties = [...new Set([...cache.properties, ...shown.properties])];
  const columns = new Map(Object.entries(cache.columns));
  if (shown.columns.size > 0) columns.set(command, [...shown.columns].slice(0, MOST.columns));
  return {
    insights: [...insights].slice(-MOST.insights),
    properties: properties.slice(-MOST.properties),
    columns: Object.fromEntries([...columns].slice(-MOST.commands)),
  };
}

export function cacheText(cache: CompletionCache, project: CachedProject): string {
  return `${JSON.stringify({ version: VERSION, ...project, ...cache })}\n`;
}

/**
 * What a file holds. One that is damaged, of another version or of another project holds nothing. Somebody else may have
 * written it, so each word is checked again before it is offered.
 */
export function parseCache(text: string, project: CachedProject): CompletionCache {
  const found = parseRecord(text);
  if (found.version !== VERSION || found.host !== project?.host || found.project !== project?.project)
    return EMPTY;
  const columns = Object.entries(recordOf(found.columns));
  return {
    insights: listOf(found.insights).filter(isInsight),
    properties: keys(found.properties),
    columns: Object.fromEntries(columns.map(([command, names]) => [command, keys(names)])),
  };
}

/** The object that a text holds, empty if it holds none. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    // A damaged file is worth nothing.
    return {};
  }
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function keys(value: unknown): readonly string[] {
  return listOf(value).filter((key): key is string => typeof key === 'string');
}

function isInsight(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string');
}

/** Longer words are no names of anything, but data. */
const LONGEST_WORD = 80;

const LONGEST_NAME = 60;

/**
 * Whether a word may be offered: letters, digits and a few marks that no shell reads as an end, a space or a command.
 * The one that shells do read, `$`, is in the service's own property keys, and is quoted for each shell.
 */
export function isOfferable(word: string): boolean {
  if (word.length > LONGEST_WORD) return false;
  // Most words are ASCII, and the other pattern takes its time to compile.
  return /^[\w$][\w.:/+$-]*$/.test(word) || /^[\p{L}\p{N}_$][\p{L}\p{N}_.:/+$-]*$/u.test(word);
}

/** Whether a name in a file may be offered: with marks that are quoted for each shell, and none that is hard to quote. */
export function isQuotable(name: string): boolean {
  return isOfferable(name) || (name.length <= LONGEST_WORD && QUOTABLE.test(name));
}

const QUOTABLE = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.:/+'"()&#%?,-]*$/u;

/** Whether a key is kept: not one that may be a person's id, address or number. An e-mail address is not offerable. */
export function isKept(key: string): boolean {
  return isOfferable(key) && !/[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}|\d{7}/i.test(key);
}

function isShortId(text: string): boolean {
  return /^[\w-]{1,40}$/.test(text) && !text.startsWith('-');
}

/** A name as it stands beside a short id: one line, not too long, and nothing if it speaks of a person. */
export function plainName(name: string): string {
  const line = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  if (/\S@\S|\d{7}/.test(line)) return '';
  const letters = [...line];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : line;
}

/** Takes names from what a command shows, and writes them into the completion cache. */
export type Watcher = NonNullable<ReturnType<typeof openWatcher>>;

type Watching = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly stderr: { warn(text: string): void; redact(text: string): string };
  /** As typed after `hogctl`, an alias as the name it stands for. */
  readonly path: string;
};

type Target = { readonly project: { readonly id: string }; readonly host: { readonly address: string } };

const COLUMN_ROWS = 20;

const MOST_ROWS = 200;

/** Undefined if nothing may be kept. */
export function openWatcher({ system, options, stderr, path }: Watching) {
  const directory = openDirectory(system);
  if (directory === undefined || isBelowForeignHome(directory, system)) return undefined;
  let names: ReturnType<typeof collectNames> | undefined;
  let project: CachedProject;
  const collect = () => {
    names ??= collectNames((text) => stderr.redact(text) !== text);
    return names;
  };
  return {
    /** Says which project the command is about. */
    at(target: Target): void {
      project = { host: target.host.address, project: target.project.id };
    },
    /** A client whose single answers are looked at. */
    watchClient: (client: Client): Client => ({
      ...client,
      call: async (...words) => {
        const answer = await client.call(...words);
        collect().rows(rowsOf(answer as Json | undefined));
        return answer;
      },
      query: async (...words) => {
        const answer = await client.query(...words);
        collect().rows(rowsOf(answer));
        return answer;
      },
    }),
    /** The same data, whose first rows are looked at when they are printed; `columns` the command shows by itself. */
    watchPrinted(data: Printable, columns: readonly Column[] = []): Printable {
      const see = (rows: readonly Json[]) => {
        const first = rows.slice(0, MOST_ROWS);
        collect().rows(first);
        collect().columns([...columns.map(({ key }) => key), ...fieldsOf(first.slice(0, COLUMN_ROWS))]);
      };
      if (isPages(data)) return watchPages(data, see) as typeof data;
      see(isList(data) ? data : [data]);
      return data;
    },
    /** Writes what is new. It never fails a command, and says only with `--debug` that it could not. */
    save(): void {
      if (names === undefined) return;
      try {
        addToCache(directory, project, { shown: names.shown, command: path, mark: markOf(system) });
      } catch (failure) {
        if (options.debug) stderr.warn(`debug: nothing was kept for completion: ${systemReason(failure)}`);
      }
    },
  };
}

function rowsOf(answer: Json | undefined): readonly Json[] {
  if (answer === undefined || isList(answer)) return answer ?? [];
  if (!isObject(answer)) return [];
  const { results }: JsonObject = answer;
  return results !== undefined && isList(results) ? results : [answer];
}

async function* watchPages(pages: Exclude<Printable, Json>, see: (rows: readonly Json[]) => void) {
  let hasSeen = false;
  for await (const page of pages) {
    const rows = 'rows' in page ? page.rows : page;
    if (!hasSeen && rows.length > 0) see(rows);
    hasSeen ||= rows.length > 0;
    yield page;
  }
}

/** Collects names of rows and columns. `isSecret` tells a text that must not be kept whatever it looks like. */
export function collectNames(isSecret: (text: string) => boolean) {
  const insights = new Map<string, string>();
  const deleted = new Set<string>();
  const properties = new Set<string>();
  const columns = new Set<string>();
  const keep = (set: Set<string>, key: string) => {
    if (!set.has(key) && isKept(key) && !isSecret(key)) set.add(key);
  };
  const insight = ({ short_id: shortId, name, derived_name: derived, deleted: isDeleted }: JsonObject) => {
    if (typeof shortId !== 'string' || !isShortId(shortId) || isSecret(shortId)) return;
    if (isDeleted === true) deleted.add(shortId);
    else insights.set(shortId, nameOf([name, derived], isSecret));
  };
  return {
    shown: { insights, deleted, properties, columns },
    rows: (rows: readonly Json[]) => {
      for (const row of rows) {
        if (!isObject(row)) continue;
        insight(row);
        if (isPerson(row)) for (const key of Object.keys(row.properties)) keep(properties, key);
      }
    },
    columns: (keys: Iterable<string>) => {
      for (const key of keys) keep(columns, key);
    },
  };
}

/** The fields of rows, and those one level inside the properties of persons. */
export function* fieldsOf(rows: readonly Json[]): Generator<string> {
  for (const row of rows) {
    if (!isObject(row)) continue;
    yield* Object.keys(row);
    if (isPerson(row)) for (const key of Object.keys(row.properties)) yield `properties.${key}`;
  }
}

function nameOf(names: readonly unknown[], isSecret: (text: string) => boolean): string {
  const name = names.find((one): one is string => typeof one === 'string' && one !== '');
  return name === undefined || isSecret(name) ? '' : plainName(name);
}

function isPerson(row: JsonObject): row is JsonObject & { readonly properties: JsonObject } {
  return Array.isArray(row.distinct_ids) && isObject(row.properties);
}

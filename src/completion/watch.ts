import type { GlobalOptions } from '../cli/command/options.ts';
import type { Client } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import { type Column, isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import type { Printable } from '../print/rows.ts';
import { isBelowForeignHome } from '../system/files.ts';
import type { System } from '../system/system.ts';
import { systemReason } from '../system/text.ts';
import { markOf } from '../system/write-whole.ts';
import { addToCache, type CachedProject, isKept, isShortId, openDirectory, plainName } from './cache.ts';

/** Takes names from what a command shows, and writes them into the completion cache. */
export type Watcher = {
  /** Says which project the command is about. */
  at(target: {
    readonly project: { readonly id: string };
    readonly host: { readonly address: string };
  }): void;
  /** A client whose single answers are looked at. */
  watchClient(client: Client): Client;
  /** The same data, whose first rows are looked at when they are printed; `columns` the command shows by itself. */
  watchPrinted(data: Printable, columns: readonly Column[] | undefined): Printable;
  /** Writes what is new. It never fails a command, and says only with `--debug` that it could not. */
  save(): void;
};

type Watching = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly stderr: { warn(text: string): void; redact(text: string): string };
  /** As typed after `hogctl`, an alias as the name it stands for. */
  readonly path: string;
};

/** Undefined where nothing may be kept. */
export function openWatcher(watching: Watching): Watcher | undefined {
  const directory = openDirectory(watching.system);
  if (directory === undefined || isBelowForeignHome(directory, watching.system)) return undefined;
  return createWatcher(watching, directory);
}

function createWatcher({ system, options, stderr, path }: Watching, directory: string): Watcher {
  let names: ReturnType<typeof collectNames> | undefined;
  let project: CachedProject;
  const collect = () => {
    names ??= collectNames((text) => stderr.redact(text) !== text);
    return names;
  };
  return {
    at: (target) => {
      project = { host: target.host.address, project: target.project.id };
    },
    watchClient: (client) => ({
      ...client,
      call: async (...words) => {
        const answer = await client.call(...words);
        collect().rows(rowsOf(answer as Json | undefined));
        return answer;
      },
    }),
    watchPrinted: (data, columns = []) => {
      const see = (rows: readonly Json[]) => {
        const first = rows.slice(0, MOST_ROWS);
        collect().rows(first);
        collect().columns([...columns.map(({ key }) => key), ...fieldsOf(first.slice(0, COLUMN_ROWS))]);
      };
      if (isPages(data)) return watchPages(data, see) as typeof data;
      see(isList(data) ? data : [data]);
      return data;
    },
    save: () => {
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

const COLUMN_ROWS = 20;
const MOST_ROWS = 200;

type Pages = AsyncIterable<Pick<Page, 'rows'> | readonly Json[]>;

function isPages(data: Printable): data is Extract<Printable, AsyncIterable<unknown>> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

async function* watchPages(
  pages: Pages,
  see: (rows: readonly Json[]) => void,
): AsyncGenerator<Pick<Page, 'rows'> | readonly Json[]> {
  let hasSeen = false;
  for await (const page of pages) {
    if (!hasSeen) {
      const rows = 'rows' in page ? page.rows : page;
      hasSeen = rows.length > 0;
      if (hasSeen) see(rows);
    }
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

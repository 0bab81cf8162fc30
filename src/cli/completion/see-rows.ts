import { isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { Seen } from './add-seen.ts';
import { isKept, isShortId, plainName } from './kept-words.ts';

/** A collection that grows while a command shows its answer. */
export type Sight = {
  readonly seen: Seen;
  /** Rows, of which only names are kept. */
  names(rows: readonly Json[]): void;
  /** Fields that `--columns` can name. */
  columns(keys: Iterable<string>): void;
};

/** `isSecret` tells a text that must not be kept whatever it looks like. */
export function createSight(isSecret: (text: string) => boolean): Sight {
  const insights = new Map<string, string>();
  const gone = new Set<string>();
  const properties = new Set<string>();
  const columns = new Set<string>();
  const keep = (set: Set<string>, key: string) => {
    if (!set.has(key) && isKept(key) && !isSecret(key)) set.add(key);
  };
  const insight = ({ short_id: shortId, name, derived_name: derived, deleted }: JsonObject) => {
    if (typeof shortId !== 'string' || !isShortId(shortId) || isSecret(shortId)) return;
    if (deleted === true) gone.add(shortId);
    else insights.set(shortId, nameOf([name, derived], isSecret));
  };
  return {
    seen: { insights, gone, properties, columns },
    names: (rows) => {
      for (const row of rows) {
        if (!isObject(row)) continue;
        insight(row);
        if (isPerson(row)) for (const key of Object.keys(row.properties)) keep(properties, key);
      }
    },
    columns: (keys) => {
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

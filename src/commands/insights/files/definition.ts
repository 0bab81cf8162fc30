import { createHash } from 'node:crypto';
import type { Insight } from '../../../api/schemas.ts';
import { asObject, isExactNumber, isList, type Json } from '../../../json/kinds.ts';
import { toJsonText } from '../../../json/write.ts';

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

/** Which state of the insight a file came from. */
export type Version = { readonly modified: string | null; readonly digest: string };

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
export function tidy(fields: Definition): Definition {
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
  const keys = Object.keys(object).sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, ordered(object[key] ?? null)]));
}

function rank(key: string): number {
  return key === 'kind' ? 0 : 1;
}

/** `1.0` and `1` are one number, and the service may turn the one into the other. */
function plainNumber(value: Json): Json {
  if (!isExactNumber(value)) return value;
  const number = Number(value.value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A short fingerprint of a definition. */
export function digestOf(fields: Definition): string {
  return createHash('sha256')
    .update(toJsonText(tidy(fields)))
    .digest('hex')
    .slice(0, 16);
}

/** The state that an insight is in. */
export function versionOf(insight: Insight): Version {
  const modified = insight.last_modified_at ?? insight.updated_at ?? null;
  return {
    modified: typeof modified === 'string' ? modified : null,
    digest: digestOf(definitionOf(insight)),
  };
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

import type { Json, JsonObject } from '../api/json.ts';

/** The value as an object of properties; undefined for lists, exact numbers and everything else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  // An exact number is the only object that is no object of properties; its type is a part of JsonObject's.
  return 'isLosslessNumber' in value ? undefined : (value as JsonObject);
}

/** The value as a list; undefined for everything else. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The object without entries that are undefined. */
export function filled(entries: { readonly [name: string]: Json | undefined }): JsonObject {
  const kept = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

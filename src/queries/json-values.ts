import type { Json, JsonObject } from '../api/json.ts';

/** The object without entries that are undefined. */
export function filled(entries: { readonly [name: string]: Json | undefined }): JsonObject {
  const kept = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

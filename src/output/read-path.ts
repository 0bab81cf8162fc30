import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';

/** The keys of a row. A row that is a list has positions, a bare value has the one key `value`. */
export function keysOf(row: Json): readonly string[] {
  return isObject(row) || isList(row) ? Object.keys(row) : ['value'];
}

/**
 * The value at a dotted path, undefined if there is none. Keys may hold dots themselves: the longest own key wins, and
 * a shorter one is tried when the rest leads nowhere. Only own keys count, so `constructor` reaches no prototype.
 */
export function readPath(value: Json, path: string): Json | undefined {
  const whole = ownValue(value, path);
  if (whole !== undefined) return whole;
  let dot = path.lastIndexOf('.');
  while (dot >= 0) {
    const child = ownValue(value, path.slice(0, dot));
    const found = child === undefined ? undefined : readPath(child, path.slice(dot + 1));
    if (found !== undefined) return found;
    dot = dot === 0 ? -1 : path.lastIndexOf('.', dot - 1);
  }
  return undefined;
}

/** The value of one own key, or position of a list; undefined for anything else. */
export function ownValue(value: Json | undefined, key: string): Json | undefined {
  if (isList(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  const owner: JsonObject = value;
  return owner[key];
}

/** The cell of a row: like `readPath`, and a bare value stands in its column `value`. */
export function readCell(row: Json, path: string): Json | undefined {
  if (isObject(row) || isList(row)) return readPath(row, path);
  return path === 'value' ? row : undefined;
}

import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { escapeControls } from '../system/text.ts';
import type { Column, Look, Note } from './look.ts';

/** Reads rows into cells, column by column, and tells of what the columns miss. */
export type ColumnReader = {
  /** The columns; settled by the first page that has rows, or known before. */
  columns(firstPage: readonly Json[]): readonly Column[];
  /** Warns, once a key, of keys that no column shows. Call it with every page after the first. */
  watch(page: readonly Json[]): void;
  /** The cells of one row in the order of the columns; undefined where the row has no such thing. */
  read(row: Json): (Json | undefined)[];
  /** The keys that it warned of. */
  late(): readonly string[];
  /** Warns of columns that were asked for and that no row had. */
  finish(): void;
};

type Settings = Pick<Look, 'columns' | 'defaultColumns'> & {
  /** Whether the keys of the first page are added to the command's columns. */
  readonly everyKey: boolean;
};

/** Makes a `ColumnReader` for one list. */
export function createColumnReader(settings: Settings, note: Note): ColumnReader {
  let columns: readonly Column[] | undefined;
  let rows = 0;
  const known = new Set<string>();
  const late: string[] = [];
  const missing = new Set(settings.columns ?? []);
  const watched =
    settings.columns === undefined && (settings.everyKey || settings.defaultColumns === undefined);

  function choose(page: readonly Json[]): readonly Column[] {
    if (columns === undefined) {
      columns = chooseColumns(page, settings);
      for (const { key } of columns) known.add(key);
    }
    return columns;
  }

  return {
    columns: choose,
    watch(page) {
      if (!watched) return;
      const fresh = newKeys(page, known);
      if (fresh.length === 0) return;
      late.push(...fresh);
      note(lateKeys(fresh), 'warning');
    },
    late: () => late,
    read(row) {
      rows += 1;
      return choose([row]).map(({ key }, index) => {
        const value = readCell(row, key);
        if (value !== undefined && missing.size > 0) missing.delete(settings.columns?.[index] ?? key);
        return value;
      });
    },
    finish() {
      if (rows === 0 || missing.size === 0) return;
      note(`no row has the ${named('column', [...missing])}`, 'warning');
    },
  };
}

function chooseColumns(
  page: readonly Json[],
  { columns, defaultColumns = [], everyKey }: Settings,
): readonly Column[] {
  if (columns !== undefined) return columns.map((name) => columnNamed(name, defaultColumns));
  if (defaultColumns.length > 0 && !everyKey) return defaultColumns;
  const known = new Set(defaultColumns.map(({ key }) => key));
  return [...defaultColumns, ...newKeys(page, known).map((key) => ({ key }))];
}

/** People type what they see: a column is found by its key, then by its title; anything else is a path. */
function columnNamed(name: string, columns: readonly Column[]): Column {
  const found = columns.find(({ key }) => key === name) ?? columns.find(({ title }) => title === name);
  return found ?? { key: name };
}

function newKeys(page: readonly Json[], known: Set<string>): string[] {
  const fresh: string[] = [];
  for (const row of page) {
    for (const key of keysOf(row)) {
      if (known.has(key)) continue;
      known.add(key);
      fresh.push(key);
    }
  }
  return fresh;
}

function lateKeys(keys: readonly string[]): string {
  const left = `the ${named('key', keys)} appeared after the first page and ${keys.length === 1 ? 'is' : 'are'} left out`;
  return `${left}; name the columns with --columns, or use --output ndjson`;
}

/** Names with their noun. */
export function named(noun: string, names: readonly string[]): string {
  const quoted = names.map((name) => `"${escapeControls(name)}"`).join(', ');
  return names.length === 1 ? `${noun} ${quoted}` : `${noun}s ${quoted}`;
}

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

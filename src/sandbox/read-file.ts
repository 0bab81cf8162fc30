import { isList, type Json } from '../json/kinds.ts';
import { parseJson } from '../json/parse.ts';
import { regularFileFault } from '../system/files.ts';
import { invalid, type Refusal } from './refusal.ts';
import type { Store } from './store/open-store.ts';
import type { SqlRow } from './store/session.ts';

/** One row of an imported file and where it stands in it. */
export type FileRow = { readonly value: Json; readonly where: string };

type Rows = AsyncIterable<readonly SqlRow[]>;

type Named = { readonly path: string; readonly attr: string };

/** Each batch costs a look at all distinct ids, so batches are large. */
const BATCH = 20_000;

/** An empty line is null. Lines may end either way, also in one file: only so are they all counted. */
const LINES = `select line from read_csv($1, delim = '\u0001', quote = '', escape = '', header = false,
  columns = {'line': 'VARCHAR'}, auto_detect = false, max_line_size = 20000000, new_line = '\\r\\n', strict_mode = false)`;

const START = 'select substr(content, 1, 1000) as content from read_text($1)';

const WHOLE = 'select content from read_text($1)';

const PARQUET = `select columns(*)::varchar from read_parquet($1)`;

const CSV = `select columns(*)::varchar from read_csv($1, delim = ',', quote = '"', escape = '"', header = true,
  all_varchar = true)`;

/** Nothing is quoted: tabs, line ends and backslashes are written with a backslash. */
const TSV = `select columns(*)::varchar from read_csv($1, delim = '\t', quote = '', escape = '', header = true,
  all_varchar = true)`;

/**
 * Reads an NDJSON, JSON, CSV, TSV or Parquet file, a batch of rows at a time. JSON is a list, or lines as NDJSON has
 * them. In tables the columns `properties` and `distinct_ids` hold JSON. Throws a `Refusal` 400 that names `attr` for a
 * file that cannot be read.
 */
export async function* readRows(store: Store, path: string, attr: string): AsyncIterable<readonly FileRow[]> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) throw invalid(attr, 'Only files of this computer can be read.');
  let batch: FileRow[] = [];
  for await (const row of await openRows(store, { path, attr })) {
    if (batch.push(row) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function openRows(store: Store, file: Named): Promise<AsyncIterable<FileRow>> {
  const { path, attr } = file;
  const read = (sql: string) => {
    const fault = regularFileFault(path);
    if (fault !== undefined) throw unreadable(attr, fault);
    return refuseUnreadable(store.readFile(sql, literalPattern(path)), attr);
  };
  if (/\.(ndjson|jsonl)$/i.test(path)) return fromLines(read(LINES), attr);
  if (/\.json$/i.test(path)) {
    const isOneList = /^\uFEFF?\s*\[/.test(await onlyText(read(START)));
    return isOneList ? fromList(await onlyText(read(WHOLE)), attr) : fromLines(read(LINES), attr);
  }
  if (/\.csv$/i.test(path)) return fromTable(read(CSV), attr);
  if (/\.tsv$/i.test(path)) return fromTable(read(TSV), attr, withoutEscapes);
  if (/\.parquet$/i.test(path)) return fromTable(read(PARQUET), attr);
  throw invalid(attr, 'The file must end in .ndjson, .jsonl, .json, .csv, .tsv or .parquet.');
}

/** The database takes a path for a pattern of paths: this one matches no other. */
function literalPattern(path: string): string {
  return path.replace(/[*?[]/g, (character) => `[${character}]`);
}

function unreadable(attr: string, reason: string | undefined): Refusal {
  return invalid(attr, `The file cannot be read: ${reason}`);
}

async function* fromLines(rows: Rows, attr: string): AsyncIterable<FileRow> {
  let count = 0;
  for await (const batch of rows) {
    for (const { line } of batch) {
      count += 1;
      const where = `line ${count}`;
      if (typeof line !== 'string' || line.trim() === '') continue;
      yield { value: parse(() => parseJson(line), `${attr}, ${where}`, attr), where };
    }
  }
}

type Cell = (text: string) => string;

async function* fromTable(rows: Rows, attr: string, cell: Cell = (text) => text): AsyncIterable<FileRow> {
  let count = 0;
  for await (const batch of rows) {
    for (const row of batch) {
      count += 1;
      const where = `row ${count}`;
      yield { value: parse(() => fromColumns(row, cell), `${attr}, ${where}`, attr), where };
    }
  }
}

async function* fromList(text: string, attr: string): AsyncIterable<FileRow> {
  const list = parse(() => parseJson(text.replace(/^\uFEFF/, '')), `${attr}, the file`, attr);
  for (const [index, value] of (isList(list) ? list : []).entries())
    yield { value, where: `row ${index + 1}` };
}

async function onlyText(rows: Rows): Promise<string> {
  for await (const [row] of rows) return String(row?.content ?? '');
  return '';
}

const UNESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

function withoutEscapes(text: string): string {
  return text.replace(/\\([tnr\\])/g, (_, letter: string) => UNESCAPED[letter] ?? letter);
}

function fromColumns(row: SqlRow, cell: Cell): Json {
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const isJson = name === 'properties' || name === 'distinct_ids';
      const text = cell(String(value));
      return [name, isJson ? parseJson(text) : text];
    }),
  );
}

function parse(read: () => Json, where: string, attr: string): Json {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw invalid(attr, `${where} is not JSON, ${cause.message}`);
  }
}

async function* refuseUnreadable(batches: Rows, attr: string): AsyncGenerator<readonly SqlRow[]> {
  try {
    yield* batches;
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw unreadable(attr, reason);
  }
}

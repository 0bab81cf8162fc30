import { CLOSE_LIST, OPEN_LIST } from '../api/json-bytes.ts';
import { asObject, isList, type Json, type JsonObject } from '../json/kinds.ts';
import { parseExactly, parsePageText, parseText } from '../json/parse.ts';
import { type PageMap, scanPage } from './scan-page.ts';

/** A page taken apart: its rows, and everything beside them. */
export type ParsedPage = {
  readonly envelope: JsonObject;
  /** How many rows there are. */
  readonly size: number;
  /** The rows, parsed when they are first asked for; the bytes must be there still. */
  readonly rows: () => readonly Json[];
  /** The same rows in parts, each parsed when it is asked for, so that they are never all in memory. */
  readonly batches: () => Iterable<readonly Json[]>;
  /** Where the rows stand in the bytes, where that is known, and how one of them is parsed. */
  readonly map?: PageMap & { readonly parse: (from: number, to: number) => Json };
};

/** Strings of a page's size are what costs most: V8 puts those above 128 KiB into pages of their own. */
const BATCH_BYTES = 16 * 1024;

/**
 * Takes the bytes of a list apart, an envelope with `results` or a bare array. Throws a SyntaxError for bytes that are
 * not JSON, a TypeError for JSON that is no list.
 */
export async function parsePage(bytes: Buffer): Promise<ParsedPage> {
  const map = scanPage(bytes);
  return map === undefined ? parseWhole(bytes) : parseMapped(bytes, map);
}

function parseWhole(bytes: Buffer): ParsedPage {
  const value = parsePageText(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (isList(value)) return wholePage({}, value);
  const { results, ...envelope } = asObject(value) ?? {};
  if (!isList(results)) throw new TypeError('the answer holds no list of results');
  return wholePage(envelope, results);
}

function wholePage(envelope: JsonObject, rows: readonly Json[]): ParsedPage {
  return { envelope, size: rows.length, rows: () => rows, batches: () => [rows] };
}

function parseMapped(bytes: Buffer, map: PageMap): ParsedPage {
  const [from, to] = map.list;
  const around = parsePageText(`${bytes.toString('utf8', 0, from)}[]${bytes.toString('utf8', to)}`);
  const { results: _, ...envelope } = asObject(around) ?? {};
  const parse = map.long ? parseExactly : parseText;
  let parsed: readonly Json[] | undefined;
  return {
    envelope,
    size: map.starts.length,
    rows: () => {
      parsed ??= concatenate(parseBatches(bytes, map, parse));
      return parsed;
    },
    batches: () => parseBatches(bytes, map, parse),
    map: { ...map, parse: (from, to) => parse(bytes.toString('utf8', from, to)) },
  };
}

function* parseBatches(
  bytes: Buffer,
  { starts, ends }: PageMap,
  parse: typeof parseText,
): Generator<readonly Json[]> {
  let from = starts[0] ?? 0;
  for (const [index, end] of ends.entries()) {
    const next = starts[index + 1];
    if (next !== undefined && end - from < BATCH_BYTES) continue;
    yield parseBetween(bytes, { from: from - 1, to: end, parse });
    from = next ?? end;
  }
}

function concatenate(batches: Iterable<readonly Json[]>): readonly Json[] {
  const rows: Json[] = [];
  for (const batch of batches) rows.push(...batch);
  return rows;
}

type Between = { readonly from: number; readonly to: number; readonly parse: typeof parseText };

/** Parses the rows between two separators, which stand in for the brackets while their text is taken. */
function parseBetween(bytes: Buffer, { from, to, parse }: Between): readonly Json[] {
  const [first = OPEN_LIST, last = CLOSE_LIST] = [bytes[from], bytes[to]];
  bytes[from] = OPEN_LIST;
  bytes[to] = CLOSE_LIST;
  const text = bytes.toString('utf8', from, to + 1);
  bytes[from] = first;
  bytes[to] = last;
  const rows = parse(text);
  // The text is a list by construction.
  return isList(rows) ? rows : [];
}

import type { Json, JsonObject } from '../api/json.ts';
import { parsePageText } from './parse-json.ts';

/** A page taken apart: its rows, and everything beside them. */
export type ParsedPage = { readonly envelope: JsonObject; readonly rows: readonly Json[] };

const RESULTS = '"results":[';
const GROUP_BYTES = 48 * 1024;
const MOST_GUESSES = 8;
const OPENING = '['.charCodeAt(0);
const CLOSING = ']'.charCodeAt(0);

/**
 * Parses the bytes of a list, an envelope with `results` or a bare array. Large pages are parsed in groups of rows,
 * since strings of a page's size are what costs most. Throws a SyntaxError for bytes that are not such JSON.
 */
export async function parsePage(bytes: Buffer): Promise<ParsedPage> {
  const parts = bytes.length > GROUP_BYTES ? await parseParts(bytes) : undefined;
  return parts ?? parseWhole(bytes);
}

async function parseWhole(bytes: Buffer): Promise<ParsedPage> {
  const value = await parsePageText(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (isRows(value)) return { envelope: {}, rows: value };
  const { results, ...envelope } = asObject(value) ?? {};
  if (!isRows(results)) throw new TypeError('the answer holds no list of results');
  return { envelope, rows: results };
}

async function parseParts(bytes: Buffer): Promise<ParsedPage | undefined> {
  const found = bytes.indexOf(RESULTS);
  const end = bytes.lastIndexOf(CLOSING);
  if (found < 0 || end < found) return undefined;
  const start = found + RESULTS.length - 1;
  const value = await tryParse(`${bytes.toString('utf8', 0, start)}[]${bytes.toString('utf8', end + 1)}`);
  const { results, ...envelope } = asObject(value) ?? {};
  if (!isRows(results) || results.length > 0) return undefined;
  const rows = await parseGroups(bytes, start, end);
  return rows === undefined ? undefined : { envelope, rows };
}

/**
 * The end of a group is guessed at `},{` and proved by the parser: what begins at a row and parses as an array can
 * only end at a row's end, since a cut in a string or a nested value leaves it open.
 */
async function parseGroups(bytes: Buffer, start: number, end: number): Promise<Json[] | undefined> {
  const rows: Json[] = [];
  let from = start;
  while (from < end) {
    const group = await parseGroup(bytes, from, end);
    if (group === undefined) return undefined;
    for (const row of group.rows) rows.push(row);
    from = group.next;
  }
  return rows;
}

type Group = { readonly rows: readonly Json[]; readonly next: number };

async function parseGroup(bytes: Buffer, from: number, end: number): Promise<Group | undefined> {
  let guess = from + GROUP_BYTES;
  for (let guesses = 0; guesses < MOST_GUESSES; guesses += 1) {
    const cut = guess < end ? bytes.indexOf('},{', guess) : -1;
    if (cut < 0 || cut >= end) break;
    const rows = await parseBetween(bytes, from, cut + 1);
    if (rows !== undefined) return { rows, next: cut + 1 };
    guess = cut + 1;
  }
  const rest = await parseBetween(bytes, from, end);
  return rest === undefined ? undefined : { rows: rest, next: end };
}

/** Parses the rows between two separators, which stand in for the brackets while their text is taken. */
async function parseBetween(bytes: Buffer, from: number, to: number): Promise<readonly Json[] | undefined> {
  const [first, last] = [bytes[from], bytes[to]];
  if (first === undefined || last === undefined) return undefined;
  bytes[from] = OPENING;
  bytes[to] = CLOSING;
  const text = bytes.toString('utf8', from, to + 1);
  bytes[from] = first;
  bytes[to] = last;
  const value = await tryParse(text);
  return isRows(value) ? value : undefined;
}

async function tryParse(text: string): Promise<Json | undefined> {
  try {
    return await parsePageText(text);
  } catch {
    // A wrong guess; in the end the page is parsed whole, and then the parser's word counts.
    return undefined;
  }
}

function isRows(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value as a JSON object, undefined where it is something else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || isRows(value)) return undefined;
  return 'isLosslessNumber' in value && value.isLosslessNumber === true ? undefined : { ...value };
}

import { CliError } from '../errors.ts';
import { idText } from '../service/answer.ts';
import type { Person } from '../service/schemas.ts';
import type { ReadableFile, RunDirectory } from './run-directory.ts';

/** `ids`: person ids, an integer or a UUID. `distinct-ids`: the ids that events carry, any text. One call holds one kind. */
export type IdKind = 'ids' | 'distinct-ids';

const integer = /^[1-9]\d{0,18}$/;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isInteger(id: string): boolean {
  return integer.test(id);
}

export function isUuid(id: string): boolean {
  return uuid.test(id);
}

/** The spelling by which ids are compared: person ids in lower case, distinct ids exactly as they are. */
export function normalizeId(kind: IdKind, id: string): string {
  return kind === 'ids' ? id.toLowerCase() : id;
}

export type IdFault = 'empty' | 'control character' | 'broken text' | 'not a person id';

/** What keeps a text from being an id of its kind, or nothing. */
export function findIdFault(kind: IdKind, id: string): IdFault | undefined {
  if (kind === 'ids' && (isUuid(id) || isInteger(id))) return undefined;
  if (id.trim() === '') return 'empty';
  if (/\p{Cc}/u.test(id)) return 'control character';
  if (/\p{Surrogate}/u.test(id)) return 'broken text';
  return kind === 'ids' ? 'not a person id' : undefined;
}

/** The id of a person to act upon, as the service named it. Throws `refused` where that is neither an integer nor a UUID. */
export function actOn(id: Person['id'] | Person['uuid']): string {
  const text = idText(id);
  if (findIdFault('ids', text) === undefined) return text;
  throw new CliError('refused', 'the service answered with a person who has no id that can be used', {
    hint: 'check the host: an id is an integer or a UUID',
  });
}

/** A person as the service knew them while the run was planned. */
export type KnownPerson = {
  readonly uuid: string;
  readonly distinctIds: readonly string[];
  /** The id that deletions take, if it is another than the UUID: the specification's services take integers. */
  readonly sendAs?: string | undefined;
  /** For a person at the terminal: it never goes into the record of a run. */
  readonly name?: string | undefined;
  /** In the record as an HMAC only; null for a person without one, absent where the service was not asked. */
  readonly email?: string | null | undefined;
};

/** One id of a run. `person` is absent if nobody looked, and null if the service knew nobody by this id. */
export type Entry = {
  readonly kind: IdKind;
  readonly id: string;
  readonly person?: KnownPerson | null;
  /** How that person appears in the record, where no more is known of them: the id was given again. */
  readonly personMember?: string;
};

/** A line of the run's `ids` file: an id of the plan, or a uuid that the service named among its errors later. */
type IdsLine = { readonly entry: Entry } | { readonly named: string };

/** The id that goes over the wire: that of the person as soon as the plan resolved one, so that no one else is hit. */
export function idToSend({ id, person }: Entry): string {
  return person ? (person.sendAs ?? person.uuid) : id;
}

/** The id by which somebody is looked for: as it was given, since another person may have it by now. */
export function askedAs(entry: Entry): string {
  return entry.kind === 'ids' ? idToSend(entry) : entry.id;
}

/** Who is not there cannot be sent: somebody else may come to have the id later. */
export function isSendable({ person, personMember }: Entry): boolean {
  return person !== null && personMember === undefined;
}

/** A line of the `ids` file. */
export function encodeEntry({ kind, id, person }: Entry): string {
  return `${JSON.stringify([kind, id, ...knownAs(person)])}\n`;
}

function knownAs(person: Entry['person']): readonly unknown[] {
  if (person === undefined) return [];
  if (person === null) return [null];
  const { uuid, distinctIds, sendAs } = person;
  return sendAs === undefined ? [uuid, distinctIds] : [uuid, distinctIds, sendAs];
}

function encodeNamed(uuid: string): string {
  return `${JSON.stringify(['named', uuid])}\n`;
}

type EntryRow = [IdKind, string] | [IdKind, string, null] | [IdKind, string, string, string[], string?];

function decodeIdsLine(line: string, number: number): IdsLine {
  const row = parseRows(line)?.[0];
  if (row === undefined) throw wasDamaged(number);
  return row[0] === 'named' ? { named: row[1] } : { entry: toEntry(row) };
}

/** The entries among whole lines, which are parsed at once: a line break within an id is written otherwise. */
function decodeEntries(text: string, first: number): readonly Entry[] {
  const lines = text.trimEnd();
  const rows = parseRows(lines.replaceAll('\n', ','));
  const entries = rows?.flatMap((row) => (row[0] === 'named' ? [] : [toEntry(row)]));
  if (entries !== undefined && entries.length === rows?.length) return entries;
  const damaged = lines.split('\n').findIndex((line) => {
    const row = parseRows(line)?.[0];
    return row === undefined || row[0] === 'named';
  });
  throw wasDamaged(first + Math.max(0, damaged));
}

type Row = EntryRow | ['named', string];

/** Nothing for other rows than this file writes. */
function parseRows(text: string): readonly Row[] | undefined {
  try {
    const rows: unknown = JSON.parse(`[${text}]`);
    return Array.isArray(rows) && rows.every(isRow) ? rows : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRow(row: unknown): row is Row {
  if (!Array.isArray(row) || row.length < 2 || row.length > 5 || typeof row[1] !== 'string') return false;
  if (row[0] === 'named') return row.length === 2;
  if (row[0] !== 'ids' && row[0] !== 'distinct-ids') return false;
  if (row.length === 2) return true;
  if (row.length === 3) return row[2] === null;
  if (row.length === 5 && typeof row[4] !== 'string') return false;
  return typeof row[2] === 'string' && Array.isArray(row[3]);
}

/** Without its content, which is somebody's id. */
function wasDamaged(line: number): CliError {
  return new CliError('check', `line ${line} of the file ids of this run was damaged`, {
    hint: 'nothing more is sent; bring back its file ids from a copy, or start afresh with --new-run',
  });
}

function toEntry(row: EntryRow): Entry {
  const [kind, id] = row;
  if (row.length === 2) return { kind, id };
  if (row.length === 3) return { kind, id, person: null };
  const [, , uuid, distinctIds, sendAs] = row;
  return { kind, id, person: { uuid, distinctIds, ...(sendAs === undefined ? {} : { sendAs }) } };
}

/** The ids of a run, read from the disk where they are wanted: a million of them stay out of memory. */
export type IdsFile = {
  readonly entries: (from: number, count: number) => readonly Entry[];
  /** Uuids that the service named among its errors. */
  readonly named: () => readonly string[];
  /** Keeps such uuids, synced. */
  readonly addNamed: (uuids: readonly string[]) => void;
  readonly close: () => void;
};

const newline = 0x0a;

const readSize = 1 << 16;

/** The start of every so many-th line is kept; the lines between are found by reading on from there. */
const stride = 128;

/** Opens the `ids` of a run that has `count` of them. Throws a `check` error if some are missing. */
export function openIdsFile(directory: RunDirectory, count: number): IdsFile {
  const file = directory.open('ids');
  const { starts, planned, end, lines } = findLines(file, count);
  if (planned === undefined) {
    file.close();
    throw new CliError('check', `the file ids of this run ends after line ${lines} of ${count}`, {
      hint: `keep ${directory.path} as it is, and start afresh with --new-run`,
    });
  }
  let good = end;
  const named = readLines(file, planned, end).map((line, at) => decodeIdsLine(line, count + at + 1));
  return {
    entries(from, size) {
      const first = Math.floor(from / stride);
      const last = Math.ceil(Math.min(from + size, count) / stride);
      const start = starts[first];
      if (start === undefined) return [];
      const text = file.read(start, (starts[last] ?? planned) - start).toString('utf8');
      return decodeEntries(cutLines(text, from - first * stride, size), from + 1);
    },
    named: () => named.flatMap((line) => ('named' in line ? line.named : [])),
    addNamed(uuids) {
      if (uuids.length === 0) return;
      const text = uuids.map(encodeNamed).join('');
      appendAfter(directory, good, text);
      good += Buffer.byteLength(text);
      named.push(...uuids.map((uuid) => ({ named: uuid })));
    },
    close: file.close,
  };
}

/** So many lines of a text, after others that are left out. */
function cutLines(text: string, before: number, count: number): string {
  const start = skipLines(text, 0, before);
  return text.slice(start, skipLines(text, start, count));
}

function skipLines(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; left -= 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** A crash may have cut the last line off; the next one must not be glued to it. */
function appendAfter(directory: RunDirectory, good: number, text: string): void {
  const file = directory.grow('ids');
  try {
    if (file.size() > good) file.truncate(good);
    file.append(text);
  } finally {
    file.close();
  }
}

function readLines(file: ReadableFile, from: number, to: number): readonly string[] {
  const text = file.read(from, to - from).toString('utf8');
  return text.split('\n').filter(Boolean);
}

/** Where some of the lines start, where the first `count` end (absent if there are fewer), and the last whole one. */
function findLines(
  file: ReadableFile,
  count: number,
): {
  readonly starts: readonly number[];
  readonly planned: number | undefined;
  readonly end: number;
  readonly lines: number;
} {
  const starts = [0];
  const piece = Buffer.alloc(readSize);
  let planned: number | undefined;
  let lines = 0;
  let end = 0;
  for (let position = 0; position < file.size; position += readSize) {
    const bytes = file.read(position, readSize, piece);
    for (let index = bytes.indexOf(newline); index >= 0; index = bytes.indexOf(newline, index + 1)) {
      lines += 1;
      end = position + index + 1;
      if (lines === count) planned = end;
      else if (lines < count && lines % stride === 0) starts.push(end);
    }
  }
  return { starts, planned, end, lines };
}

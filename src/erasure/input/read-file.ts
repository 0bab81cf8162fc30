import type { Context } from '../../cli/context.ts';
import { CliError, changed, raceAbort, usageError } from '../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { countFields, parseText } from '../../json/text.ts';
import { idsOf } from './checks.ts';
import {
  type ColumnChoice,
  createRowReader,
  type IdSink,
  isHeader,
  isNoId,
  noSuchColumn,
  readCsv,
  separatorLine,
  testsOf,
} from './csv.ts';
import { joinFailures } from './problems.ts';
import { decodeText, type Encoding, isWorkbook, peekBytes, peekFirstLine, splitLines } from './text-lines.ts';

/** What a file is called in messages, and how it is read. */
export type IdReading = Partial<ColumnChoice> & {
  readonly name?: string | undefined;
  /** The sheet of a workbook that is read; if absent the only one with the column, or else the first. */
  readonly sheet?: string | undefined;
  /** Of text without a mark: UTF-8 if absent. */
  readonly encoding?: Encoding;
  /** Ends the reading, also while nothing comes. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads ids from a file or a pipe: a workbook, or a plain list, CSV or NDJSON in UTF-8 or in UTF-16 with a mark. Memory
 * grows by the ids only. Throws a usage error for an invalid encoding before any other, and names the line of what is
 * no id.
 */
export async function readIds(
  chunks: AsyncIterable<Uint8Array>,
  collector: Omit<IdSink, keyof ColumnChoice>,
  { name = 'the input', column, likely, sheet, encoding, signal }: IdReading = {},
): Promise<void> {
  const sink = { ...collector, column, likely };
  const { head, chunks: all } = await peekBytes(signal === undefined ? chunks : untilAborted(chunks, signal));
  if (isWorkbook(head)) return readSheet(all, { sheet, signal }, sink);
  if (sheet !== undefined)
    throw usageError(`${name} is not a workbook, so it has no sheets`, 'leave out --sheet');
  const decoded = decodeText(all, encoding);
  const { line, texts } = await peekFirstLine(keepOpen(decoded));
  const read = chooseReader(line, sink);
  try {
    await read(texts, sink);
  } catch (error) {
    // Text in the wrong encoding explains most other errors, so more is decoded before one of them is reported.
    let more = 0;
    for await (const text of decoded) {
      more += text.length;
      if (more > mostToDecode) break;
    }
    throw error;
  }
}

/** Bytes of a workbook, which is held in memory: 10 million addresses have fewer. */
const LARGEST_WORKBOOK = 256 * 1024 * 1024;

/** Hands each cell of the column to the sink, as a person sees it. The first row that is not empty names the columns. */
async function readSheet(
  chunks: AsyncIterable<Uint8Array>,
  choice: Pick<IdReading, 'signal'> & { readonly sheet: string | undefined },
  sink: IdSink,
): Promise<void> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > LARGEST_WORKBOOK)
      throw usageError('the workbook has more than 256 MB', 'split it, or save it as CSV');
    pieces.push(chunk);
  }
  const [{ openSheet }, { letterOf }] = await Promise.all([import('./workbook.ts'), import('./unseen.ts')]);
  const { name, others, rows } = await openSheet(Buffer.concat(pieces), { ...sink, ...choice });
  sink.noteSheet(name, others);
  const take = createRowReader(sink);
  let width = 0;
  for await (const page of rows) {
    for (const { line, cells } of page) {
      // Cells at the end of a row may be missing from the file.
      const row = Array.from({ length: Math.max(width, cells.length) }, (_, at) => cells[at]?.text ?? '');
      while (row.length > width && row.at(-1)?.trim() === '') row.pop();
      if (width === 0) width = row.length;
      if (row.length > width)
        throw usageError(
          `cell ${letterOf(row.length)}${line} of sheet "${name}" stands beside the columns of its first row`,
          'remove it, or name its column in the first row; nothing was sent',
        );
      take(row, line, cells);
    }
  }
}

/** Characters that are decoded after an error. */
const mostToDecode = 1 << 24;

/** Ends with the chunks, or throws at once when a signal asks to stop: nothing was sent by then. */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw signal.aborted ? new CliError('interrupted', 'interrupted, nothing was sent') : error;
  } finally {
    // Not waited for: it may still be reading from a pipe that is silent.
    iterator.return?.()?.catch(() => undefined);
  }
}

/** Readers that stop early would end the decoder, which has to check the rest. */
async function* keepOpen(texts: AsyncGenerator<string>): AsyncGenerator<string> {
  for (let next = await texts.next(); next.done !== true; next = await texts.next()) yield next.value;
}

async function readList(texts: AsyncIterable<string>, sink: IdSink): Promise<void> {
  const cellIn = (name: string) => {
    throw noSuchColumn(name, []);
  };
  let number = 0;
  let isFirst = true;
  for await (const lines of splitLines(texts)) {
    for (const line of lines) {
      number += 1;
      if (isNoId(line)) continue;
      if (isFirst && isHeader(line, sink)) sink.header(line.trim());
      else if (isFirst && sink.column !== undefined) throw noColumns(sink.column);
      else sink.add(line, number, { isFirst, cellIn });
      isFirst = false;
    }
  }
}

function noColumns(column: string) {
  return usageError(`the input is a plain list, so it has no column "${column}"`, 'leave out --column');
}

const delimiters = ['\t', ';', ',', '|'] as const;

/**
 * Tells the format from the first line that is not blank: an object is NDJSON; a separator outside quotes, or only the
 * name of a column, is CSV; everything else is a plain list.
 */
function chooseReader(line: string, choice: ColumnChoice) {
  if (/^\s*\{/.test(line)) return readJsonLines;
  if (/^\s*\[/.test(line)) {
    throw usageError(
      'the input looks like a JSON array, which is not supported',
      'give one id, or one JSON object, per line',
    );
  }
  const isNamed = splitCells(line, '\n').some((cell) => isHeader(cell, choice));
  const [, named = ''] = separatorLine.exec(line) ?? [];
  const delimiter = named || (findDelimiter(line, choice) ?? (isNamed ? ',' : undefined));
  if (delimiter === undefined) return readList;
  return (texts: AsyncIterable<string>, sink: IdSink) => readCsv(texts, delimiter, sink);
}

function findDelimiter(line: string, choice: ColumnChoice): string | undefined {
  const splits = delimiters
    .map((delimiter) => ({ delimiter, cells: splitCells(line, delimiter) }))
    // Many ids hold a bar, such as auth0|42, so that it parts columns only if one of them has a name.
    .filter(({ delimiter, cells }) => delimiter !== '|' || cells.some((cell) => isHeader(cell, choice)))
    .filter(({ cells }) => cells.length > 1);
  const tests = testsOf(choice);
  const named = splits.find(({ cells }) => cells.some((cell) => tests.some((test) => test(cell))));
  const most = Math.max(...splits.map(({ cells }) => cells.length));
  return (named ?? splits.find(({ cells }) => cells.length === most))?.delimiter;
}

function splitCells(line: string, delimiter: string): readonly string[] {
  const cells = [''];
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}

/** Hands the id, or the list of ids, of each line to the sink: a JSON string, or an object's field. */
async function readJsonLines(texts: AsyncIterable<string>, sink: IdSink): Promise<void> {
  let number = 0;
  for await (const lines of splitLines(texts)) {
    for (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      const { ids, own } = readLine(line, number, sink);
      const cellIn = (name: string) => String(fieldOf(own?.() ?? {}, name, number) ?? '');
      for (const id of ids) sink.add(id, number, { own, cellIn });
    }
  }
}

type JsonLine = { readonly ids: readonly string[]; readonly own: (() => JsonObject) | undefined };

function readLine(line: string, number: number, sink: IdSink): JsonLine {
  const value = parse(line, number);
  if (isObject(value)) sink.names?.(Object.keys(value));
  if (isObject(value) && countFields(line) !== Object.keys(value).length)
    throw usageError(`line ${number} names a field twice`, 'remove one of them; nothing was sent');
  const cell = isObject(value) ? pick(value, number, sink) : value;
  const cells: readonly unknown[] = Array.isArray(cell) && isObject(value) ? cell : [cell];
  // Like an empty cell of a CSV: somebody was meant.
  const own = isObject(value) ? () => value : undefined;
  if (cells.length === 0) return { ids: [''], own };
  return { ids: cells.map((one) => toId(one, number, sink)), own };
}

function parse(line: string, number: number): Json {
  try {
    return parseText(line);
  } catch (cause) {
    // The parser's own message quotes the line, which holds personal data.
    if (cause instanceof SyntaxError)
      throw usageError(
        `line ${number} is not JSON`,
        'give one JSON value per line; if ids begin with {, put the line distinct_id before them',
      );
    throw cause;
  }
}

function pick(
  value: { readonly [name: string]: unknown },
  number: number,
  { column, likely = [] }: ColumnChoice,
): unknown {
  const names = Object.keys(value);
  const found = likely.map((test) => names.filter(test)).find(({ length }) => length > 0);
  const [only] = names.length === 1 || found?.length !== 1 ? names : found;
  const name = column ?? (names.length === 1 || found?.length === 1 ? only : undefined);
  const known = names.map((one) => `"${one}"`).join(', ');
  if (name === undefined) {
    throw usageError(
      `the objects of the input have ${names.length} fields: ${known}`,
      'name the one that holds the ids with --column',
    );
  }
  return fieldOf(value, name, number);
}

function fieldOf(value: { readonly [name: string]: unknown }, name: string, number: number): unknown {
  if (Object.hasOwn(value, name)) return value[name];
  const known = Object.keys(value).map((one) => `"${one}"`);
  throw usageError(
    `line ${number} has no field "${name}"`,
    known.length === 0 ? undefined : `give one of its fields: ${known.join(', ')}`,
  );
}

function toId(value: unknown, number: number, sink: IdSink): string {
  if (typeof value === 'string') return value;
  // Like an empty cell, which exports write so.
  if (value === null) return '';
  if (sink.kind === 'ids' && Number.isSafeInteger(value)) return String(value);
  // A JSON number has no leading zeros and may lose digits, so as a distinct id it may be somebody else's.
  throw usageError(
    `line ${number} holds no id as text`,
    sink.kind === 'ids'
      ? 'write person ids as integers or UUIDs'
      : 'write distinct ids as JSON strings, in double quotes',
  );
}

const CHECK_FILE = 'check whether the file is complete; nothing was sent';

/** What comes of one file, as far as it matters here. */
type Read = {
  readonly asked: number;
  readonly lines?: readonly unknown[] | undefined;
  readonly notes: readonly string[];
};

export type Reading<List extends Read> = Pick<IdReading, 'column' | 'likely' | 'sheet' | 'encoding'> & {
  /** Begins the list of one file; `file` if there are several. */
  readonly begin: (
    name: string,
    file: string | undefined,
  ) => Omit<IdSink, keyof ColumnChoice> & { finish(): List };
  /** Whether messages name the file, also if it is the only one of its option. */
  readonly isNamed?: boolean | undefined;
};

/** Each file is a list of its own. What is wrong with several of them is told at once. */
export async function readFiles<List extends Read>(
  files: readonly string[],
  { begin, isNamed = files.length > 1, ...reading }: Reading<List>,
  context: Context,
): Promise<readonly List[]> {
  const { signal } = context;
  const isOne = files.length === 1;
  const lists: List[] = [];
  const failures: CliError[] = [];
  for (const from of files) {
    const name = from === '-' ? 'standard input' : from;
    const inFile = (text: string) => (!isNamed || text.includes(name) ? text : `${name}: ${text}`);
    const chunks = sparingly(context.readInput(from), context);
    try {
      const collector = begin(name, isOne ? undefined : name);
      await readIds(chunks, collector, { ...reading, name, signal });
      const list = collector.finish();
      // A list that was not written to its end is no list without people.
      if (list.asked === 0 && (list.lines ?? []).length === 0)
        throw usageError(`${name} holds no ${idsOf(collector)}`, CHECK_FILE);
      lists.push({ ...list, notes: list.notes.map(inFile) });
    } catch (error) {
      if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
      failures.push(changed(error, { message: inFile(error.message) }));
    }
  }
  const failure = joinFailures(failures);
  if (failure !== undefined) throw failure;
  return lists;
}

/** From here on a file is long: some thousand ids, or many more in a workbook. */
const LONG_BYTES = 250_000;

/** A long file is worth some time for less memory; a short one is not. */
async function* sparingly(
  chunks: AsyncIterable<Uint8Array>,
  { system: { saveMemory } }: Context,
): AsyncGenerator<Uint8Array> {
  let before = 0;
  for await (const chunk of chunks) {
    const read = before + chunk.length;
    if (before < LONG_BYTES && read >= LONG_BYTES) saveMemory('list');
    before = read;
    yield chunk;
  }
}

import type { Watcher } from '../completion/cache.ts';
import { counted, nextTurn, usageError } from '../errors.ts';
import { type Column, isList, type Json } from '../json/kinds.ts';
import { endingOf, type Format, formatOfName, formats, formatsByEnding } from '../print/formats.ts';
import {
  isPages,
  jsonRecord,
  jsonRows,
  type Note,
  ndjsonRows,
  type OutputFormat,
  type Printable,
} from '../print/rows.ts';
import { hasUnicode, type Printer, type Stderr, streamPrinter } from '../system/output.ts';
import type { System } from '../system/system.ts';
import { interruption, pagerPrinter } from '../system/terminal.ts';
import { columnsOf, createTerminalText, isCiLog, withoutCommands } from '../system/text.ts';
import { filePrinter, isOpenToOthers, markOf } from '../system/write-whole.ts';
import type { Call, Command } from './command/command.ts';
import type { GlobalOptions } from './command/options.ts';
import type { RawOptions } from './command/read-input.ts';
import { flagOf } from './command/spelling.ts';

/** Data on its way out, to stdout or into the file of `--save`. */
export type Printing = {
  print(data: Printable, columns?: readonly Column[]): Promise<void>;
  /** Calls back once, after the next rows were printed, with their number. */
  whenPrinted(tell: (rows: number) => void): void;
  /** Text of our own. */
  printRaw(bytes: Uint8Array | string): Promise<void>;
  /** Text for people, such as a chart, which may hold texts of the service. */
  printText(text: string): Promise<void>;
  /** A whole answer of the service, as it came: on a terminal without what moves the cursor. */
  passOn(bytes: Uint8Array | string): Promise<void>;
  /** Makes what was printed complete. */
  finish(): Promise<void>;
  /** Whether all that was given to print has come to its end. */
  isWhole(): boolean;
  /** After a failure: leaves no half file. Resolves to true if the reader of a pager saw enough: Ctrl-C, or left it. */
  abandon(): Promise<boolean>;
};

type Parts = Call & {
  readonly watcher: Watcher | undefined;
  /** Whether a terminal shows it a screen at a time: it is only read, and nothing is asked meanwhile. */
  readonly paged: boolean;
};

/** Opens nothing until something is printed. */
export function createPrinting({ system, options, stderr, watcher, paged }: Parts): Printing {
  let printer: Promise<Printer> | undefined;
  // Undefined until something with rows is printed: a record or a picture has none.
  let saved: number | undefined;
  let isWhole = true;
  const waiting: ((rows: number) => void)[] = [];
  const open = () => {
    printer ??= openPrinter({ system, options, stderr, paged });
    return printer;
  };
  const isShown = system.stdout.isTTY === true && options.save === undefined;
  const isLog = options.save === undefined && isCiLog(system.environment);
  const forLog = isLog
    ? (chunk: string | Uint8Array) => (typeof chunk === 'string' ? withoutCommands(chunk) : chunk)
    : undefined;
  const safeText = (keepTabs: boolean) => (isShown ? createTerminalText({ keepTabs }) : undefined);
  return {
    print: async (data, columns) => {
      isWhole = false;
      const format = outputFormat(system, options, columns);
      if (printer === undefined) warnOfUnused(format, stderr);
      const out = await open();
      const watched = watcher?.watchPrinted(data, columns) ?? data;
      const safe = ESCAPED.has(format.format) ? undefined : safeText(format.format === 'tsv');
      const shown = format.format === 'table' ? forLog : safe;
      const telling: Telling = { note: noteOn(stderr), rows: undefined, system };
      let chunks = system.signal.aborted ? Number.NaN : 0;
      for await (const chunk of chunksOf(watched, format, telling)) {
        chunks += 1;
        if (chunks > LONG_PRINT) await stopIfAsked(system);
        await out.write(shown?.(chunk) ?? chunk);
      }
      if (telling.rows !== undefined) saved = (saved ?? 0) + telling.rows;
      for (const tell of waiting.splice(0)) tell(telling.rows ?? 0);
      isWhole = true;
    },
    isWhole: () => isWhole,
    whenPrinted: (tell) => void waiting.push(tell),
    printRaw: async (bytes) => (await open()).write(bytes),
    printText: async (text) => (await open()).write(forLog?.(text) ?? text),
    passOn: async (bytes) => (await open()).write(safeText(true)?.(bytes) ?? bytes),
    finish: async () => {
      if (printer === undefined) return;
      await (await printer).finish();
      if (options.save !== undefined)
        stderr.note(`Saved ${saved === undefined ? '' : `${counted(saved, 'row')} `}to ${options.save}.`);
    },
    abandon: async () => {
      // A printer that could not be opened has said so already.
      const out = await printer?.catch(() => undefined);
      await out?.abandon().catch(() => {});
      return out?.isPager === true && ['SIGINT', 'SIGPIPE'].includes(system.signal.reason);
    },
  };
}

/** Their writers escape what moves the cursor of a terminal, and may write colours. */
const ESCAPED: ReadonlySet<Format> = new Set(['table', 'json', 'ndjson']);

/** Chunks from which on a signal ends what is shown. What was begun after it is a report of what was done. */
const LONG_PRINT = 100;

/** A signal is seen only between two turns, of which rows that are all there already take none. */
async function stopIfAsked({ signal }: System): Promise<void> {
  await nextTurn();
  if (signal.aborted) throw interruption(signal);
}

/** Says which options the format has no use for. */
function warnOfUnused(output: OutputFormat, { warn }: Pick<Stderr, 'warn'>): void {
  const { format, headers, spreadsheetSafe } = output;
  const { hasHeader, isForSpreadsheets } = formats[format];
  if (!headers && !hasHeader) warn(`warning: --no-headers has no effect: ${format} has no header line`);
  if (spreadsheetSafe && !isForSpreadsheets)
    warn(`warning: --spreadsheet-safe has no effect on ${format}; use -o csv for spreadsheets`);
}

async function openPrinter({ system, options, stderr, paged }: Omit<Parts, 'watcher'>): Promise<Printer> {
  if (options.save === undefined) {
    const wantsPager = paged && options.pager !== false && !options.debug && system.stdout.isTTY === true;
    return (wantsPager ? await pagerPrinter(system, stderr) : undefined) ?? streamPrinter(system.stdout);
  }
  if (isOpenToOthers(options.save, system.platform))
    stderr.warn(`warning: ${options.save} already existed, and other users of this computer can read it`);
  return filePrinter(options.save, { mark: markOf(system) });
}

type Telling = {
  readonly note: Note;
  readonly system: System;
  /** How many were printed; undefined for what is no rows. */
  rows: number | undefined;
};

function chunksOf(
  data: Printable,
  format: OutputFormat,
  telling: Telling,
): AsyncIterable<string | Uint8Array> {
  if (isPages(data)) return formatRows(rowsOf(data, telling), format, telling.note);
  if (isList(data)) telling.rows = data.length;
  return formatRecord(data, format, telling.note);
}

async function* rowsOf(pages: Exclude<Printable, Json>, telling: Telling): AsyncGenerator<readonly Json[]> {
  let read = 0;
  telling.rows = 0;
  for await (const page of pages) {
    read += 1;
    // There may be thousands more.
    if (read === 2) telling.system.saveMemory('rows');
    const rows = 'rows' in page ? page.rows : page;
    telling.rows += rows.length;
    yield rows;
  }
}

/**
 * A list as text, page by page: nothing is held longer than its page, and the next page is asked for only when the
 * text of this one was taken. Throws what `pages` throws, after the text of the pages before. A list without rows is
 * `[]`, a header, or nothing but a note.
 */
export async function* formatRows(
  pages: AsyncIterable<readonly Json[]>,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string | Uint8Array> {
  const write = await writers[outputFormat.format]();
  yield* write(pages, outputFormat, note);
}

const delimited = async () => (await import('../print/delimited.ts')).delimitedRows;

/** Table and CSV are loaded when they are used: start-up pays for each package. */
const writers: { readonly [Name in Format]: () => Promise<typeof formatRows> } = {
  table: async () => (await import('../print/table.ts')).tableRows,
  json: async () => jsonRows,
  ndjson: async () => ndjsonRows,
  csv: delimited,
  tsv: delimited,
  parquet: async () => (await import('../print/parquet.ts')).parquetRows,
};

/**
 * One answer as text: a table has a line for each key, JSON is one document, the other formats show it as a list of
 * one. An answer that is itself a list is shown as one.
 */
export async function* formatRecord(
  record: Json,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string | Uint8Array> {
  const { format } = outputFormat;
  if (isList(record)) yield* formatRows(onePage(record), outputFormat, note);
  else if (format === 'json') yield* jsonRecord(record, outputFormat, note);
  else if (format === 'table')
    yield* (await import('../print/table.ts')).tableRecord(record, outputFormat, note);
  else yield* formatRows(onePage([record]), outputFormat, note);
}

/** Rows that are all there already, as the pages that `formatRows` takes. */
async function* onePage(rows: readonly Json[]): AsyncGenerator<readonly Json[]> {
  yield rows;
}

/** Names that promise what only some commands write, or none. */
const PROMISES = new Set(
  'md svg html htm xlsx xls ods parquet avro pdf png jpg jpeg gif webp xml yaml yml docx gz zip zst'.split(
    ' ',
  ),
);

/**
 * The options with the format that follows from the name of the file. Throws a usage error for a name that promises
 * what the command does not write, and for options that would do nothing; `given` are all that were given.
 */
export function withFormat(
  options: GlobalOptions,
  given: RawOptions,
  command: Pick<Command, 'options' | 'saves' | 'ownRows'>,
): GlobalOptions {
  const named = withFormatOfName(options, command);
  if (named.serverFormat !== undefined && command.ownRows)
    throw usageError(
      '--server-format prints one answer of the service unchanged, and this command has none to print',
      'use -o csv or -o json instead',
    );
  const own = Object.keys(command.options).filter((name) => command.options[name]?.needsRows);
  const names = [...own, 'columns', 'headers', 'spreadsheetSafe'];
  const unused = names.filter((name) => given[name] !== undefined);
  if (named.serverFormat === undefined || unused.length === 0) return named;
  const spelt = unused.map((name) => (name === 'headers' ? '--no-headers' : flagOf(name)));
  throw usageError(
    `${spelt.join(' and ')} cannot be used with --server-format, which prints one answer unchanged`,
    'use -o csv or -o json instead',
  );
}

function withFormatOfName(
  options: GlobalOptions,
  { options: own, saves = [] }: Pick<Command, 'options' | 'saves'>,
): GlobalOptions {
  const { output, save, serverFormat } = options;
  const format = serverFormat ?? output;
  if (save === undefined || (format !== undefined && !isParquet(save))) return options;
  if (format !== undefined)
    throw usageError(
      `${save} is a Parquet file, which cannot contain ${format}`,
      'leave out the format, or choose another file name',
    );
  const ending = endingOf(save);
  const special = [...saves, ...('chart' in own ? ['svg', 'html', 'htm'] : [])];
  const named = formatOfName(save);
  if (named !== undefined && !special.includes(ending)) return { ...options, output: named };
  // To the command it is like JSON: rows with all their values.
  if (special.includes('parquet') && isParquet(save)) return { ...options, output: 'json' };
  if (!PROMISES.has(ending) || special.includes(ending)) return options;
  throw usageError(
    `this command cannot write .${ending} files`,
    `choose a file name that ends in ${[...formatsByEnding.keys(), ...special].join(', ')}, or add -o table`,
  );
}

/** The one format that no option names: a file that is called so holds nothing else. */
function isParquet(file: string | undefined): boolean {
  return file !== undefined && /\.parquet$/i.test(file);
}

/** How data is shown: options first, then the environment, then what the stream can do. */
export function outputFormat(
  system: System,
  options: GlobalOptions,
  columns?: readonly Column[],
): OutputFormat {
  const terminal = options.save === undefined && system.stdout.isTTY === true;
  return {
    format: isParquet(options.save) ? 'parquet' : (options.output ?? 'table'),
    columns: options.columns,
    defaultColumns: columns,
    headers: options.headers ?? true,
    width: terminal ? Math.max(40, columnsOf(system.stdout)) : undefined,
    color: hasColor(system, options),
    unicode: hasUnicode(system),
    spreadsheetSafe: options.spreadsheetSafe ?? false,
  };
}

/** `--color` decides; then `NO_COLOR` (set and not empty), `FORCE_COLOR`, and whether it is a terminal that can. */
export function hasColor({ environment, stdout }: System, { color, save }: GlobalOptions): boolean {
  if (save !== undefined || color === 'never') return false;
  if (color === 'always') return true;
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stdout.isTTY === true && environment.TERM !== 'dumb';
}

/** How the output half tells what it noticed. */
export function noteOn({ note, warn }: Stderr): Note {
  return (text, weight) => (weight === 'warning' ? warn(`warning: ${text}`) : note(text));
}

import type { Watcher } from '../completion/watch.ts';
import { counted } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import type { Column } from '../json/path.ts';
import type { Look, Note } from '../print/columns.ts';
import { formatRecord, formatRows, onePage } from '../print/rows.ts';
import { type Printer, streamPrinter } from '../system/streams.ts';
import type { System } from '../system/system.ts';
import { filePrinter, markOf } from '../system/write-whole.ts';
import type { GlobalOptions } from './command/options.ts';
import { outputFormat, type Printable } from './output-format.ts';
import { noteOn, type Stderr } from './stderr.ts';

/** Data on its way out, to stdout or into the file of `--save`. */
export type Printing = {
  print(data: Printable, columns?: readonly Column[]): Promise<void>;
  /** Text of our own. */
  printRaw(bytes: Uint8Array | string): Promise<void>;
  /** A whole answer of the service, as it came: on a terminal without what moves the cursor. */
  passOn(bytes: Uint8Array | string): Promise<void>;
  /** Makes what was printed complete. */
  finish(): Promise<void>;
  /** After a failure: leaves no half file. */
  abandon(): Promise<void>;
};

type Parts = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly stderr: Stderr;
  readonly watcher: Watcher;
};

/** Opens nothing until something is printed. */
export function createPrinting({ system, options, stderr, watcher }: Parts): Printing {
  let printer: Promise<Printer> | undefined;
  // Undefined until something with rows is printed: a record or a picture has none.
  let saved: number | undefined;
  const count = (rows: number) => {
    saved = (saved ?? 0) + rows;
  };
  const open = () => {
    printer ??= openPrinter(system, options);
    return printer;
  };
  const safeText = async (keepTabs: boolean) => {
    const isShown = system.stdout.isTTY === true && options.save === undefined;
    return isShown ? (await import('../system/text.ts')).createTerminalText({ keepTabs }) : undefined;
  };
  return {
    print: async (data, columns) => {
      const format = outputFormat(system, options, columns);
      if (printer === undefined) warnOfUnused(format, stderr);
      warnOfTable(options, stderr);
      const out = await open();
      const watched = watcher.watchPrinted(data, columns);
      const safe = /^[ct]sv$/.test(format.format) ? await safeText(format.format === 'tsv') : undefined;
      for await (const chunk of chunksOf(watched, format, { note: noteOn(stderr), count, system }))
        await out.write(safe?.(chunk) ?? chunk);
    },
    printRaw: async (bytes) => (await open()).write(bytes),
    passOn: async (bytes) => {
      const out = await open();
      const safe = await safeText(true);
      await out.write(safe?.(bytes) ?? bytes);
    },
    finish: async () => {
      if (printer === undefined) return;
      await (await printer).finish();
      if (options.save !== undefined)
        stderr.note(`Saved ${saved === undefined ? '' : `${counted(saved, 'row')} `}to ${options.save}.`);
    },
    abandon: async () => {
      // A printer that could not be opened has said so already.
      await printer?.then((out) => out.abandon()).catch(() => {});
    },
  };
}

const DATA_FILE = /\.(csv|tsv|json|ndjson|jsonl)$/i;

/** The name of a file does not choose its format, and the reader of the file would find the table too late. */
function warnOfTable({ output, save }: GlobalOptions, { warn }: Pick<Stderr, 'warn'>): void {
  if (output !== undefined || save === undefined) return;
  const [, ending] = DATA_FILE.exec(save) ?? [];
  if (ending === undefined) return;
  const format = ending.toLowerCase() === 'jsonl' ? 'ndjson' : ending.toLowerCase();
  warn(`warning: ${save} becomes a table for people; -o ${format} writes ${format} into it`);
}

/** Says which options the format has no use for. */
function warnOfUnused(output: Look, { warn }: Pick<Stderr, 'warn'>): void {
  const { format, headers, spreadsheetSafe } = output;
  const isJson = format === 'json' || format === 'ndjson';
  if (!headers && isJson) warn(`warning: --no-headers does nothing, since ${format} has no header line`);
  if (spreadsheetSafe && (isJson || format === 'table'))
    warn(`warning: --spreadsheet-safe does nothing to ${format}; spreadsheets read -o csv`);
}

function openPrinter(system: System, options: GlobalOptions): Promise<Printer> {
  if (options.save === undefined) return Promise.resolve(streamPrinter(system.stdout));
  return filePrinter(options.save, { mark: markOf(system) });
}

type Chunks = AsyncIterable<string | Uint8Array>;

type Telling = { readonly note: Note; readonly count: (rows: number) => void; readonly system: System };

function chunksOf(data: Printable, format: Look, { note, count, system }: Telling): Chunks {
  if (Array.isArray(data)) {
    count(data.length);
    return formatRows(onePage(data), format, note);
  }
  if (isPages(data)) return formatRows(rowsOf(data, { count, system }), format, note);
  // Without pages it is one record: everything that is printable and not a list.
  return formatRecord(data as Json, format, note);
}

type Pages = Extract<Printable, AsyncIterable<unknown>>;

function isPages(data: Printable): data is Pages {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

async function* rowsOf(
  pages: Pages,
  { count, system }: Pick<Telling, 'count' | 'system'>,
): AsyncGenerator<readonly Json[]> {
  let read = 0;
  for await (const page of pages) {
    read += 1;
    // There may be thousands more.
    if (read === 2) system.saveMemory({ alsoOld: true });
    const rows = 'rows' in page ? page.rows : page;
    count(rows.length);
    yield rows;
  }
}

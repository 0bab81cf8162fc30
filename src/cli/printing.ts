import type { Json } from '../api/json.ts';
import type { Column, Note } from '../output/look.ts';
import type { GlobalOptions } from './command/global-options.ts';
import type { Printable } from './context.ts';
import { lookOf } from './look.ts';
import { filePrinter, markOf } from './outside/files.ts';
import type { Outside } from './outside/outside.ts';
import { type Printer, streamPrinter } from './outside/printer.ts';
import type { Talk } from './talk.ts';

/** Data on its way out, to stdout or into the file of `--save`. */
export type Printing = {
  print(data: Printable, columns?: readonly Column[]): Promise<void>;
  printRaw(bytes: Uint8Array | string): Promise<void>;
  /** Makes what was printed complete. */
  finish(): Promise<void>;
  /** After a failure: leaves no half file. */
  abandon(): Promise<void>;
};

/** Opens nothing until something is printed. */
export function createPrinting(outside: Outside, options: GlobalOptions, talk: Talk): Printing {
  let printer: Promise<Printer> | undefined;
  const open = () => {
    printer ??= openPrinter(outside, options);
    return printer;
  };
  const note: Note = (text, weight) =>
    weight === 'warning' ? talk.warn(`warning: ${text}`) : talk.note(text);
  return {
    print: async (data, columns) => {
      const { formatRecord, formatRows, onePage } = await import('../output/format-rows.ts');
      const look = lookOf(outside, options, columns);
      const out = await open();
      const pages = pagesOf(data, onePage);
      // Without pages it is one record: everything that is printable and not a list.
      const chunks = pages ? formatRows(pages, look, note) : formatRecord(data as Json, look, note);
      for await (const chunk of chunks) await out.write(chunk);
    },
    printRaw: async (bytes) => (await open()).write(bytes),
    finish: async () => {
      if (printer) await (await printer).finish();
    },
    abandon: async () => {
      // A printer that could not be opened has said so already.
      await printer?.then((out) => out.abandon()).catch(() => {});
    },
  };
}

function openPrinter(outside: Outside, options: GlobalOptions): Promise<Printer> {
  if (options.save === undefined) return Promise.resolve(streamPrinter(outside.stdout));
  return filePrinter(options.save, { mark: markOf(outside) });
}

type Pages = AsyncIterable<readonly Json[]>;

function pagesOf(data: Printable, onePage: (rows: readonly Json[]) => Pages): Pages | undefined {
  if (Array.isArray(data)) return onePage(data);
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data)) return undefined;
  return rowsOf(data);
}

async function* rowsOf(data: AsyncIterable<readonly Json[] | { rows(): readonly Json[] }>): Pages {
  for await (const page of data) yield 'rows' in page ? page.rows() : page;
}

import type { Watcher } from '../completion/cache.ts';
import { counted } from '../errors.ts';
import type { Column, Json } from '../json/kinds.ts';
import type { Note, OutputFormat } from '../print/columns.ts';
import type { Jq } from '../print/jq.ts';
import { formatRecord, formatRows, onePage, type Printable } from '../print/rows.ts';
import type { Redactor } from '../settings/keys.ts';
import { type Printer, pagerPrinter, streamPrinter } from '../system/printer.ts';
import type { DataStream, OutputStream, System } from '../system/system.ts';
import { createProgress, messageText, type Progress, type ProgressKind } from '../system/terminal.ts';
import { filePrinter, isOpenToOthers, markOf } from '../system/write-whole.ts';
import type { GlobalOptions } from './command/options.ts';

/** Data on its way out, to stdout or into the file of `--save`. */
export type Printing = {
  print(data: Printable, columns?: readonly Column[]): Promise<void>;
  /** Text of our own. */
  printRaw(bytes: Uint8Array | string): Promise<void>;
  /** A whole answer of the service, as it came: on a terminal without what moves the cursor. */
  passOn(bytes: Uint8Array | string): Promise<void>;
  /** Makes what was printed complete. */
  finish(): Promise<void>;
  /** Whether all that was given to print has come to its end. */
  isWhole(): boolean;
  /** After a failure: leaves no half file. Resolves to true if it was Ctrl-C at a pager, whose reader saw enough. */
  abandon(): Promise<boolean>;
};

type Parts = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly stderr: Stderr;
  readonly watcher: Watcher | undefined;
  /** Whether a terminal shows it a screen at a time: it is only read, and nothing is asked meanwhile. */
  readonly paged: boolean;
};

/** Opens nothing until something is printed. Throws a usage error for a program of `--jq` that is wrong. */
export async function createPrinting({ system, options, stderr, watcher, paged }: Parts): Promise<Printing> {
  const jq = options.jq === undefined ? undefined : await startJq(options.jq, { system, options, stderr });
  let text = '';
  let printer: Promise<Printer> | undefined;
  // Undefined until something with rows is printed: a record or a picture has none.
  let saved: number | undefined;
  let isWhole = true;
  const count = (rows: number) => {
    saved = (saved ?? 0) + rows;
  };
  const open = () => {
    printer ??= openPrinter({ system, options, stderr, paged });
    return printer;
  };
  const isShown = system.stdout.isTTY === true && options.save === undefined;
  const safeText = (keepTabs: boolean) => (isShown ? terminalText(keepTabs) : undefined);
  const pass = async (bytes: Uint8Array | string, safe?: (chunk: Uint8Array | string) => string) => {
    if (jq === undefined) await (await open()).write(safe?.(bytes) ?? bytes);
    else text += Buffer.from(bytes).toString();
  };
  return {
    print: async (data, columns) => {
      isWhole = false;
      const format = outputFormat(system, options, columns);
      if (printer === undefined) warnOfUnused(format, stderr);
      const out = await open();
      const watched = watcher?.watchPrinted(data, columns) ?? data;
      const isText = jq !== undefined || /^[ct]sv$/.test(format.format);
      const safe = isText ? await safeText(format.format === 'tsv') : undefined;
      const telling = { note: noteOn(stderr), count, system };
      const chunks = jq ? jq.over(watched) : chunksOf(watched, format, telling);
      for await (const chunk of chunks) await out.write(safe?.(chunk) ?? chunk);
      isWhole = true;
    },
    isWhole: () => isWhole,
    printRaw: (bytes) => pass(bytes),
    passOn: async (bytes) => pass(bytes, await safeText(true)),
    finish: async () => {
      if (jq !== undefined && text !== '') {
        const [out, safe] = [await open(), await safeText(true)];
        for await (const chunk of jq.overText(text)) await out.write(safe?.(chunk) ?? chunk);
      }
      await jq?.close();
      if (printer === undefined) return;
      await (await printer).finish();
      if (options.save !== undefined)
        stderr.note(`Saved ${saved === undefined ? '' : `${counted(saved, 'row')} `}to ${options.save}.`);
    },
    abandon: async () => {
      await jq?.close();
      // A printer that could not be opened has said so already.
      const out = await printer?.catch(() => undefined);
      await out?.abandon().catch(() => {});
      return out?.isPager === true && system.signal.reason === 'SIGINT';
    },
  };
}

async function terminalText(keepTabs: boolean) {
  return (await import('../system/text.ts')).createTerminalText({ keepTabs });
}

/** Loads jq and compiles the program, before anything is sent. */
async function startJq(program: string, { system, options, stderr }: Situation): Promise<Jq> {
  const { openJq } = await import('../print/jq.ts');
  const isShown = system.stdout.isTTY === true && options.save === undefined;
  const quoted = options.output === 'ndjson';
  return openJq(program, { system, quoted, indented: isShown && !quoted, tell: stderr.warn });
}

/** Says which options the format has no use for. */
function warnOfUnused(output: OutputFormat, { warn }: Pick<Stderr, 'warn'>): void {
  const { format, headers, spreadsheetSafe } = output;
  const isJson = format === 'json' || format === 'ndjson' || format === 'parquet';
  if (!headers && isJson) warn(`warning: --no-headers does nothing, since ${format} has no header line`);
  if (spreadsheetSafe && (isJson || format === 'table'))
    warn(`warning: --spreadsheet-safe does nothing to ${format}; spreadsheets read -o csv`);
}

async function openPrinter({ system, options, stderr, paged }: Omit<Parts, 'watcher'>): Promise<Printer> {
  if (options.save === undefined) {
    const wantsPager = paged && options.pager !== false && !options.debug && system.stdout.isTTY === true;
    return (wantsPager ? await openPager(system, stderr) : undefined) ?? streamPrinter(system.stdout);
  }
  if (isOpenToOthers(options.save, system.platform))
    stderr.warn(`warning: ${options.save} was there, and others on this computer may read it`);
  return filePrinter(options.save, { mark: markOf(system) });
}

/** What is said while a pager has the screen is shown when the reader has left it. */
async function openPager(system: System, stderr: Stderr): Promise<Printer | undefined> {
  const pager = await pagerPrinter(system, stderr.warn);
  if (pager === undefined) return undefined;
  const release = stderr.hold();
  return {
    isPager: true,
    write: pager.write,
    finish: () => pager.finish().finally(release),
    abandon: () => pager.abandon().finally(release),
  };
}

type Chunks = AsyncIterable<string | Uint8Array>;

type Telling = { readonly note: Note; readonly count: (rows: number) => void; readonly system: System };

function chunksOf(data: Printable, format: OutputFormat, { note, count, system }: Telling): Chunks {
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
    if (read === 2) system.saveMemory();
    const rows = 'rows' in page ? page.rows : page;
    count(rows.length);
    yield rows;
  }
}

/** The one format that no option names: a file that is called so holds nothing else. */
export function isParquet(file: string | undefined): boolean {
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
    width: terminal ? Math.max(40, system.stdout.columns ?? 80) : undefined,
    color: options.save === undefined && hasColor(system, options, system.stdout),
    unicode: hasUnicode(system),
    spreadsheetSafe: options.spreadsheetSafe ?? false,
  };
}

/** `--color` decides; then `NO_COLOR` (set and not empty), `FORCE_COLOR`, and whether it is a terminal that can. */
export function hasColor(
  system: System,
  { color }: GlobalOptions,
  stream: Pick<DataStream, 'isTTY'>,
): boolean {
  if (color === 'always') return true;
  if (color === 'never' || system.environment.NO_COLOR) return false;
  const forced = system.environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && system.environment.TERM !== 'dumb';
}

/** Whether the terminal and its locale show more than ASCII. */
function hasUnicode({ environment, platform }: System): boolean {
  if (environment.TERM === 'dumb') return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return platform === 'win32' || !locale || /utf-?8/.test(locale.toLowerCase());
}

/** Messages on stderr. Every line is redacted and holds no control character but its line breaks. */
export type Stderr = {
  note(text: string): void;
  warn(text: string): void;
  /** Adds a way to hide secrets that became known. */
  hide(redact: Redactor): void;
  readonly redact: Redactor;
  /** What takes away a bar that stands in the last line, before anything else is said there. */
  takeAway(bar: (() => void) | undefined): void;
  /** Keeps what is said until the returned function is called. */
  hold(): () => void;
};

/**
 * Notes are left out while `isQuiet`. The stream is made by the first message, since many commands print none; an error
 * of it has no place to be told.
 */
export function createStderr(system: Pick<System, 'stderr'>, isQuiet: () => boolean): Stderr {
  const redactors: Redactor[] = [];
  let stream: OutputStream | undefined;
  let takeAway: (() => void) | undefined;
  let held: string[] | undefined;
  const open = () => {
    stream ??= system.stderr.on('error', () => {});
    return stream;
  };
  const redact: Redactor = (text) => redactors.reduce((sofar, each) => each(sofar), text);
  const say = (text: string) => {
    if (held !== undefined) {
      held.push(text);
      return;
    }
    takeAway?.();
    open().write(`${messageText(redact(text), system.stderr)}\n`);
  };
  return {
    note: (text) => {
      if (!isQuiet()) say(text);
    },
    warn: say,
    hide: (redactor) => {
      redactors.push(redactor);
    },
    redact,
    takeAway: (bar) => {
      takeAway = bar;
    },
    hold: () => {
      held ??= [];
      return () => {
        const texts = held ?? [];
        held = undefined;
        for (const text of texts) say(text);
      };
    },
  };
}

/** How the output half tells what it noticed. */
export function noteOn({ note, warn }: Stderr): Note {
  return (text, weight) => (weight === 'warning' ? warn(`warning: ${text}`) : note(text));
}

export type ProgressOptions = {
  /** What is counted: `ids`, `rows`. */
  readonly label: string;
  readonly total?: number | undefined;
  /** What to say while nothing can be counted: `waiting for the query`. */
  readonly waiting?: string | undefined;
  /** What to say until the first figures come, while the time goes on: `waiting for the first rows`. */
  readonly first?: string;
  readonly kind?: ProgressKind | undefined;
  /** Whether rows are printed meanwhile, which on one terminal leave no room for a bar. */
  readonly amidRows?: boolean;
};

type Situation = { readonly system: System; readonly options: GlobalOptions; readonly stderr: Stderr };

const SECOND = 1000;

/** Shows progress. A bar is removed before any other message on stderr, and drawn again after it. */
export function startProgress(
  { amidRows, first, ...work }: ProgressOptions,
  { system, options, stderr }: Situation,
): Progress {
  const inTheWay = amidRows === true && isAmidRows(system, options);
  const progress = createProgress({
    ...work,
    waiting: first ?? work.waiting,
    kind: inTheWay ? 'none' : (work.kind ?? (options.quiet ? 'none' : 'auto')),
    stream: system.stderr,
    unicode: hasUnicode(system),
    dumb: system.environment.TERM === 'dumb',
    now: system.now,
  });
  if (progress.isLive) stderr.takeAway(progress.end);
  const clock = first === undefined ? undefined : setInterval(() => progress.follow(undefined), SECOND);
  clock?.unref();
  return {
    ...progress,
    update: (...figures) => {
      clearInterval(clock);
      progress.update(...figures);
    },
    follow: (told) => {
      if (told !== undefined) clearInterval(clock);
      progress.follow(told);
    },
    end: () => {
      clearInterval(clock);
      progress.end();
      if (progress.isLive) stderr.takeAway(undefined);
    },
  };
}

/** A bar on the terminal that the rows go to would stand in their way. */
function isAmidRows({ stdout, stderr }: System, { save }: GlobalOptions): boolean {
  return save === undefined && stdout.isTTY === true && stderr.isTTY === true;
}

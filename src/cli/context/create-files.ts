import { dirname, join } from 'node:path';
import { usageError } from '../../errors.ts';
import type { Column, Json } from '../../json/kinds.ts';
import { formatOfName } from '../../print/formats.ts';
import type { OutputFormat } from '../../print/rows.ts';
import { collectText } from '../../system/bounded-text.ts';
import {
  absolutePath,
  appendText,
  isFile,
  listFiles,
  makeDirectory,
  makeTemporaryDirectory,
  readFileChunks,
  readIfThere,
  realPathOf,
  refuseLink,
  removeFile,
  removeTemporaryDirectory,
} from '../../system/files.ts';
import { readOwnFile, refuseForeignHome } from '../../system/own-files.ts';
import type { System } from '../../system/system.ts';
import { interruption } from '../../system/terminal.ts';
import { systemReason } from '../../system/text.ts';
import { filePrinter, markOf, openResumable, type ResumableFile } from '../../system/write-whole.ts';
import type { Call } from '../command/command.ts';
import { formatRows, noteOn, outputFormat } from '../printing.ts';

/** Rows that are written part by part, over several runs of the program. */
export type RowFile = Omit<ResumableFile, 'append'> & {
  /** Adds rows; the next are asked for when those before them are in the file. */
  add(pages: AsyncIterable<readonly Json[]>, columns: readonly Column[]): Promise<void>;
};

/** Files by name, beside the one of `--save`. */
export type Files = ReturnType<typeof createFiles>;

/** Access to files for commands that keep several of them. */
export function createFiles({ system, options, stderr }: Call) {
  const note = noteOn(stderr);
  const formatOf = (file: string, columns: readonly Column[]) =>
    outputFormat(system, { ...options, save: file }, columns);
  return {
    list: listFiles,
    remove: removeFile,
    readIfThere,
    /** The text of a file whose name hogctl chose, if others cannot have written it. */
    readOwn: (file: string) => readOwnFile(file, system.uid),
    appendText,
    absolutePath,
    realPathOf,
    isFile,
    /** The text of a file, or of standard input for `-`, as UTF-8 with or without a byte order mark. */
    readText: (source: string) => readText(source, system),
    /** The same of a file in a folder in which others may have put it: a link is not followed. */
    readListed: (file: string) => readListed(file, system),
    /** Writes a file, complete or not at all, and the directories it lies in. A secret one is readable by its owner only. */
    writeText: (file: string, text: string, how?: { readonly secret: true }) =>
      writeIntoTree(file, [text], { system, mode: how?.secret ? 0o600 : 0o666 }),
    /** Tries whether a file could be written into a directory that is there, and leaves nothing. */
    tryPrivate: async (file: string) => (await filePrinter(file, { mark: markOf(system) })).abandon(),
    /** What becomes of a text in its own file, which only its owner can read and which is removed. */
    edit: (name: string, text: string, work: Work) => editText(name, text, { work, system }),
    /** Throws a usage error if root would write into the home of another user. */
    refuseForeignHome: (file: string) => refuseForeignHome(file, system),
    /** The same as `writeText` for rows in the format of its name, else of `--output`, readable by their owner only. */
    async writeRows(
      file: string,
      pages: AsyncIterable<readonly Json[]>,
      columns: readonly Column[],
      how?: Pick<OutputFormat, 'format' | 'columns'>,
    ) {
      const plain = { ...formatOf(file, columns), ...how };
      const chunks = formatRows(pages, { ...plain, format: formatOfName(file) ?? plain.format }, note);
      await writeIntoTree(file, chunks, { system, mode: 0o600 });
    },
    /** A file of rows that holds so many bytes already, and gets its name when it is complete. */
    async resumeRows(file: string, bytes: number): Promise<RowFile> {
      const { append, ...resumable } = await openResumable(file, { bytes, owner: system });
      return {
        ...resumable,
        add: async (pages, columns) => {
          const plain = formatOf(file, columns);
          const chunks = formatRows(pages, { ...plain, headers: plain.headers && bytes === 0 }, note);
          // The mark for spreadsheets stands before the headers, and also without them.
          const isMark = (chunk: string | Uint8Array) => bytes > 0 && chunk === '\uFEFF';
          for await (const chunk of chunks) if (!isMark(chunk)) await append(chunk);
        },
      };
    },
  };
}

type Work = (file: string) => Promise<void>;

async function editText(
  name: string,
  text: string,
  { work, system }: { readonly work: Work; readonly system: System },
): Promise<string> {
  const directory = makeTemporaryDirectory('hogctl-');
  try {
    const file = join(directory, name);
    await writeChunks(file, [text], { system, mode: 0o600 });
    await work(file);
    return await readText(file, system);
  } finally {
    removeTemporaryDirectory(directory);
  }
}

type Writing = { readonly system: System; readonly mode: number };
type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string>;

async function writeIntoTree(file: string, chunks: Chunks, writing: Writing): Promise<void> {
  makeFolderOf(file);
  await writeChunks(file, chunks, writing);
}

/** Makes the directory that a file is to lie in, and those above it. */
export function makeFolderOf(file: string): void {
  try {
    makeDirectory(dirname(file));
  } catch (cause) {
    throw usageError(`cannot create the directory ${dirname(file)}: ${systemReason(cause)}`);
  }
}

async function writeChunks(file: string, chunks: Chunks, { system, mode }: Writing): Promise<void> {
  if (file === '') throw usageError('a file name is empty');
  const printer = await filePrinter(file, { mark: markOf(system), mode });
  try {
    for await (const chunk of chunks) await printer.write(chunk);
    await printer.finish();
  } catch (failure) {
    await printer.abandon();
    throw failure;
  }
}

async function readListed(file: string, system: System): Promise<string> {
  refuseLink(file);
  return readText(file, system);
}

/** The text of a file, or of standard input for `-`. Throws a usage error for what is not UTF-8. */
export async function readText(source: string, system: System): Promise<string> {
  if (source === '') throw usageError('a file name is missing after @', 'write @file.json');
  const name = source === '-' ? 'standard input' : source;
  const bytes = await collectText(name, readInput(source, system, 'give @file'));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${name} is not UTF-8`, 'save it as UTF-8');
  }
}

/** The bytes of a file, or of standard input for `-`. */
export async function* readInput(
  source: string,
  { stdin, signal }: System,
  otherwise = 'give a file',
): AsyncGenerator<Uint8Array> {
  if (source !== '-') {
    yield* readFileChunks(source, signal);
    return;
  }
  if (stdin.isTTY) throw usageError('standard input is a terminal', `pipe the data in, or ${otherwise}`);
  // An open pipe without a writer would keep the process alive.
  const close = () => void stdin.destroy();
  signal.addEventListener('abort', close, { once: true });
  try {
    yield* stdin;
  } catch (failure) {
    throw signal.aborted ? interruption(signal) : failure;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

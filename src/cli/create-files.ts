import { dirname } from 'node:path';
import type { Json, JsonObject } from '../api/json.ts';
import { usageError } from '../errors.ts';
import type { Column, Note } from '../output/look.ts';
import type { GlobalOptions } from './command/global-options.ts';
import type { ValueReaders } from './command/values.ts';
import { lookOf } from './look.ts';
import { absolutePath, filePrinter, markOf } from './outside/files.ts';
import type { Outside } from './outside/outside.ts';
import { createReaders } from './readers.ts';
import type { Talk } from './talk.ts';

/** Rows that are written part by part, over several runs of the program. */
export type RowFile = {
  /** Adds rows; returns the length so far in bytes. */
  add(rows: readonly Json[], columns: readonly Column[]): Promise<number>;
  complete(): Promise<void>;
  close(): Promise<void>;
};

/** Files by name, beside the one of `--save`. */
/** The results of a long answer, and what stands beside them. */
export type Results = {
  readonly envelope: JsonObject;
  readonly size: number;
  readonly at: (index: number) => Json | undefined;
  readonly batches: () => Iterable<readonly Json[]>;
};

export type Files = ValueReaders & {
  /**
   * Takes a long answer apart, whose `results` are parsed part by part: exactly where a number would lose digits, else
   * fast. Throws a SyntaxError for bytes that are not JSON, a TypeError for JSON without results.
   */
  parseResults(bytes: Uint8Array): Promise<Results>;
  /** The names of the files in a directory, in order; undefined where there is no such directory. */
  list(directory: string): Promise<readonly string[] | undefined>;
  /** Writes a file, complete or not at all, and the directories it lies in. */
  writeText(file: string, text: string): Promise<void>;
  /** Writes a file into a directory that is there, readable by its owner only. */
  writePrivate(file: string, lines: Iterable<string>): Promise<void>;
  /** The text of a file with every character it has, a mark at its start too; undefined where there is none. */
  readIfThere(file: string): Promise<string | undefined>;
  /** Removes a file, if it is there. */
  remove(file: string): Promise<void>;
  /** A file name that means the same to a process in another directory. */
  absolutePath(file: string): string;
  /** The same for rows in the format of `--output`, readable by their owner only. */
  writeRows(file: string, pages: AsyncIterable<readonly Json[]>, columns: readonly Column[]): Promise<void>;
  /** A file of rows that holds so many bytes already, and gets its name when it is complete. */
  resumeRows(file: string, bytes: number): Promise<RowFile>;
};

type Parts = { readonly outside: Outside; readonly options: GlobalOptions; readonly talk: Talk };

/** Access to files for commands that keep several of them. Loads its means when it is asked. */
export function createFiles({ outside, options, talk }: Parts): Files {
  const note: Note = (text, weight) =>
    weight === 'warning' ? talk.warn(`warning: ${text}`) : talk.note(text);
  const look = (file: string, columns: readonly Column[]) =>
    lookOf(outside, { ...options, save: file }, columns);
  return {
    ...createReaders(outside),
    parseResults: async (bytes) => {
      const { parsePage } = await import('../client/parse-page.ts');
      const { envelope, size, batches, rows, map } = await parsePage(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      );
      const at = (index: number) =>
        map === undefined ? rows()[index] : map.parse(map.starts[index] ?? 0, map.ends[index] ?? 0);
      return { envelope, size, batches, at };
    },
    list: async (directory) => (await import('./outside/directories.ts')).listFiles(directory),
    writeText: (file, text) => writeIntoTree(file, [text], { outside }),
    writePrivate: (file, lines) => writeWhole(file, lines, { outside, mode: 0o600 }),
    readIfThere: async (file) => (await import('./outside/directories.ts')).readIfThere(file),
    remove: async (file) => (await import('./outside/directories.ts')).removeFile(file),
    absolutePath,
    writeRows: async (file, pages, columns) => {
      const { formatRows } = await import('../output/format-rows.ts');
      const chunks = formatRows(pages, look(file, columns), note);
      await writeIntoTree(file, chunks, { outside, mode: 0o600 });
    },
    resumeRows: async (file, bytes) => {
      const { formatRows, onePage } = await import('../output/format-rows.ts');
      const { openResumable } = await import('./outside/resumable-file.ts');
      const opened = await openResumable(file, bytes);
      let length = bytes;
      return {
        add: async (rows, columns) => {
          const plain = look(file, columns);
          const headers = plain.headers && length === 0;
          const parts: string[] = [];
          for await (const text of formatRows(onePage(rows), { ...plain, headers }, note)) parts.push(text);
          length = await opened.append(parts.join(''));
          return length;
        },
        complete: opened.complete,
        close: opened.close,
      };
    },
  };
}

type Writing = { readonly outside: Outside; readonly mode?: number };
type Chunks = AsyncIterable<string> | Iterable<string>;

async function writeIntoTree(file: string, chunks: Chunks, writing: Writing): Promise<void> {
  const { makeDirectory } = await import('./outside/directories.ts');
  await makeDirectory(dirname(file), writing.mode === 0o600 ? { mode: 0o700 } : {});
  await writeWhole(file, chunks, writing);
}

async function writeWhole(file: string, chunks: Chunks, { outside, mode }: Writing): Promise<void> {
  if (file === '') throw usageError('a file name is empty');
  const printer = await filePrinter(file, { mark: markOf(outside), ...(mode === undefined ? {} : { mode }) });
  try {
    for await (const chunk of chunks) await printer.write(chunk);
    await printer.finish();
  } catch (failure) {
    await printer.abandon();
    throw failure;
  }
}

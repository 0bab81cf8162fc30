import { CliError } from '../errors.ts';
import { decodeEntries, decodeIdsLine, type Entry, encodeNamed } from './entry.ts';
import type { RunDirectory } from './run-directory.ts';
import type { ReadableFile } from './run-files.ts';

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
  const { starts, planned, end } = findLines(file, count);
  if (planned === undefined) {
    file.close();
    throw new CliError('check', `the ids of this run are not complete in ${directory.path}`, {
      hint: 'keep the run directory as it is, and start afresh with --new-run',
    });
  }
  let good = end;
  const named = readLines(file, planned, end).map(decodeIdsLine);
  return {
    entries(from, size) {
      const first = Math.floor(from / stride);
      const last = Math.ceil(Math.min(from + size, count) / stride);
      const start = starts[first];
      if (start === undefined) return [];
      const text = file.read(start, (starts[last] ?? planned) - start).toString('utf8');
      return decodeEntries(cutLines(text, from - first * stride, size));
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
): { readonly starts: readonly number[]; readonly planned: number | undefined; readonly end: number } {
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
  return { starts, planned, end };
}

import { isShowable } from '../erasure/input/csv.ts';
import { readIds } from '../erasure/input/read-file.ts';
import { isWorkbook } from '../erasure/input/text-lines.ts';
import { isFile, readFileChunks } from '../system/files.ts';

/** A list on the line, and what is wanted of it. */
export type FileNames = {
  readonly what: 'columns' | 'sheets';
  readonly path: string;
  /** Of columns: on this sheet only. */
  readonly sheet?: string | undefined;
  readonly encoding?: string | undefined;
};

/** Nobody waits longer for Tab. */
const LONGEST_MS = 1000;
const LARGEST_WORKBOOK = 32 * 1024 * 1024;
const MOST_SHEETS = 20;

/** The names of the columns or sheets of a list, as the command would read it; throws if there are none to tell. */
export async function namesInFile({ what, path, sheet, encoding }: FileNames): Promise<readonly string[]> {
  // A pipe would be waited for.
  if (!isFile(path)) return [];
  const signal = AbortSignal.timeout(LONGEST_MS);
  const bytes = await readStart(path, signal);
  const reading = { encoding, signal };
  if (!isWorkbook(bytes)) return what === 'sheets' ? [] : readNames(bytes, reading);
  const { listSheets } = await import('../erasure/input/workbook.ts');
  const sheets = await listSheets(bytes, signal);
  if (what === 'sheets') return sheets;
  const names: string[] = [];
  // Without a sheet the column says which is read.
  for (const one of sheet === undefined ? sheets.slice(0, MOST_SHEETS) : [sheet])
    names.push(...(await readNames(bytes, { ...reading, sheet: one })));
  return [...new Set(names)];
}

/** All of a workbook, and of a text as much as comes at once. */
async function readStart(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of readFileChunks(path, signal)) {
    pieces.push(piece);
    size += piece.length;
    if (!isWorkbook(pieces[0] ?? piece) || size > LARGEST_WORKBOOK) break;
  }
  return Buffer.concat(pieces);
}

type Reading = Parameters<typeof readIds>[2];

async function readNames(bytes: Uint8Array, reading: Reading): Promise<readonly string[]> {
  let names: readonly string[] = [];
  const ignore = () => undefined;
  const stop = new Error('the names are read');
  const sink = {
    kind: 'ids',
    add: ignore,
    addRagged: ignore,
    note: ignore,
    noteSheet: ignore,
    header: ignore,
    names: (found: readonly string[]) => {
      names = found;
      throw stop;
    },
  } as const;
  try {
    await readIds(onePiece(bytes), sink, reading);
  } catch {
    // Whatever cannot be read has no names; the command will say why.
  }
  return isShowable(names) ? names.map((name) => name.trim()) : [];
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

import { CliError } from '../../errors.ts';
import type { AskedId } from '../people/look.ts';
import type { RunDirectory } from './directory.ts';
import type { Entry } from './entry.ts';

/** A line of the `ids` file. */
export function encodeEntry({ kind, id, person, other }: Entry): string {
  const { uuid = null, distinctIds = [], sendAs } = person ?? other ?? {};
  const isShown = person === null ? 0 : 1;
  return toLine([kind, id, isShown, uuid, distinctIds, ...(sendAs === undefined ? [] : [sendAs])]);
}

export function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** An id of the plan; or a distinct id or a UUID that a store showed later, behind an id of the plan. */
type IdsLine = Entry | { readonly seen: AskedId };

function decodeLine(line: string, number: number): IdsLine {
  const [kind, id, isShown, uuid, distinctIds, sendAs] = parseRow(line);
  if (kind === 'seen' && (id === 'ids' || id === 'distinct-ids') && typeof isShown === 'string')
    return { seen: { kind: id, id: isShown } };
  const isSent = sendAs === undefined || typeof sendAs === 'string';
  if (
    (kind === 'ids' || kind === 'distinct-ids') &&
    typeof id === 'string' &&
    isSent &&
    isTexts(distinctIds)
  ) {
    if (uuid === null) return { kind, id, person: null };
    const known = { uuid: String(uuid), distinctIds, ...(sendAs === undefined ? {} : { sendAs }) };
    if (typeof uuid === 'string')
      return isShown === 1 ? { kind, id, person: known } : { kind, id, person: null, other: known };
  }
  throw wasDamaged(number);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function parseRow(line: string): readonly unknown[] {
  try {
    const row: unknown = JSON.parse(line);
    return Array.isArray(row) ? row : [];
  } catch {
    return [];
  }
}

/** Without its content, which is somebody's id. */
function wasDamaged(line: number): CliError {
  return new CliError('check', `line ${line} of the file ids of this run was damaged`, {
    hint: 'nothing more is sent; bring back its file ids from a copy, or start afresh with --new-run',
  });
}

export type IdsFile = Readonly<ReturnType<typeof openIdsFile>>;

/** Opens the `ids` of a run, which stay on the disk: a million would fill memory. Throws `check` if some are missing. */
export function openIdsFile(directory: RunDirectory, count: number) {
  const starts = findLines(directory);
  const lines = starts.length - 1;
  if (lines < count) {
    throw new CliError('check', `the file ids of this run ends after line ${lines} of ${count}`, {
      hint: `keep ${directory.path} as it is, and start afresh with --new-run`,
    });
  }
  const file = directory.open('ids');
  const read = (from: number, to: number): readonly IdsLine[] => {
    const [start = 0, end = 0] = [starts[from], starts[to]];
    const text = from < to ? file.read(start, end - start).toString('utf8') : '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line, at) => decodeLine(line, from + at + 1));
  };
  const seen = read(count, lines).flatMap((line) => ('seen' in line ? line.seen : []));
  let end = starts[lines] ?? 0;
  return {
    entries: (from: number, size: number): readonly Entry[] =>
      read(from, Math.min(from + size, count)).map((line, at) => {
        if ('seen' in line) throw wasDamaged(from + at + 1);
        return line;
      }),
    /** Ids that came since the plan, which lead to its people. */
    seen: (): readonly AskedId[] => seen,
    /** Keeps such ids, synced. */
    addSeen(ids: readonly AskedId[]) {
      if (ids.length === 0) return;
      const text = ids.map(({ kind, id }) => toLine(['seen', kind, id])).join('');
      const grown = directory.grow('ids');
      try {
        // A crash may have cut the last line off; the next one must not be glued to it.
        if (grown.size() > end) grown.truncate(end);
        grown.append(text);
      } finally {
        grown.close();
      }
      end += Buffer.byteLength(text);
      for (const one of ids) seen.push(one);
    },
    close: file.close,
  };
}

/** Where each whole line of `ids` starts, and where the last one ends. */
function findLines(directory: RunDirectory): readonly number[] {
  const starts = [0];
  let position = 0;
  for (const piece of readPieces(directory, 'ids')) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1))
      starts.push(position + at + 1);
    position += piece.length;
  }
  return starts;
}

const PIECE = 1 << 16;

/** A file piece by piece, in memory that the next piece takes again. */
export function* readPieces(
  directory: RunDirectory,
  name: string,
  { from = 0, to }: { readonly from?: number; readonly to?: number | undefined } = {},
): Generator<Buffer> {
  const file = directory.open(name);
  const piece = Buffer.alloc(PIECE);
  const end = Math.min(to ?? file.size, file.size);
  try {
    for (let position = from; position < end; position += PIECE)
      yield file.read(position, Math.min(PIECE, end - position), piece);
  } finally {
    file.close();
  }
}

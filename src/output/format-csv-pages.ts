import type { RowSlices } from '../api/row-slices.ts';
import { type Place, UNSURE } from './csv-cell.ts';
import { createRecordWriter, type RecordWriter } from './csv-record.ts';
import { type Delimited, openDelimited } from './format-delimited.ts';
import { hasUnsafe } from './has-unsafe.ts';
import type { Look, Note } from './look.ts';
import { keysOf } from './read-path.ts';
import type { RowPage } from './row-page.ts';

/** Enough for a write. */
const FULL = 64 * 1024;

/**
 * A list as CSV, as `delimitedRows` writes it, byte for byte: rows after the first page are written from their bytes
 * where these leave no question, else parsed one by one.
 */
export async function* csvPages(
  pages: AsyncIterable<RowPage>,
  look: Look,
  note: Note,
): AsyncGenerator<string | Uint8Array> {
  const delimited = await openDelimited(look, note);
  const gathered = gather();
  let begun: { readonly writer: RecordWriter | undefined } | undefined;
  for await (const page of pages) {
    if (begun === undefined) {
      // The first page that has rows stays whole, since it decides on the columns.
      const rows = page.rows();
      if (rows.length === 0) continue;
      const { columns, heading } = delimited.begin(rows);
      begun = { writer: look.columns === undefined ? createRecordWriter(columns) : undefined };
      yield heading;
      yield* delimited.chunks(rows);
      continue;
    }
    const slices = begun.writer && page.slices();
    if (begun.writer && slices) yield* recordsOf(slices, { delimited, writer: begun.writer, gathered });
    else yield* parsedRecords(page, delimited);
  }
  if (begun === undefined) yield delimited.begin([]).heading;
  delimited.finish();
}

function* parsedRecords(page: RowPage, delimited: Delimited): Generator<string> {
  for (const rows of page.batches()) {
    delimited.watch(rows);
    yield* delimited.chunks(rows);
  }
}

type Writing = { readonly delimited: Delimited; readonly writer: RecordWriter; readonly gathered: Gathered };

function* recordsOf(slices: RowSlices, writing: Writing): Generator<Uint8Array> {
  const { delimited, writer, gathered } = writing;
  const { starts, ends, valueEnds, firstValues } = slices;
  const bytes = Buffer.from(slices.bytes.buffer, slices.bytes.byteOffset, slices.bytes.byteLength);
  const risky = hasUnsafe(bytes);
  for (let index = 0; index < starts.length; index += 1) {
    const [from = 0, to = 0, firstValue = 0] = [starts[index], ends[index], firstValues[index]];
    const { target, at } = gathered.room(writer.roomFor(to - from));
    const safe = !risky || !hasUnsafe(bytes.subarray(from, to));
    const end = safe ? writer.write(bytes, { from, valueEnds, firstValue }, { target, at }) : UNSURE;
    if (end === UNSURE) {
      const row = slices.parse(index);
      delimited.watch([row]);
      for (const key of keysOf(row)) writer.pass(key);
      for (const text of delimited.chunks([row])) gathered.text(text);
    } else gathered.written(end);
    if (gathered.isFull()) yield gathered.take();
  }
  if (!gathered.isEmpty()) yield gathered.take();
}

/** Text gathered in one buffer, which is used again after each `take`. */
type Gathered = {
  /** Where so many bytes can be written; what was is told by `written`. */
  readonly room: (size: number) => Place;
  readonly written: (end: number) => void;
  readonly text: (text: string) => void;
  readonly isFull: () => boolean;
  readonly isEmpty: () => boolean;
  readonly take: () => Uint8Array;
};

function gather(): Gathered {
  let buffer = Buffer.allocUnsafeSlow(2 * FULL);
  let length = 0;
  const room = (size: number): Place => {
    if (length + size > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length + size, 2 * buffer.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    return { target: buffer, at: length };
  };
  return {
    room,
    written: (end) => {
      length = end;
    },
    text: (text) => {
      const { target, at } = room(text.length * 3);
      length = at + target.write(text, at);
    },
    isFull: () => length >= FULL,
    isEmpty: () => length === 0,
    take: () => {
      const taken = buffer.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}

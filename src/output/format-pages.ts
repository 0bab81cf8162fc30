import type { RowSlices } from '../api/row-slices.ts';
import type { Json } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { type ByteSink, createByteSink } from './byte-sink.ts';
import { formatRows } from './format-rows.ts';
import type { Look, Note } from './look.ts';
import type { RowPage } from './row-page.ts';

type Pages = AsyncIterable<RowPage>;

/**
 * Like `formatRows` for pages of the service: where JSON is wanted whole, rows that came as such are passed on without
 * being parsed. Bytes that are yielded stay so until the next are asked for.
 */
export async function* formatPages(
  pages: Pages,
  look: Look,
  note: Note,
): AsyncGenerator<string | Uint8Array> {
  const frame = look.columns === undefined ? frameOf(look) : undefined;
  if (frame !== undefined) yield* framed(pages, frame);
  else if (look.format === 'csv') yield* (await import('./format-csv-pages.ts')).csvPages(pages, look, note);
  else yield* formatRows(look.format === 'table' ? rowsOf(pages) : batchesOf(pages), look, note);
}

/** What stands around rows, and how they are written. */
type Frame = {
  readonly first: string;
  readonly between: string;
  readonly end: string;
  readonly empty: string;
  /** Passes on the row at this place, and more after it where that is as well; returns the next place. */
  readonly pass: (rows: RowSlices, index: number, sink: ByteSink) => number;
  readonly write: (row: Json, sink: ByteSink) => void;
};

/** On a terminal a list in JSON is to be read; everywhere else it is passed on as it came, a row to a line. */
function frameOf({ format, width }: Look): Frame | undefined {
  if (format === 'ndjson') return frames.ndjson;
  if (format !== 'json') return undefined;
  return width === undefined ? frames.list : frames.indented;
}

const frames = {
  ndjson: {
    first: '',
    between: '',
    end: '',
    empty: '',
    pass: (rows, index, sink) => sink.lines(rows, index),
    write: (row, sink) => sink.text(`${toJsonText(row)}\n`),
  },
  list: {
    first: '[\n',
    between: ',\n',
    end: '\n]\n',
    empty: '[]\n',
    pass: (rows, index, sink) => sink.items(rows, index),
    write: (row, sink) => sink.text(toJsonText(row)),
  },
  indented: {
    first: '[\n  ',
    between: ',\n  ',
    end: '\n]\n',
    empty: '[]\n',
    pass: (rows, index, sink) => {
      sink.indented(rows, index, 1);
      return index + 1;
    },
    write: (row, sink) => sink.text(toJsonText(row, { indent: 2 }).replaceAll('\n', '\n  ')),
  },
} satisfies Readonly<Record<string, Frame>>;

/** When `pages` throws, the end is missing: a document that is cut short must not pass for a whole one. */
async function* framed(pages: Pages, frame: Frame): AsyncGenerator<string | Uint8Array> {
  const sink = createByteSink();
  let started = false;
  for await (const page of pages) {
    const writer = pageWriter(page, frame);
    for (let index = 0; index < writer.size; ) {
      const before = started ? frame.between : frame.first;
      if (before !== '') sink.text(before);
      index = writer.put(index, sink);
      started = true;
      if (sink.isFull()) yield sink.take();
    }
    if (!sink.isEmpty()) yield sink.take();
  }
  const end = started ? frame.end : frame.empty;
  if (end !== '') yield end;
}

type PageWriter = { readonly size: number; readonly put: (index: number, sink: ByteSink) => number };

function pageWriter(page: RowPage, { pass, write }: Frame): PageWriter {
  const slices = page.slices();
  if (slices !== undefined)
    return { size: slices.starts.length, put: (index, sink) => pass(slices, index, sink) };
  const rows = page.rows();
  const put = (index: number, sink: ByteSink) => {
    write(rows[index] ?? null, sink);
    return index + 1;
  };
  return { size: rows.length, put };
}

async function* rowsOf(pages: Pages): AsyncGenerator<readonly Json[]> {
  for await (const page of pages) yield page.rows();
}

/** The first page that has rows stays whole, since it decides on the columns. */
async function* batchesOf(pages: Pages): AsyncGenerator<readonly Json[]> {
  let settled = false;
  for await (const page of pages) {
    if (settled) {
      yield* page.batches();
      continue;
    }
    const rows = page.rows();
    yield rows;
    settled = rows.length > 0;
  }
}

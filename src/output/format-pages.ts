import type { Json } from '../api/json.ts';
import { type ByteSink, createByteSink } from './byte-sink.ts';
import { formatRows } from './format-rows.ts';
import { toJsonText } from './json-text.ts';
import type { Look, Note } from './look.ts';

/**
 * A page of a list as the service sent it. `slices` are its rows as JSON in UTF-8 without white space, undefined where
 * they did not come so.
 */
export type RowPage = {
  readonly rows: () => readonly Json[];
  /** The same rows in parts, each parsed when it is asked for. */
  readonly batches: () => Iterable<readonly Json[]>;
  readonly slices: () => readonly Uint8Array[] | undefined;
};

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
  const frame = look.columns === undefined ? frames[look.format] : undefined;
  if (frame !== undefined) yield* framed(pages, frame);
  else yield* formatRows(look.format === 'table' ? rowsOf(pages) : batchesOf(pages), look, note);
}

/** What stands around rows, and how one is written. */
type Frame = {
  readonly first: string;
  readonly between: string;
  readonly after: string;
  readonly end: string;
  readonly empty: string;
  readonly pass: (slice: Uint8Array, sink: ByteSink) => void;
  readonly write: (row: Json, sink: ByteSink) => void;
};

const frames: Partial<Record<Look['format'], Frame>> = {
  ndjson: {
    first: '',
    between: '',
    after: '\n',
    end: '',
    empty: '',
    pass: (slice, sink) => sink.bytes(slice),
    write: (row, sink) => sink.text(toJsonText(row)),
  },
  json: {
    first: '[\n  ',
    between: ',\n  ',
    after: '',
    end: '\n]\n',
    empty: '[]\n',
    pass: (slice, sink) => sink.indented(slice, 1),
    write: (row, sink) => sink.text(toJsonText(row, { indent: 2 }).replaceAll('\n', '\n  ')),
  },
};

/** When `pages` throws, the end is missing: a document that is cut short must not pass for a whole one. */
async function* framed(pages: Pages, frame: Frame): AsyncGenerator<string | Uint8Array> {
  const sink = createByteSink();
  let started = false;
  for await (const page of pages) {
    for (const put of rowWriters(page, frame)) {
      sink.text(started ? frame.between : frame.first);
      put(sink);
      sink.text(frame.after);
      started = true;
      if (sink.isFull()) yield sink.take();
    }
    if (!sink.isEmpty()) yield sink.take();
  }
  const end = started ? frame.end : frame.empty;
  if (end !== '') yield end;
}

function* rowWriters(page: RowPage, { pass, write }: Frame): Generator<(sink: ByteSink) => void> {
  const slices = page.slices();
  if (slices === undefined) for (const row of page.rows()) yield (sink) => write(row, sink);
  else for (const slice of slices) yield (sink) => pass(slice, sink);
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

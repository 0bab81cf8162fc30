import { CliError, usageError } from '../errors.ts';
import { decodeText } from './decode-text.ts';
import { createIdCollector, type IdCollector, type IdList } from './id-collector.ts';
import { type IdFormat, isHeader, type Layout, recognizeLayout } from './id-format.ts';
import type { IdKind } from './id-kind.ts';
import type { IdSink } from './id-sink.ts';
import { readCsv } from './read-csv.ts';
import { readJsonLines } from './read-json-lines.ts';
import { peekFirstLine, splitLines } from './split-lines.ts';
import { raceAbort } from './stopping.ts';

export type IdReading = {
  readonly kind: IdKind;
  /** The column that holds the ids, where there are several. */
  readonly column?: string | undefined;
  /** Told from the first line if absent. */
  readonly format?: IdFormat | undefined;
  /** Whether distinct ids that look damaged are taken as they stand; if absent, they are. */
  readonly allowOdd?: boolean | undefined;
  /** What messages call the input. */
  readonly name?: string | undefined;
  /** Ends the reading, also while nothing comes. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads ids from a file or a pipe: plain list, CSV or NDJSON, in UTF-8 or in UTF-16 with a mark. Distinct ids keep every
 * byte, white space at their ends included; blank lines are skipped, repeats counted, in memory that grows by the ids
 * alone. Throws a usage error for an invalid encoding before any other, and names the line of what is no id.
 */
export async function readIds(chunks: AsyncIterable<Uint8Array>, reading: IdReading): Promise<IdList> {
  const { kind, allowOdd = true, name = 'the input' } = reading;
  const collector = createIdCollector(kind, { allowOdd, places: 'line', name });
  const decoded = decodeText(reading.signal === undefined ? chunks : untilAborted(chunks, reading.signal));
  const { line, texts } = await peekFirstLine(keepOpen(decoded));
  const layout = recognizeLayout(line, reading);
  try {
    await readTexts(texts, layout, { reading, collector });
  } catch (error) {
    // Text in the wrong encoding explains most other errors, so more is decoded before one of them is reported.
    let more = 0;
    for await (const text of decoded) {
      more += text.length;
      if (more > mostToDecode) break;
    }
    throw error;
  }
  return collector.finish();
}

/** Characters that are decoded after an error. */
const mostToDecode = 1 << 24;

/** Ends with the chunks, or throws at once when a signal asks to stop: nothing was sent by then. */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw signal.aborted ? new CliError('interrupted', 'interrupted, nothing was sent') : error;
  } finally {
    // Not waited for: it may still be reading from a pipe to which nobody writes.
    iterator.return?.()?.catch(() => undefined);
  }
}

async function readTexts(
  texts: AsyncGenerator<string>,
  layout: Layout,
  { reading, collector }: { readonly reading: IdReading; readonly collector: IdCollector },
): Promise<void> {
  const sink: IdSink = {
    kind: reading.kind,
    column: reading.column,
    header: collector.header,
    first: collector.addFirst,
    id: collector.add,
  };
  if (layout.format === 'csv') await readCsv(texts, layout.delimiter, sink);
  else if (layout.format === 'ndjson') await readJsonLines(texts, sink);
  else await readList(texts, sink);
}

/** Readers that stop early would end the decoder, which has to check the rest. */
async function* keepOpen(texts: AsyncGenerator<string>): AsyncGenerator<string> {
  for (let next = await texts.next(); next.done !== true; next = await texts.next()) yield next.value;
}

async function readList(texts: AsyncIterable<string>, sink: IdSink): Promise<void> {
  let number = 0;
  let isFirst = true;
  for await (const lines of splitLines(texts)) {
    for (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      if (isFirst && isHeader(line, sink.column)) sink.header(line.trim());
      else if (isFirst && sink.column !== undefined) throw noColumns(sink.column);
      else if (isFirst) sink.first(line, number);
      else sink.id(line, number);
      isFirst = false;
    }
  }
}

function noColumns(column: string) {
  return usageError(`the input is a plain list, so it has no column "${column}"`, 'leave --column out');
}

import { formatRecord, formatRows } from '../../../src/cli/printing.ts';
import { CliError } from '../../../src/errors.ts';
import type { Json } from '../../../src/json/kinds.ts';
import type { OutputFormat } from '../../../src/print/rows.ts';

export type Shown = {
  readonly text: string;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /** Why it is not complete. */
  readonly failure?: string;
};

const plain: OutputFormat = {
  format: 'table',
  headers: true,
  color: false,
  unicode: true,
  spreadsheetSafe: false,
};

/** A list as it would be printed, with what was said beside it. */
export function showRows(
  pages: readonly (readonly Json[])[],
  outputFormat: Partial<OutputFormat>,
): Promise<Shown> {
  return collect((note) => formatRows(from(pages), { ...plain, ...outputFormat }, note));
}

/** One answer as it would be printed. */
export function showRecord(record: Json, outputFormat: Partial<OutputFormat>): Promise<Shown> {
  return collect((note) => formatRecord(record, { ...plain, ...outputFormat }, note));
}

type Say = (text: string, weight: 'note' | 'warning') => void;

async function collect(format: (note: Say) => AsyncIterable<string | Uint8Array>): Promise<Shown> {
  const said: [string, string][] = [];
  let text = '';
  let failure: string | undefined;
  try {
    for await (const chunk of format((message, weight) => said.push([weight, message]))) text += chunk;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    failure = error.message;
  }
  const of = (wanted: string) => said.filter(([weight]) => weight === wanted).map(([, message]) => message);
  const end = failure === undefined ? {} : { failure };
  return { text, notes: of('note'), warnings: of('warning'), ...end };
}

async function* from(pages: readonly (readonly Json[])[]): AsyncGenerator<readonly Json[]> {
  yield* pages;
}

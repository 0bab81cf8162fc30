import type { Json } from '../../../src/api/json.ts';
import { formatRecord, formatRows } from '../../../src/output/format-rows.ts';
import type { Look } from '../../../src/output/look.ts';

export type Shown = {
  readonly text: string;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
};

const plain: Look = { format: 'table', headers: true, color: false, unicode: true, spreadsheetSafe: false };

/** A list as it would be printed, with what was said beside it. */
export function showRows(pages: readonly (readonly Json[])[], look: Partial<Look>): Promise<Shown> {
  return collect((note) => formatRows(from(pages), { ...plain, ...look }, note));
}

/** One answer as it would be printed. */
export function showRecord(record: Json, look: Partial<Look>): Promise<Shown> {
  return collect((note) => formatRecord(record, { ...plain, ...look }, note));
}

type Say = (text: string, weight: 'note' | 'warning') => void;

async function collect(format: (note: Say) => AsyncIterable<string>): Promise<Shown> {
  const said: [string, string][] = [];
  let text = '';
  for await (const chunk of format((message, weight) => said.push([weight, message]))) text += chunk;
  const of = (wanted: string) => said.filter(([weight]) => weight === wanted).map(([, message]) => message);
  return { text, notes: of('note'), warnings: of('warning') };
}

async function* from(pages: readonly (readonly Json[])[]): AsyncGenerator<readonly Json[]> {
  yield* pages;
}

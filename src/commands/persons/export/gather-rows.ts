import { asList } from '../../../json/kinds.ts';
import { parseText } from '../../../json/parse.ts';
import type { RowPage } from '../../../output/row-page.ts';
import type { ExportedRow } from './exported-row.ts';

/** The values of a row as JSON without white space. */
export type RowTexts = {
  readonly id: string;
  readonly distinctIds: string;
  readonly properties: string;
  readonly createdAt: string;
};

const FIRST_SIZE = 2 ** 17;
/** Of a row without its values, and the most bytes that a character of these takes. */
const AROUND = 64;
const BYTES_EACH = 3;

/** Writes rows as JSON into one buffer, which is used again for the next page. */
export function gatherRows() {
  let bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  return (texts: readonly RowTexts[]): RowPage => {
    const most = texts.reduce((sum, { properties, distinctIds, id }) => {
      return sum + AROUND + BYTES_EACH * (properties.length + distinctIds.length + id.length + AROUND);
    }, 0);
    if (most > bytes.length) bytes = Buffer.allocUnsafeSlow(Math.max(most, 2 * bytes.length));
    return pageOf(texts, bytes);
  };
}

function pageOf(texts: readonly RowTexts[], bytes: Buffer): RowPage {
  const starts: number[] = [];
  const ends: number[] = [];
  const valueEnds: number[] = [];
  let at = 0;
  for (const { id, distinctIds, properties, createdAt } of texts) {
    starts.push(at);
    let place = at;
    for (const text of [`{"id":${id}`, `,"distinct_ids":${distinctIds}`, `,"properties":${properties}`]) {
      place += bytes.write(text, place);
      valueEnds.push(place);
    }
    place += bytes.write(`,"created_at":${createdAt}},`, place);
    valueEnds.push(place - 2);
    ends.push(place - 1);
    at = place;
  }
  const firstValues = starts.map((_, index) => (index * valueEnds.length) / starts.length);
  const places = {
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ends),
    valueEnds: Int32Array.from(valueEnds),
    firstValues: Int32Array.from(firstValues),
  };
  const parse = (index: number) => parseText(bytes.toString('utf8', starts[index], ends[index]));
  const rows = () => asList(parseText(`[${bytes.toString('utf8', 0, Math.max(at - 1, 0))}]`)) ?? [];
  const slices = { bytes: bytes.subarray(0, at), ...places, parse };
  return { rows, batches: () => [rows()], slices: () => slices };
}

/** Rows that are not to be had as bytes. */
export function parsedPage(rows: readonly ExportedRow[]): RowPage {
  return { rows: () => rows, batches: () => [rows], slices: () => undefined };
}

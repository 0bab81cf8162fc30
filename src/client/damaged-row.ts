import { isUtf8 } from 'node:buffer';
import { scanPage } from './scan-page.ts';

/** The uuid or id of the first row of a page that is not UTF-8; undefined where none has one. */
export function damagedRow(bytes: Buffer): string | undefined {
  // A character for each byte, so that rows are found though some bytes are no characters.
  const page = Buffer.from(bytes.toString('latin1'));
  const map = scanPage(page);
  if (map === undefined) return undefined;
  const bytesOf = (from = 0, to = 0) => Buffer.from(page.toString('utf8', from, to), 'latin1');
  const index = map.starts.findIndex((start, row) => !isUtf8(bytesOf(start, map.ends[row])));
  const name = bytesOf(map.nameStarts[index], map.nameEnds[index]);
  return name.length === 0 ? undefined : name.toString('utf8').replace(/^"|"$/g, '');
}

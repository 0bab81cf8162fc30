/** Rows of a page. */
export const MOST = 1000;
/** More than one page may be on its way; none is written over before it has left. */
const COPIES = 4;

/** Rows whose text has the uuid of its person in it, page after page: the same text with other uuids. */
export function madePages(textOf) {
  const texts = Array.from({ length: MOST }, (_, index) => Buffer.from(textOf(index)));
  const copies = Array.from({ length: COPIES }, () => Buffer.from(texts.map(String).join(',')));
  const ends = [];
  let end = -1;
  for (const text of texts) {
    end += 1 + text.length;
    ends.push(end);
  }
  const places = [];
  for (let at = copies[0].indexOf('"00000000-'); at >= 0; at = copies[0].indexOf('"00000000-', at + 1)) {
    places.push(at + 1);
  }
  let turn = 0;
  /** The text of the rows of a page from one up to another, with commas between. */
  return (number, { from = 0, to }) => {
    turn = (turn + 1) % COPIES;
    const bytes = copies[turn];
    const digits = Buffer.from(number.toString(16).padStart(8, '0'));
    for (const place of places) {
      digits.copy(bytes, place);
    }
    return bytes.subarray(from === 0 ? 0 : ends[from - 1] + 1, ends[to - 1]);
  };
}

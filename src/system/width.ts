import stringWidth from 'string-width';

let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character. Most text is ASCII and needs no segmenter, which costs as much as a command. */
function graphemesOf(text: string): Iterable<string> {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Display cells a text takes on a terminal: two for CJK and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** The spaces that fill a text up to a display width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** A text cut to a display width, never inside a grapheme, with an ellipsis where something is missing. */
export function truncate(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const mark = displayWidth(ellipsis) <= width ? ellipsis : '';
  const [kept = ''] = split(text, width - displayWidth(mark));
  return kept + mark;
}

/** A text in pieces of at most a display width. Only a grapheme that is wider by itself makes a wider piece. */
export function wrap(text: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const segment of graphemesOf(text)) {
    const cells = displayWidth(segment);
    if (used + cells > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += cells;
  }
  return [...pieces, piece];
}

/** The longest beginning that fits, and what follows it. */
function split(text: string, width: number): [string, string] {
  let end = 0;
  let used = 0;
  for (const segment of graphemesOf(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return [text.slice(0, end), text.slice(end)];
}

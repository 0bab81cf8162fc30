import { displayWidth, escapeControls, truncate, wrap } from '../../system/text.ts';

/** What a piece of a line is, for colouring. A number is the place of a series; colour is never the only sign. */
export type Tone = 'title' | 'faint' | number;

export type Span = { readonly text: string; readonly tone?: Tone | undefined };

export type Line = readonly Span[];

/** What a drawing may use: display cells across, at least 40, and whether there is more than ASCII. */
export type Canvas = { readonly width: number; readonly unicode: boolean };

/** `complete`: every figure of the answer stands in the lines, so that a table would say nothing new. */
export type Picture = { readonly lines: readonly Line[]; readonly complete: boolean };

/** A picture before the sentences below it are broken into lines. */
export type Drawing = Picture & { readonly below: readonly string[] };

/** A text of the service, safe to show, cut to a width. */
export function clean(text: string, width: number, canvas: Canvas): string {
  return truncate(escapeControls(text), width, canvas.unicode ? '…' : '...');
}

/** A sentence below a drawing, on as many lines as it needs; it breaks at spaces if it can. */
export function caption(text: string, { width }: Canvas): readonly Line[] {
  const lines: string[] = [];
  let line = '';
  for (const word of escapeControls(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = wrap(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line].map((each) => [{ text: each, tone: 'faint' }]);
}

/** A line that surely fits: spans behind the edge are cut, spaces at the end left out, neighbours of one tone joined. */
export function fitLine(line: Line, canvas: Canvas): Line {
  const spans: Span[] = [];
  let left = canvas.width;
  for (const { text, tone } of line) {
    const fitted = clean(text, left, canvas);
    left -= displayWidth(fitted);
    const before = spans.at(-1);
    if (before !== undefined && before.tone === tone)
      spans[spans.length - 1] = { text: before.text + fitted, tone };
    else if (fitted !== '') spans.push({ text: fitted, tone });
  }
  while (spans.at(-1)?.text.trim() === '') spans.pop();
  const last = spans.pop();
  return last === undefined ? spans : [...spans, { ...last, text: last.text.trimEnd() }];
}

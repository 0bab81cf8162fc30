import Table from 'cli-table3';

/** The lines of a table without its text. The gaps before, between and after the cells of a row. */
export type Frame = {
  readonly gaps: readonly string[];
  /** The line under the header. */
  readonly rule: string;
};

/** Narrow tables do without lines between the columns. */
export type FrameStyle = { readonly unicode: boolean; readonly narrow: boolean };

/** Display cells that the frame adds between two columns. */
export function gapWidth({ narrow }: Pick<FrameStyle, 'narrow'>): number {
  return narrow ? 2 : 3;
}

function linesOf({ unicode, narrow }: FrameStyle): Record<'mid' | 'mid-mid' | 'middle', string> {
  const mid = unicode ? '─' : '-';
  if (narrow) return { mid, 'mid-mid': '  ', middle: '  ' };
  return unicode ? { mid, 'mid-mid': '─┼─', middle: ' │ ' } : { mid, 'mid-mid': '-+-', middle: ' | ' };
}

/**
 * Has cli-table3 draw a frame for columns of these display widths. It gets placeholders instead of the text: it takes
 * the family emoji for six cells, cuts CJK in the wrong place, and its time grows faster than the number of rows. One
 * frame fits all rows, since each is one line.
 */
export function drawFrame(widths: readonly number[], style: FrameStyle): Frame {
  const placeholders = widths.map((width) => 'x'.repeat(width));
  const noBorder = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', left: '', right: '' };
  const noBottom = { bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const noEdge = { 'left-mid': '', 'right-mid': '' };
  const table = new Table({
    chars: { ...noBorder, ...noBottom, ...noEdge, ...linesOf(style) },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    head: placeholders,
  });
  table.push(placeholders);
  const [header = '', rule = ''] = table.toString().split('\n');
  return { gaps: header.split(/x+/), rule };
}

import { type Canvas, clean, type Line } from './picture.ts';

/** Digits of three by five points, one line of text each, from the top. */
const DIGITS: Readonly<Record<string, string>> = {
  0: '### # # # # # # ###',
  1: ' #  ##   #   #  ###',
  2: '###   # ### #   ###',
  3: '###   # ###   # ###',
  4: '# # # # ###   #   #',
  5: '### #   ###   # ###',
  6: '### #   ### # # ###',
  7: '###   #   #   #   #',
  8: '### # # ### # # ###',
  9: '### # # ###   # ###',
  '-': '        ###        ',
  '.': '                 # ',
};

/** A number in large digits with its name below, both also as plain text; plain alone where large ones don't fit. */
export function bigNumber(text: string, name: string, canvas: Canvas): readonly Line[] {
  const plain: Line = [
    { text: `${clean(name, Math.max(10, canvas.width - text.length - 2), canvas)}: ${text}` },
  ];
  const glyphs = [...text].map((character) => DIGITS[character]);
  if (glyphs.includes(undefined) || glyphs.length * 4 > canvas.width) return [plain];
  const points = Array.from({ length: 6 }, (_, row) =>
    glyphs.map((glyph = '') => `${glyph.slice(row * 4, row * 4 + 3).padEnd(3)} `).join(''),
  );
  const rows = canvas.unicode
    ? [0, 2, 4].map((row) => halves(points[row] ?? '', points[row + 1] ?? ''))
    : points.slice(0, 5);
  return [...rows.map((row): Line => [{ text: row, tone: 'title' }]), [], plain];
}

/** Two rows of points in one row of cells. */
function halves(upper: string, lower: string): string {
  const signs = [' ', '▄', '▀', '█'];
  return [...upper]
    .map((point, index) => signs[(point === '#' ? 2 : 0) + (lower[index] === '#' ? 1 : 0)] ?? ' ')
    .join('');
}

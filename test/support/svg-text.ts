import type { Line, Tone } from '../../src/output/charts/picture.ts';
import { displayWidth } from '../../src/output/fit-text.ts';

const CELL = { width: 8, height: 18 } as const;
const MARGIN = 12;
const SERIES = ['#0b7285', '#b35900', '#862e9c', '#2b8a3e', '#1c4fa0', '#c92a2a'];

/** Blocks as left, top, width and height in eighths of a cell. Fonts draw them with gaps, so they become rectangles. */
const BLOCKS: Readonly<Record<string, readonly [number, number, number, number]>> = {
  '█': [0, 0, 8, 8],
  '▉': [0, 0, 7, 8],
  '▊': [0, 0, 6, 8],
  '▋': [0, 0, 5, 8],
  '▌': [0, 0, 4, 8],
  '▍': [0, 0, 3, 8],
  '▎': [0, 0, 2, 8],
  '▏': [0, 0, 1, 8],
  '▀': [0, 0, 8, 4],
  '▄': [0, 4, 8, 4],
};
const SHADES: Readonly<Record<string, number>> = { '░': 0.2, '▒': 0.45, '▓': 0.7 };

/** The same picture as a file for reports: text stays text, bars and dots are shapes. No scripts, no styles, no links. */
export function svgText(lines: readonly Line[], title: string): string {
  const columns = Math.max(1, ...lines.map((line) => displayWidth(line.map(({ text }) => text).join(''))));
  const width = columns * CELL.width + 2 * MARGIN;
  const height = lines.length * CELL.height + 2 * MARGIN;
  const shapes = lines.flatMap((line, row) => lineShapes(line, MARGIN + row * CELL.height));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...shapes,
    '</svg>',
  ].join('\n')}\n`;
}

function lineShapes(line: Line, top: number): readonly string[] {
  let left = MARGIN;
  return line.flatMap(({ text, tone }) => {
    const runs = text.match(/[\u2800-\u28ff]|([█▉▊▋▌▍▎▏▀▄░▒▓])\1*|[^█▉▊▋▌▍▎▏▀▄░▒▓\u2800-\u28ff]+/gu) ?? [];
    return runs.flatMap((run) => {
      const at = { left, top, width: displayWidth(run) * CELL.width };
      left += at.width;
      return runShapes(run, at, tone);
    });
  });
}

type Place = { readonly left: number; readonly top: number; readonly width: number };

function runShapes(run: string, at: Place, tone: Tone | undefined): readonly string[] {
  const fill = colorOf(tone);
  const [sign = ''] = run;
  const code = sign.charCodeAt(0) - 0x2800;
  if (code >= 0 && code <= 0xff) return dotShapes(code, at, fill);
  const [x, y, across, down] = BLOCKS[sign] ?? [0, 0, 8, 8];
  if (sign in BLOCKS || sign in SHADES) {
    const width = at.width - CELL.width + (across * CELL.width) / 8;
    const opacity = sign in SHADES ? ` fill-opacity="${SHADES[sign]}"` : '';
    // Large digits stand close, bars keep a distance from the line above.
    const inset = tone === 'title' ? 0 : 2;
    const full =
      down === 8
        ? { y: at.top + inset, height: CELL.height - 2 * inset }
        : { y: at.top + (y * CELL.height) / 8, height: (down * CELL.height) / 8 };
    return [
      `<rect x="${at.left + x}" y="${full.y}" width="${width}" height="${full.height}" fill="${fill}"${opacity}/>`,
    ];
  }
  return [...(typeof tone === 'number' ? grounds(run, at, fill) : []), ...wordShapes(run, at, tone)];
}

/** A light ground behind areas that are filled with a letter. */
function grounds(run: string, { left, top }: Place, fill: string): readonly string[] {
  return [...run.matchAll(/([A-Z])\1+/g)].map(
    ({ 0: letters, index }) =>
      `<rect x="${left + index * CELL.width}" y="${top}" width="${letters.length * CELL.width}" height="${CELL.height}" fill="${fill}" fill-opacity="0.25"/>`,
  );
}

function wordShapes(run: string, at: Place, tone: Tone | undefined): readonly string[] {
  const fill = colorOf(tone);
  return wordsOf(run, at.left).map(({ text, left, length }) => {
    const weight = tone === 'title' ? ' font-weight="bold"' : '';
    return `<text x="${left}" y="${at.top + 13}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fill}"${weight}>${escapeXml(text)}</text>`;
  });
}

/** Words with one space between them stay together; wider gaps are left to their places. */
function wordsOf(run: string, start: number) {
  let left = start;
  return run.split(/( {2,}|^ | $)/).flatMap((text) => {
    const word = { text, left, length: displayWidth(text) * CELL.width };
    left += word.length;
    return text.trim() === '' ? [] : [word];
  });
}

/** Column and row of each bit of a braille character. */
const DOTS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;

function dotShapes(code: number, { left, top }: Place, fill: string): readonly string[] {
  return DOTS.flatMap(([column, row], bit) =>
    (code & (1 << bit)) === 0
      ? []
      : [`<circle cx="${left + 2 + column * 4}" cy="${top + 2.25 + row * 4.5}" r="1.4" fill="${fill}"/>`],
  );
}

function colorOf(tone: Tone | undefined): string {
  if (tone === 'faint') return '#6b7280';
  return typeof tone === 'number' ? (SERIES[tone % SERIES.length] ?? '#111827') : '#111827';
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

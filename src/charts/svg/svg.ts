import { displayWidth, escapeMarkup } from '../../system/text.ts';
import type { Series } from '../chart.ts';
import { type Canvas, caption, clean } from '../terminal/canvas.ts';

/** The width of every picture but a wide retention table, in points. */
export const WIDTH = 840;

export const TEXT_SIZE = 12;

export const SMALL = 11;

/** A part of a picture, drawn from its own upper left corner. */
export type Block = { readonly height: number; readonly markup: string };

/** A chart between heading and remarks. */
export type Body = Block & {
  readonly width: number;
  readonly legend: readonly LegendEntry[];
  readonly remarks: readonly string[];
};

/** Series as they are drawn, with the names of the legend. */
export type SeriesDrawing = {
  readonly series: readonly Series[];
  readonly names: readonly string[];
  readonly unit: string;
  readonly remarks: readonly string[];
};

/** `sample` is the mark of the series in a box of `SAMPLE` points. */
export type LegendEntry = { readonly name: string; readonly sample: string };

export const SAMPLE = { width: 30, height: 12 } as const;

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element. `content` is markup, so texts must come from `text` or `escapeMarkup`. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${typeof value === 'number' ? Number(value.toFixed(2)) : value}"`],
  );
  return content === ''
    ? `<${name}${pairs.join('')}/>\n`
    : `<${name}${pairs.join('')}>${content}</${name}>\n`;
}

export type TextStyle = {
  readonly size?: number;
  readonly bold?: boolean;
  /** The classes of `STYLE`: `ink` if there is none. */
  readonly tone?: string;
  readonly align?: 'start' | 'middle' | 'end';
  readonly turn?: number;
};

/** A line of text; `y` is its middle. A shift is understood by more programs than the baselines of CSS. */
export function text(
  x: number,
  y: number,
  words: string,
  { size = TEXT_SIZE, bold = false, tone = 'ink', align = 'start', turn }: TextStyle = {},
): string {
  if (words === '') return '';
  const attributes = {
    x,
    y,
    dy: '0.35em',
    class: tone,
    'font-size': size === TEXT_SIZE ? undefined : size,
    'font-weight': bold ? 'bold' : undefined,
    'text-anchor': align === 'start' ? undefined : align,
    transform: turn === undefined ? undefined : `rotate(${turn} ${rounded(x)} ${rounded(y)})`,
  };
  return element('text', attributes, escapeMarkup(words));
}

/** Puts what was drawn from its own corner in its place. */
export function placed(left: number, top: number, markup: string): string {
  return markup === ''
    ? ''
    : element('g', { transform: `translate(${rounded(left)} ${rounded(top)})` }, markup);
}

/** Blocks one below the other. */
export function stacked(blocks: readonly Block[]): Block {
  let height = 0;
  const markup = blocks.map((block) => {
    const top = height;
    height += block.height;
    return placed(0, top, block.markup);
  });
  return { height, markup: markup.join('') };
}

/** A line of text as a block. */
export function textLine(words: string, height: number, style?: TextStyle): Block {
  return { height, markup: text(0, height / 2, words, style) };
}

export function rounded(value: number): number {
  return Number(value.toFixed(2));
}

export function box(left: number, top: number, width: number, height: number, tone: string): string {
  return element('rect', { x: left, y: top, width, height, class: tone });
}

export function rule(from: readonly [number, number], to: readonly [number, number], tone: string): string {
  return element('line', { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: tone });
}

const UNICODE: Canvas = { width: WIDTH, unicode: true };

/** Points per display cell and point of size: wide enough for most letters of most fonts. */
const CELL = 0.58;

/** How wide a text comes out at most, about: the fonts are those of the reader's computer. */
export function widthOf(words: string, size = TEXT_SIZE): number {
  return displayWidth(words) * size * CELL;
}

export function widest(texts: readonly string[], size = TEXT_SIZE): number {
  return texts.reduce((most, each) => Math.max(most, widthOf(each, size)), 0);
}

/** A text of the service on one line, safe to show, cut to a width. */
export function fitted(words: string, width: number, size = TEXT_SIZE): string {
  return clean(words, Math.max(1, Math.floor(width / (size * CELL))), UNICODE);
}

export function wrapped(words: string, width: number, size = TEXT_SIZE): readonly string[] {
  const cells = Math.max(10, Math.floor(width / (size * CELL)));
  return caption(words, { width: cells, unicode: true }).map((line) =>
    line.map((span) => span.text).join(''),
  );
}

/** Figures with separators, with every digit they had: `8,412 (12.5%)`. */
export function grouped(figure: string): string {
  return figure.replace(/(?<![\w.,-])-?\d{4,}(?![\w:]|-\d)/g, (number) => {
    const sign = number.startsWith('-') ? '-' : '';
    const digits = number.slice(sign.length);
    const first = digits.length % 3;
    const groups = [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])];
    return sign + groups.filter((group) => group !== '').join(',');
  });
}

/** Colours for both grounds. Neighbours differ in lightness too, so that a copy without colour tells them apart. */
const PALETTES = {
  light: {
    ground: '#ffffff',
    ink: '#111827',
    faint: '#4b5563',
    rule: '#d1d5db',
    axis: '#6b7280',
    pale: '#d7e3ef',
    shade: '#0b4f8a',
    /** Texts on the darkest shade. */
    strong: '#ffffff',
    lines: ['#0b7285', '#b35900', '#862e9c', '#2b8a3e', '#1c4fa0', '#c92a2a'],
    fills: ['#0b4f8a', '#f0a43c', '#4f8f5f', '#c9d6e8', '#7b2d5e', '#e4c1b0'],
    letters: ['#ffffff', '#111827', '#ffffff', '#111827', '#ffffff', '#111827'],
  },
  dark: {
    ground: '#0d1117',
    ink: '#e6edf3',
    faint: '#9aa4af',
    rule: '#2b333d',
    axis: '#768390',
    pale: '#23374f',
    shade: '#6ea8ff',
    strong: '#0d1117',
    lines: ['#4fc3d9', '#f0a356', '#d494e8', '#69c57d', '#86aef5', '#ff8f8f'],
    fills: ['#5ea6ea', '#f2b661', '#5f9a6d', '#3d5270', '#cf86b3', '#8a6a5a'],
    letters: ['#0d1117', '#0d1117', '#ffffff', '#ffffff', '#0d1117', '#ffffff'],
  },
} as const;

function rulesOf(palette: (typeof PALETTES)[keyof typeof PALETTES]): string {
  const { ground, ink, faint, rule: grid, axis, pale, shade, strong, lines, fills, letters } = palette;
  return [
    `.ground{fill:${ground}}.ink{fill:${ink}}.faint{fill:${faint}}.halo{fill:${ink};stroke:${ground}}`,
    `.rule{stroke:${grid}}.axis{stroke:${axis}}.pale{fill:${pale}}.shade{fill:${shade}}.strong{fill:${strong}}`,
    `.edge{stroke:${ground}}.open{stroke:${axis}}.box{fill:${pale};stroke:${shade}}.whisker{stroke:${shade}}`,
    ...lines.map((color, index) => `.line${index}{stroke:${color}}.mark${index}{fill:${color}}`),
    ...fills.map((color, index) => `.fill${index}{fill:${color}}.letter${index}{fill:${letters[index]}}`),
  ].join('\n');
}

/** Every name begins with the class of the picture, so that rules stay inside it where it stands in a page. */
function scoped(rules: string): string {
  return rules.replace(/(^|\})\.(?=[a-z])/gm, '$1.hogctl .');
}

const STYLE = [
  scoped(
    '.line{fill:none;stroke-width:2}.halo{paint-order:stroke;stroke-width:3}.open{fill-opacity:.35;stroke-dasharray:4 3}',
  ),
  scoped(rulesOf(PALETTES.light)),
  `@media (prefers-color-scheme:dark){\n${scoped(rulesOf(PALETTES.dark))}\n}`,
].join('\n');

export const COLORS = PALETTES.light.lines.length;

type Sheet = {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly description: string;
};

/** A whole picture. It runs nothing, loads nothing and uses fonts that are there, and follows a dark desktop. */
export function sheet({ width, height, title, description }: Sheet, content: string): string {
  const [across, down] = [Math.ceil(width), Math.ceil(height)];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width: across,
    height: down,
    viewBox: `0 0 ${across} ${down}`,
    role: 'img',
    class: 'hogctl',
    'font-family': 'Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif',
    'font-size': TEXT_SIZE,
  };
  return element(
    'svg',
    attributes,
    [
      '\n',
      element('title', {}, escapeMarkup(title)),
      element('desc', {}, escapeMarkup(description)),
      element('style', {}, `\n${STYLE}\n`),
      box(0, 0, across, down, 'ground'),
      content,
    ].join(''),
  );
}

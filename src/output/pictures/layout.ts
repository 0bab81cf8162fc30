import { type Canvas, caption, clean } from '../charts/picture.ts';
import { displayWidth } from '../fit-text.ts';

/** Part of a setting of the library, which reads them as plain objects. */
export type Setting = Readonly<Record<string, unknown>>;

/** A line of text at a place in points from the upper left corner; `y` is its middle. */
export type Text = {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  readonly bold?: true;
  readonly faint?: true;
  readonly align?: 'left' | 'center' | 'right';
  readonly color?: string;
};

/** What is drawn: axes and series that name their places in these lists, and texts beside them. */
export type Parts = {
  readonly grid?: readonly Setting[];
  readonly xAxis?: readonly Setting[];
  readonly yAxis?: readonly Setting[];
  readonly series?: readonly Setting[];
  readonly visualMap?: Setting;
  readonly texts?: readonly Text[];
};

/** The upper left corner of what is drawn. */
export type Corner = { readonly left: number; readonly top: number };

/** A chart before it has its place between title and remarks. `names` are those of its series, for the legend. */
export type Body = {
  readonly width: number;
  readonly height: number;
  readonly names: readonly string[];
  readonly remarks: readonly string[];
  readonly place: (corner: Corner) => Parts;
};

/** Room for a chart that has no need of its own. */
export const WIDTH = 840;

/** Fonts that are there already; nothing is loaded. Without quotes, since the library writes attributes as they are. */
export const FONT = 'Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif';
export const INK = '#111827';
export const FAINT = '#4b5563';
export const RULE = '#d1d5db';

/** Dark enough for thin lines on white. */
export const LINE_COLORS = ['#0b7285', '#b35900', '#862e9c', '#2b8a3e', '#1c4fa0', '#c92a2a'] as const;
/** For areas: neighbours differ in lightness too, so that a copy without colour tells them apart. */
export const FILL_COLORS = ['#0b4f8a', '#f0a43c', '#4f8f5f', '#c9d6e8', '#7b2d5e', '#e4c1b0'] as const;

export const TEXT_SIZE = 12;
const UNICODE: Canvas = { width: WIDTH, unicode: true };
/** Points per display cell and point of size: wide enough for most letters of the fonts above. */
const CELL = 0.58;

/** How wide a text comes out at most, about: the fonts are those of whoever looks at it. */
export function widthOf(text: string, size = TEXT_SIZE): number {
  return displayWidth(text) * size * CELL;
}

/** A text of the service on one line, safe to show, cut to a width. */
export function fitted(text: string, width: number, size = TEXT_SIZE): string {
  return clean(text, Math.max(1, Math.floor(width / (size * CELL))), UNICODE);
}

/** A sentence on as many lines as it needs. */
export function wrapped(text: string, width: number, size = TEXT_SIZE): readonly string[] {
  const cells = Math.max(10, Math.floor(width / (size * CELL)));
  return caption(text, { width: cells, unicode: true }).map((line) => line.map((span) => span.text).join(''));
}

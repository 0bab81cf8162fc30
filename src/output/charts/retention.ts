import type { Json, JsonObject } from '../../api/json.ts';
import { dataText } from '../cell-text.ts';
import { displayWidth, padding } from '../fit-text.ts';
import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { dayTexts, drawable, figureText } from './figure-text.ts';
import { type Canvas, caption, clean, type Line, type Picture, type Span } from './picture.ts';

const CELL = 6;

/**
 * The triangle of retention: for each cohort its size, and how much of it came back, shaded by quarters. The counts
 * themselves are left to the table. Intervals that do not fit stand in a second block below.
 */
export function drawRetention({ rows, columns }: Figures, canvas: Canvas): Picture | undefined {
  const intervals = columns
    .map(({ key }) => key)
    .filter((key) => !['breakdown_value', 'date', 'label'].includes(key));
  const [first, ...later] = intervals;
  if (rows.length === 0 || first === undefined) return undefined;
  const names = namesOf(rows, canvas);
  const sizes = rows.map((row) => clean(figureText(field(row, first)), 10, canvas));
  const heading = clean(first, 10, canvas);
  const [name, size] = [widest(names), widest([heading, ...sizes])];
  const most = Math.max(1, Math.floor((canvas.width - name - size - 1) / CELL));
  const lines: Line[] = [];
  for (let from = 0; from === 0 || from < later.length; from += most) {
    const block = later.slice(from, from + most);
    if (from > 0) lines.push([]);
    const heads = block.map((interval) => right(shortHead(interval, { first, canvas }), CELL)).join('');
    lines.push([{ text: `${' '.repeat(name + 1)}${right(heading, size)}${heads}`, tone: 'faint' }]);
    for (const [index, row] of rows.entries()) {
      const cells = block.flatMap((interval) => cell(row, { interval, whole: field(row, first), canvas }));
      if (from > 0 && cells.every(({ text }) => text.trim() === '')) continue;
      const text = names[index] ?? '';
      lines.push([{ text: `${text}${padding(text, name)} ${right(sizes[index] ?? '', size)}` }, ...cells]);
    }
  }
  return { lines: [...lines, ...caption(legend(canvas), canvas)], complete: false };
}

function namesOf(rows: readonly JsonObject[], canvas: Canvas): readonly string[] {
  const dates = dayTexts(rows.map((row) => field(row, 'date') ?? field(row, 'label')));
  return rows.map((row, index) => {
    const breakdown = dataText(field(row, 'breakdown_value'));
    return clean(`${breakdown === null ? '' : `${breakdown} `}${dates[index] ?? ''}`, 20, canvas);
  });
}

/** `Day 1` beside `Day 0` is 1. */
function shortHead(interval: string, { first, canvas }: { first: string; canvas: Canvas }): string {
  const [unit, number] = interval.split(' ');
  const short = number !== undefined && first.startsWith(`${unit} `) ? number : interval;
  return clean(short, CELL - 1, canvas);
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(displayWidth));
}

function right(text: string, width: number): string {
  return padding(text, width) + text;
}

type Place = { readonly interval: string; readonly whole: Json | undefined; readonly canvas: Canvas };

/** A share of nobody is none; one that is not all or nothing is never rounded to it. */
function cell(row: JsonObject, { interval, whole, canvas }: Place): readonly Span[] {
  const [part, all] = [drawable(field(row, interval)), drawable(whole)];
  if (part === undefined || all === undefined) return [{ text: ' '.repeat(CELL) }];
  if (all <= 0) return [{ text: right('-', CELL), tone: 'faint' }];
  const share = part / all;
  const text = shareText(share);
  const mark = share <= 0 ? ' ' : (shades(canvas)[Math.min(3, Math.ceil(share * 4) - 1)] ?? ' ');
  return [{ text: `${' '.repeat(Math.max(1, CELL - 1 - text.length))}` }, { text: mark, tone: 0 }, { text }];
}

function shareText(share: number): string {
  const percent = Math.round(share * 100);
  if (share > 0 && percent === 0) return '<1%';
  return share < 1 && percent === 100 ? '>99%' : `${percent}%`;
}

function shades({ unicode }: Canvas): readonly string[] {
  return unicode ? ['░', '▒', '▓', '█'] : ['.', ':', '+', '#'];
}

function legend(canvas: Canvas): string {
  const [one, two, three, four] = shades(canvas);
  return `Shares of the first column, rounded: ${one} up to 25%, ${two} 50%, ${three} 75%, ${four} 100%. - is a share of nobody, blank is not known yet.`;
}

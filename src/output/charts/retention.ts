import { displayWidth, padding } from '../fit-text.ts';
import type { RetentionCell, RetentionChart } from './chart.ts';
import { type Canvas, caption, clean, type Line, type Picture, type Span } from './picture.ts';

const CELL = 6;

/** The triangle of retention, shaded by quarters. Intervals that do not fit stand in a second block below. */
export function drawRetention({ first, intervals, cohorts }: RetentionChart, canvas: Canvas): Picture {
  const names = cohorts.map((cohort) => clean(cohort.name, 20, canvas));
  const sizes = cohorts.map((cohort) => clean(cohort.size, 10, canvas));
  const heading = clean(first, 10, canvas);
  const [name, size] = [widest(names), widest([heading, ...sizes])];
  const most = Math.max(1, Math.floor((canvas.width - name - size - 1) / CELL));
  const lines: Line[] = [];
  for (let from = 0; from === 0 || from < intervals.length; from += most) {
    const block = intervals.slice(from, from + most);
    if (from > 0) lines.push([]);
    const heads = block.map((interval) => right(clean(interval, CELL - 1, canvas), CELL)).join('');
    lines.push([{ text: `${' '.repeat(name + 1)}${right(heading, size)}${heads}`, tone: 'faint' }]);
    for (const [index, cohort] of cohorts.entries()) {
      const cells = block.flatMap((_, place) => cellSpans(cohort.cells[from + place], canvas));
      if (from > 0 && cells.every(({ text }) => text.trim() === '')) continue;
      const text = names[index] ?? '';
      lines.push([{ text: `${text}${padding(text, name)} ${right(sizes[index] ?? '', size)}` }, ...cells]);
    }
  }
  return { lines: [...lines, ...caption(legend(canvas), canvas)], complete: false };
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(displayWidth));
}

function right(text: string, width: number): string {
  return padding(text, width) + text;
}

function cellSpans(cell: RetentionCell | undefined, canvas: Canvas): readonly Span[] {
  if (cell === undefined) return [{ text: ' '.repeat(CELL) }];
  const { share, text } = cell;
  if (share === undefined) return [{ text: right(text, CELL), tone: 'faint' }];
  const mark = share <= 0 ? ' ' : (shades(canvas)[Math.min(3, Math.ceil(share * 4) - 1)] ?? ' ');
  return [{ text: `${' '.repeat(Math.max(1, CELL - 1 - text.length))}` }, { text: mark, tone: 0 }, { text }];
}

function shades({ unicode }: Canvas): readonly string[] {
  return unicode ? ['░', '▒', '▓', '█'] : ['.', ':', '+', '#'];
}

function legend(canvas: Canvas): string {
  const [one, two, three, four] = shades(canvas);
  return `Shares of the first column, rounded: ${one} up to 25%, ${two} 50%, ${three} 75%, ${four} 100%. - is a share of nobody, blank is not known yet.`;
}

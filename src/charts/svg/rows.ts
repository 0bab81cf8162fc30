import { scaleLinear } from 'd3-scale';
import { largest, smallest } from '../../json/numbers.ts';
import type { BarsChart, Funnel, FunnelChart, FunnelStep } from '../chart.ts';
import {
  type Block,
  type Body,
  box,
  fitted,
  grouped,
  placed,
  rule,
  SMALL,
  stacked,
  text,
  textLine,
  WIDTH,
  widest,
  widthOf,
} from './svg.ts';

/** A bar on its side, with what stands above and below it; `reach` is its length without people lost. */
type Row = {
  readonly head: string;
  readonly below: readonly string[];
  readonly value: number | undefined;
  readonly reach?: number | undefined;
  readonly words: string;
};

type Wanted = {
  readonly rows: readonly Row[];
  readonly width: number;
  /** What the longest bar could stand for, if not the largest value. */
  readonly full?: number | undefined;
  readonly bold?: boolean;
};

const BAR = 18;

const LINE = 16;

/** No bar but that of zero is shorter. */
const LEAST = 2;

/** Bars on one scale from zero. Short heads stand beside their bar, long ones above it, as do those with lines below. */
function rowPanel({ rows, width, full = 0, bold = false }: Wanted): Block {
  const plain = rows.every(({ below }) => below.length === 0);
  const heads = widest(rows.map(({ head }) => head));
  const beside = heads <= width * 0.35 && plain && !bold;
  const label = beside ? heads + 10 : 0;
  const figures = widest(rows.map(({ words }) => words)) + 10;
  const values = rows.flatMap(({ value = 0, reach = 0 }) => [value, reach]);
  const low = smallest(values, 0);
  const high = largest(values, full) || (low < 0 ? 0 : 1);
  const left = label + (low < 0 ? figures : 0);
  const x = scaleLinear([low, high], [left, width - figures]);
  const ends = ({ value = 0 }: Row) => {
    if (value === 0) return x(0);
    return value < 0 ? Math.min(x(value), x(0) - LEAST) : Math.max(x(value), x(0) + LEAST);
  };
  const top = beside ? 4 : LINE;
  const blocks = rows.map((row): Block => {
    const [zero, end] = [x(0), ends(row)];
    const lost = Math.max(end, x(row.reach ?? 0));
    const markup = [
      beside
        ? text(label - 8, top + BAR / 2, row.head, { align: 'end' })
        : text(0, top - LINE / 2, row.head, { bold }),
      lost > end ? box(end, top, lost - end, BAR, 'pale') : '',
      end === zero ? '' : box(Math.min(zero, end), top, Math.abs(end - zero), BAR, 'fill0'),
      end < zero
        ? text(end - 6, top + BAR / 2, row.words, { align: 'end' })
        : text(Math.max(lost, zero) + 6, top + BAR / 2, row.words),
      ...row.below.map((words, line) =>
        text(0, top + BAR + (line + 0.5) * LINE, words, { size: SMALL, tone: 'faint' }),
      ),
    ];
    return { height: (beside ? 8 : LINE + 12) + BAR + row.below.length * LINE, markup: markup.join('') };
  });
  const { height, markup } = stacked(blocks);
  const axis = beside || low < 0 ? rule([x(0), 0], [x(0), height], 'axis') : '';
  return { height, markup: markup + axis };
}

export function barsBody({ bars, full, remarks }: BarsChart): Body {
  const rows = bars.map(({ label, value, text: figure }) => ({
    head: fitted(label, WIDTH),
    below: [],
    value,
    words: fitted(grouped(figure), WIDTH / 2),
  }));
  return { ...rowPanel({ rows, width: WIDTH, full }), width: WIDTH, legend: [], remarks };
}

const GAP = 40;

const NAME = 26;

/** A bar for each step, pale up to the people before; several funnels stand two in a row if their names fit. */
export function funnelBody({ funnels, full, lost, remarks }: FunnelChart): Body {
  const half = (WIDTH - GAP) / 2;
  const names = funnels.flatMap(({ steps }) => steps.map((step) => headOf(step, WIDTH)));
  const across = funnels.length > 1 && widest(names) <= half ? 2 : 1;
  const width = across === 2 ? half : WIDTH;
  const hasNames = funnels.some(({ name }) => name !== '');
  const panels = funnels.map((funnel) => {
    const name = textLine(fitted(funnel.name, width, 14), NAME, { size: 14, bold: true });
    return stacked([...(hasNames ? [name] : []), funnelPanel(funnel, { width, full })]);
  });
  const lines = Array.from({ length: Math.ceil(panels.length / across) }, (_, line): Block => {
    const beside = panels.slice(line * across, (line + 1) * across);
    return {
      height: largest(beside.map(({ height }) => height)) + 16,
      markup: beside.map(({ markup }, column) => placed(column * (width + GAP), 0, markup)).join(''),
    };
  });
  const { height, markup } = stacked(lines);
  return {
    width: WIDTH,
    height: height - 16,
    markup,
    legend: [],
    remarks: [`The pale part of a bar: ${lost}`, ...remarks],
  };
}

function funnelPanel(
  { steps }: Funnel,
  { width, full }: { readonly width: number; readonly full: number | undefined },
): Block {
  // All steps break their lines at the same place.
  const lines = steps.map(({ details, times }) => phrase([...details, ...times]));
  const isNarrow = widest(lines, SMALL) > width;
  const rows = steps.map((step) => ({
    head: headOf(step, width),
    below: (isNarrow ? [step.details, step.times] : [[...step.details, ...step.times]])
      .filter((words) => words.length > 0)
      .map((words) => fitted(phrase(words), width, SMALL)),
    value: step.count,
    reach: step.reach,
    words: fitted(grouped(step.text), width / 2),
  }));
  return rowPanel({ rows, width, full, bold: true });
}

function phrase(words: readonly string[]): string {
  return words.map((each) => grouped(each)).join(', ');
}

function headOf({ place, name, optional }: FunnelStep, width: number): string {
  const before = place === '' ? '' : `${place} `;
  const end = optional ? ' (optional)' : '';
  return `${before}${fitted(name, width - widthOf(before + end))}${end}`;
}

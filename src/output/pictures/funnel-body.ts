import type { Funnel, FunnelChart, FunnelStep } from '../charts/chart.ts';
import { type Body, type Corner, fitted, type Parts, type Text, WIDTH, widthOf } from './layout.ts';
import { type Row, type RowPanel, rowPanel } from './row-panel.ts';

const GAP = 40;
const NAME = 26;

/**
 * A funnel as a bar for each step, pale up to who was there before; several funnels side by side, two in a row, unless the
 * names of their steps are too long for that.
 */
export function funnelBody({ funnels, full, lost, remarks }: FunnelChart): Body {
  const half = (WIDTH - GAP) / 2;
  const names = funnels.flatMap(({ steps }) => steps.map((step) => headOf(step, WIDTH)));
  const beside = funnels.length > 1 && names.every((name) => widthOf(name) <= half);
  const across = beside ? 2 : 1;
  const width = (WIDTH - (across - 1) * GAP) / across;
  const panels = funnels.map(({ steps }) =>
    rowPanel({ rows: steps.map((step) => toRow(step, width)), width, full, bold: true }),
  );
  const head = funnels.some(({ name }) => name !== '') ? NAME : 0;
  const lines = Math.ceil(funnels.length / across);
  const heights = Array.from({ length: lines }, (_, line) =>
    Math.max(...panels.slice(line * across, (line + 1) * across).map(({ height }) => height)),
  );
  const topOf = (line: number) => heights.slice(0, line).reduce((sum, height) => sum + height + head + 16, 0);
  const cornerOf = (index: number, { left, top }: Corner): Corner => ({
    left: left + (index % across) * (width + GAP),
    top: top + topOf(Math.floor(index / across)),
  });
  return {
    width: WIDTH,
    height: topOf(lines) - 16,
    names: [],
    remarks: [`The pale part of a bar: ${lost}`, ...remarks],
    place: (corner) =>
      joined(
        funnels.map((funnel, index) =>
          placed(funnel, panels[index], { corner: cornerOf(index, corner), index, head, width }),
        ),
      ),
  };
}

type Place = {
  readonly corner: Corner;
  readonly index: number;
  readonly head: number;
  readonly width: number;
};

function placed({ name }: Funnel, panel: RowPanel | undefined, { corner, index, head, width }: Place): Parts {
  const parts = panel?.place({ left: corner.left, top: corner.top + head }, index) ?? {};
  const title: Text = {
    x: corner.left,
    y: corner.top + NAME / 2 - 2,
    text: fitted(name, width, 14),
    size: 14,
    bold: true,
  };
  return head === 0 ? parts : { ...parts, texts: [title, ...(parts.texts ?? [])] };
}

function joined(all: readonly Parts[]): Parts {
  return {
    grid: all.flatMap(({ grid = [] }) => grid),
    xAxis: all.flatMap(({ xAxis = [] }) => xAxis),
    yAxis: all.flatMap(({ yAxis = [] }) => yAxis),
    series: all.flatMap(({ series = [] }) => series),
    texts: all.flatMap(({ texts = [] }) => texts),
  };
}

function headOf({ place, name, optional }: FunnelStep, width: number): string {
  const before = place === '' ? '' : `${place} `;
  const end = optional ? ' (optional)' : '';
  return `${before}${fitted(name, width - widthOf(before + end))}${end}`;
}

function toRow(step: FunnelStep, width: number): Row {
  const { count, reach, text, details } = step;
  const below = linesOf(details, width);
  return { head: headOf(step, width), below, value: count, reach, text: fitted(text, width / 2) };
}

/** Short texts side by side as far as they fit. */
function linesOf(texts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    const longer = `${last}, ${text}`;
    if (last !== undefined && widthOf(longer, 11) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitted(text, width, 11));
  }
  return lines;
}

import { displayWidth, padding } from '../fit-text.ts';
import type { LifecycleChart } from './chart.ts';
import { niceScale, tickText } from './nice-scale.ts';
import { type Canvas, caption, clean, type Line, type Picture, type Span } from './picture.ts';

type Status = { readonly name: string; readonly letter: string; readonly tone: number };
type Stack = { readonly up: readonly Status[]; readonly down: readonly Status[] };

/** Lifecycle as stacked columns filled with letters: who came above the axis, who stayed away below it. */
export function drawLifecycle(chart: LifecycleChart, canvas: Canvas): Picture {
  const statuses = chart.statuses.map((status, tone): Status => ({ ...status, tone }));
  const reserved = 8;
  const most = Math.floor((canvas.width - reserved) / 2);
  const values = chart.values.slice(-most);
  const sums = values.flatMap((day) => [sumOf(day, 1), sumOf(day, -1)]);
  const scale = niceScale(sums, 18);
  const stacks = values.map((day) => stack(day, { statuses, step: scale.step }));
  // An edge that was rounded down leaves the outermost row empty.
  const top = Math.max(...stacks.map(({ up }) => up.length));
  const bottom = Math.max(...stacks.map(({ down }) => down.length));
  const ticks = Array.from({ length: top + bottom + 1 }, (_, index) => top - index);
  const gutter = Math.max(...ticks.map((tick) => displayWidth(tickText(scale, tick)))) + 2;
  const wide = Math.min(7, Math.floor((canvas.width - gutter) / values.length));
  const lines = ticks.flatMap((tick): readonly Line[] =>
    rowLines(tick, { text: tickText(scale, tick), gutter, wide, stacks, canvas }),
  );
  const days = chart.days.slice(-most);
  return {
    lines: [
      ...legend(statuses, canvas),
      ...lines,
      dayLine(days, { gutter, wide, canvas }),
      ...remarks(
        { step: tickText(scale, 1), cut: chart.values.length - values.length, shown: values.length },
        canvas,
      ),
    ],
    complete: false,
  };
}

function sumOf(day: readonly number[], sign: number): number {
  return day.filter((value) => value * sign > 0).reduce((left, right) => left + right, 0);
}

type Stacking = {
  readonly statuses: readonly Status[];
  readonly step: number;
};

/** The rows each status takes, from the axis outwards. The edges are rounded, so the height of the whole is true. */
function stack(day: readonly number[], { statuses, step }: Stacking): Stack {
  const side = (sign: number): readonly Status[] => {
    let sum = 0;
    let full = 0;
    return statuses.flatMap((status, index) => {
      const value = (day[index] ?? 0) * sign;
      if (value <= 0) return [];
      sum += value;
      const edge = Math.round(sum / step);
      const rows = edge - full;
      full = edge;
      return Array.from({ length: rows }, () => status);
    });
  };
  return { up: side(1), down: side(-1) };
}

type Row = {
  readonly text: string;
  readonly gutter: number;
  readonly wide: number;
  readonly stacks: readonly Stack[];
  readonly canvas: Canvas;
};

/** Tick 1 labels the row that reaches from the axis up to it, and tick -1 the one below the axis. */
function rowLines(tick: number, { text, gutter, wide, stacks, canvas }: Row): readonly Line[] {
  const [wall, cross, floor] = canvas.unicode ? ['┤', '┼', '─'] : ['+', '+', '-'];
  const edge: Span = {
    text: `${padding(text, gutter - 2)}${text} ${tick === 0 ? cross : wall}`,
    tone: 'faint',
  };
  if (tick === 0) return [[edge, { text: (floor ?? '-').repeat(wide * stacks.length), tone: 'faint' }]];
  const cells = stacks.map(({ up, down }): Span => {
    const status = tick > 0 ? up[tick - 1] : down[-tick - 1];
    const fill = wide > 1 ? wide - 1 : 1;
    return { text: (status?.letter ?? ' ').repeat(fill).padEnd(wide), tone: status?.tone };
  });
  return [[edge, ...cells]];
}

function dayLine(
  days: readonly string[],
  { gutter, wide, canvas }: { gutter: number; wide: number; canvas: Canvas },
): Line {
  const first = clean(days[0] ?? '', 16, canvas);
  const last = days.length < 2 ? '' : clean(days.at(-1) ?? '', 16, canvas);
  const end = Math.min(
    canvas.width,
    Math.max(gutter + wide * days.length, gutter + first.length + last.length + 2),
  );
  return [
    {
      text: `${' '.repeat(gutter)}${first}${' '.repeat(Math.max(1, end - gutter - first.length - last.length))}${last}`,
      tone: 'faint',
    },
  ];
}

function legend(statuses: readonly Status[], { width }: Canvas): readonly Line[] {
  const spans = statuses.flatMap(({ name, letter, tone }): readonly Span[] => [
    { text: letter, tone },
    { text: ` ${name}  ` },
  ]);
  const wide = displayWidth(spans.map(({ text }) => text).join(''));
  const half = wide > width ? 4 : spans.length;
  return [spans.slice(0, half), spans.slice(half)].filter((line) => line.length > 0);
}

type Remark = { readonly step: string; readonly cut: number; readonly shown: number };

function remarks({ step, cut, shown }: Remark, canvas: Canvas): readonly Line[] {
  const rows = `Rounded to rows of ${step}; what is too small for one is not drawn.`;
  return [rows, ...(cut > 0 ? [`The last ${shown} of ${shown + cut}.`] : [])].flatMap((text) =>
    caption(text, canvas),
  );
}

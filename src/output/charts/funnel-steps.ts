import { displayWidth } from '../fit-text.ts';
import { type Bar, barParts } from './bar-lines.ts';
import type { FunnelChart, FunnelStep } from './chart.ts';
import { type Canvas, caption, clean, type Line, type Picture } from './picture.ts';

/** A funnel as one bar a step, shaded up to who was there before; several funnels one below the other. */
export function drawFunnelSteps(chart: FunnelChart, canvas: Canvas): Picture {
  const { funnels, full, lost, remarks, whole } = chart;
  const text = Math.max(...funnels.flatMap(({ steps }) => steps.map((step) => step.text.length)));
  const lines = funnels.flatMap(({ name, steps }, index): readonly Line[] => [
    ...(index === 0 ? [] : [[]]),
    ...(name === '' ? [] : [[{ text: clean(name, canvas.width, canvas), tone: 'title' as const }]]),
    ...funnelLines(steps, canvas, { full, text }),
  ]);
  const below = [`${canvas.unicode ? '░' : '.'} ${lost}`, ...remarks];
  return { lines: [...lines, ...below.flatMap((remark) => caption(remark, canvas))], complete: whole };
}

type Scale = { readonly full: number | undefined; readonly text: number };

function funnelLines(steps: readonly FunnelStep[], canvas: Canvas, scale: Scale): readonly Line[] {
  const bars = barParts(steps.map(barOf), canvas, scale);
  return steps.flatMap((step, index): readonly Line[] => [
    headOf(step, canvas),
    [{ text: '  ' }, ...(bars[index] ?? [])],
    ...joined(step.details, canvas),
  ]);
}

function barOf({ count, text, reach }: FunnelStep): Bar {
  return { label: '', value: count, text, tone: 0, reach };
}

function headOf(step: FunnelStep, canvas: Canvas): Line {
  const place = step.place === '' ? '' : `${step.place} `;
  const optional = step.optional ? ' (optional)' : '';
  return [
    { text: place, tone: 'faint' },
    { text: clean(step.name, canvas.width - place.length - optional.length, canvas), tone: 'title' },
    { text: optional },
  ];
}

/** Short texts side by side as far as they fit. */
function joined(texts: readonly string[], { width }: Canvas): readonly Line[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    const longer = `${last}, ${text}`;
    if (last !== undefined && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(`  ${text}`);
  }
  return lines.map((text) => [{ text }]);
}
